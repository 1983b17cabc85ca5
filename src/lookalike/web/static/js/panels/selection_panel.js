/** The selected rows compared with all others. */

import * as api from "../api.js";
import { h, put, s } from "../dom.js";
import { cell, count, number, percent, plural } from "../format.js";
import { dataTable } from "../charts/table.js";
import { labelOf } from "./row_view.js";
import { tiles } from "./tiles.js";

const PAGE = 120;
const LABELS = 12; // that are listed; the others are counted

/** @param {Object} app @returns {HTMLElement} */
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
          "Draw a lasso on the map (Shift and drag, or press L), search, or click a cell of the confusion matrix.",
        ),
      );
      return;
    }
    const body = h("div", { "aria-live": "polite" }, h("p", { class: "note" }, "Comparing with the other rows …"));
    put(
      host,
      h(
        "header",
        { class: "row-head" },
        h("div", {}, h("h2", {}, plural(selection.rows.length, "row")), h("p", { class: "note" }, selection.title)),
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

/** What can be done with the selected rows. */
function actions(app, selection) {
  const act = (text, run) => h("button", { type: "button", on: { click: run } }, text);
  return h(
    "div",
    { class: "inline acts" },
    act("Show as a table", () => app.store.set({ table: true })),
    act("Export csv", () => api.download("export", "selection.csv", selection.body()).catch(app.fail)),
    act("Invert", () => selection.invert()),
    act("Keep", () => app.keptSelections.keep(selection)),
    app.keptSelections.choices(selection),
  );
}

function pages(app, rows) {
  let shown = PAGE;
  const host = h("div", {}, tiles(app, rows.slice(0, PAGE)));
  const more = h(
    "button",
    {
      type: "button",
      class: "link",
      on: {
        click: () => {
          more.before(tiles(app, rows.slice(shown, shown + PAGE)));
          shown += PAGE;
          more.hidden = shown >= rows.length;
        },
      },
    },
    "Show more rows",
  );
  more.hidden = rows.length <= PAGE;
  host.append(more);
  return host;
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
  const interval = found.columns.some((column) => column.interval);
  const rows = found.columns.map((column) => [
    column.name,
    column.inside,
    column.outside,
    column.effect,
    interval ? (column.interval ? column.interval.map(cell).join(" – ") : null) : (column.p ?? null),
  ]);
  return h(
    "section",
    {},
    h("h3", {}, "What sets them apart"),
    h("p", { class: "note" }, "Columns by size of the effect: the selection compared with the rest."),
    dataTable(
      "Columns of the selection compared with the rest",
      ["column", "inside", "outside", "effect", interval ? "95% interval" : "p"],
      rows,
    ),
  );
}
