/** The selected rows compared with all others. */

import * as api from "../api.js";
import { h, put, s } from "../dom.js";
import { count, number, percent, plural } from "../format.js";
import { showInParts } from "../paging.js";
import { effectTable } from "../charts/effects.js";
import { hint } from "../controls/hint.js";
import { labelOf } from "./row_view.js";
import { tiles } from "./tiles.js";

const PAGE = 120;
const LABELS = 12; // that are listed; the others are counted

/** @param {import("../app.js").App} app @returns {HTMLElement} */
export function selectionPanel(app) {
  const host = h("div", {});
  const draw = async (selection) => {
    if (!selection.rows.length) {
      put(
        host,
        h("h2", {}, "No selection"),
        h(
          "p",
          {},
          "Draw a lasso on the map (Shift and drag, or press L), search, filter the table, or click a cell of " +
            "the confusion matrix.",
        ),
        app.keptSelections.list(selection),
      );
      return;
    }
    const body = h("div", { "aria-live": "polite" }, h("p", { class: "note" }, "Comparing with the other rows …"));
    put(
      host,
      h(
        "header",
        { class: "row-head" },
        h("div", {}, h("h2", {}, plural(selection.rows.length, "row")), nameField(selection)),
        h(
          "button",
          {
            type: "button",
            class: "plain close",
            "aria-label": "Clear the selection",
            on: { click: () => selection.clear() },
          },
          "×",
        ),
      ),
      actions(app, selection),
      relabelTogether(app, selection),
      app.keptSelections.list(selection),
      body,
      h("h3", {}, "Rows"),
      pages(app, selection.rows),
    );
    try {
      const found = await selection.summary();
      if (found) put(body, summary(app, found));
    } catch (error) {
      put(body, h("p", { class: "notice" }, error.message));
    }
  };
  app.selection.on(draw);
  app.keptSelections.on(() => draw(app.selection));
  draw(app.selection);
  return host;
}

/** The name of the selection, which can be another one. */
function nameField(selection) {
  const field = h("input", {
    type: "text",
    class: "selection-name",
    "aria-label": "Name of the selection",
    value: selection.title,
    spellcheck: "false",
  });
  field.addEventListener("change", () => selection.rename(field.value.trim() || selection.title));
  return field;
}

/** What can be done with the selected rows. */
function actions(app, selection) {
  const act = (text, run) => h("button", { type: "button", on: { click: run } }, text);
  const download = (format) =>
    api.download("export", `selection.${format}`, { ...selection.body(), format }).catch(app.fail);
  const review = () =>
    api
      .post("review/rows", selection.body())
      .then((found) => app.review.sent(found))
      .catch(app.fail);
  return h(
    "div",
    { class: "inline acts" },
    act("Show as a table", () => app.store.set({ table: true })),
    act("Keep", () => app.keptSelections.keep(selection)),
    act("Invert", () => selection.invert()),
    app.session.task !== "exploratory" && act("Review", review),
    act("Export csv", () => download("csv")),
    act("Export Parquet", () => download("parquet")),
  );
}

/** One label for all selected rows. */
function relabelTogether(app, selection) {
  const { classes, editable } = app.session;
  if (!editable || !classes?.length) return null;
  const choice = /** @type {HTMLSelectElement} */ (
    h(
      "select",
      { "aria-label": "New label of the selected rows" },
      classes.map((label) => h("option", { value: label }, label)),
    )
  );
  const question = h("div", { class: "question", role: "alert" });
  const relabel = async (confirmed = false) => {
    put(question);
    try {
      await app.review.relabel(selection.body(), choice.value, confirmed);
    } catch (error) {
      if (error.status !== 409 || confirmed) throw error;
      const again = h("button", { type: "button", class: "main", on: { click: () => relabel(true).catch(app.fail) } });
      again.append("Change these test rows");
      const leave = h("button", { type: "button", on: { click: () => put(question) } }, "Leave them");
      put(question, h("p", {}, error.message), h("div", { class: "inline" }, again, leave));
      again.focus();
    }
  };
  return h(
    "details",
    {},
    h("summary", {}, "Relabel together"),
    h(
      "div",
      { class: "inline" },
      choice,
      h("button", { type: "button", class: "main", on: { click: () => relabel().catch(app.fail) } }, "Relabel all"),
    ),
    question,
  );
}

function pages(app, rows) {
  const host = h("div", {});
  const more = showInParts(rows, PAGE, (part) => host.append(tiles(app, part)));
  return h("div", {}, host, more);
}

function summary(app, found) {
  return [errors(app, found), labels(app, found), columns(found)];
}

function errors(app, { error }) {
  if (!error || error.inside === null || error.inside === undefined) return null;
  const show = app.session.task === "classification" ? percent : number;
  const name = app.session.task === "classification" ? "Error" : "RMSE";
  return h("p", {}, `${name} ${show(error.inside)} inside, ${show(error.outside)} outside.`);
}

function labels(app, { labels: found }) {
  const entries = Object.entries(found ?? {})
    .filter(([, [inside]]) => inside > 0)
    .sort((a, b) => b[1][0] - a[1][0]);
  if (!entries.length) return null;
  const total = entries.reduce((sum, [, [inside]]) => sum + inside, 0);
  return h(
    "section",
    {},
    h("h3", {}, "Labels"),
    h(
      "ul",
      { class: "votes" },
      entries
        .slice(0, LABELS)
        .map(([label, [inside]]) =>
          h("li", {}, labelOf(app, label), meter(inside / total), h("span", { class: "figure" }, count(inside))),
        ),
    ),
    entries.length > LABELS && h("p", { class: "note" }, `and ${plural(entries.length - LABELS, "other label")}`),
  );
}

function meter(share) {
  return s(
    "svg",
    { class: "meter", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "track", width: 100, height: 8, rx: 2 }),
    s("rect", { class: "value", width: Math.max(1, share * 100), height: 8, rx: 2 }),
  );
}

function columns(found) {
  if (!found.columns?.length) return null;
  return h("section", {}, h("h3", {}, "What sets them apart ", hint("effect size")), effectTable(found.columns));
}
