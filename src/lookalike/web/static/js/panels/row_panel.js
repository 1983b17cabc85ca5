/** The panel of one row: what it is, what is predicted, and why. */

import * as api from "../api.js";
import { h, put } from "../dom.js";
import { rowName, rowNumber } from "../format.js";
import { componentsSlider } from "./components.js";
import { evidenceParts, scoreContributions } from "./evidence.js";
import { neighborList } from "./neighbors.js";
import { relabelForm } from "./relabel.js";
import { besideNeighbors, flowing, shownOf } from "./beside.js";
import { labelOf, picture } from "./row_view.js";
import { neighborVoice, selectedVoice } from "./voices.js";

/** @param {import("../app.js").App} app @returns {HTMLElement} */
export function rowPanel(app) {
  const host = h("div", { class: "row-panel" });
  const slider = componentsSlider(app);
  const draw = (subject) => {
    if (subject?.kind === "query") return;
    const act = host.contains(document.activeElement) ? document.activeElement.getAttribute("data-act") : null;
    put(host, subject ? contents(app, subject, slider) : empty(app));
    if (act) /** @type {HTMLElement|null} */ (host.querySelector(`[data-act="${act}"]`))?.focus();
  };
  app.focus.on(draw);
  app.review.on(() => app.focus.subject ?? draw(null));
  app.theme.on(() => draw(app.focus.subject));
  draw(null);
  return host;
}

function empty(app) {
  return [
    h("h2", {}, "Where to begin"),
    starters(app),
    h(
      "p",
      {},
      "Or click a point: you see the row beside its nearest rows, how they vote, and what would flip the prediction.",
    ),
    h("p", { class: "note" }, "Shift and drag draws a lasso. Press ? for all shortcuts."),
  ];
}

/** Three things to try, each a click away. */
function starters(app) {
  const { session, store } = app;
  const worst = app.review.state?.queue[0]?.row;
  const { strangest } = session;
  const start = (title, what, run) =>
    h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "starter", on: { click: run } },
        h("strong", {}, title),
        h("span", {}, what),
      ),
    );
  const newItem = {
    images: ["Draw an image", "See what it is taken for, and where it lands on the map"],
    texts: ["Type a sentence", "See what it is taken for, and which texts are nearest"],
  }[session.kind] ?? ["Try a new row", "Type or paste cells: prediction, nearest rows, place on the map"];
  return h(
    "ul",
    { class: "starters" },
    Number.isInteger(worst) &&
      start("The worst label", `${rowName(worst)}: probably wrong, and the one that does most harm`, () =>
        store.set({ tab: "review", panel: true }),
      ),
    Number.isInteger(strangest) &&
      start("The strangest row", `${rowName(strangest)}: the one least like all others`, () => app.open(strangest)),
    start(...newItem, () => store.set({ row: null, tab: "new", panel: true })),
  );
}

function contents(app, subject, slider) {
  const { info, evidence } = subject;
  return [
    h(
      "header",
      { class: "row-head" },
      info.image && picture(app.session, info.row, 96, `Image of row ${rowNumber(info.row)}`),
      h(
        "div",
        {},
        h("h2", {}, rowName(info.row)),
        h(
          "dl",
          { class: "facts" },
          known(info.label) && [h("dt", {}, "label"), h("dd", {}, labelOf(app, info.label))],
          info.split && [h("dt", {}, "split"), h("dd", {}, info.split)],
        ),
        h(
          "button",
          { type: "button", class: "link", "data-act": "zoom", on: { click: () => zoom(app) } },
          "Zoom to this row ",
          h("kbd", {}, "Z"),
        ),
        info.report &&
          !api.hasToken() &&
          h("a", { class: "to-report", href: `/report#${info.report}`, target: "_blank" }, "In the report"),
      ),
      h(
        "button",
        {
          type: "button",
          class: "plain close",
          "aria-label": "Close this row",
          on: { click: () => app.store.set({ row: null }) },
        },
        "×",
      ),
    ),
    info.flags?.length > 0 &&
      h(
        "ul",
        { class: "flags" },
        info.flags.map(({ kind, detail }) => h("li", {}, h("strong", {}, kind), detail && ` ${detail}`)),
      ),
    info.text && !evidence.neighbors.length && h("blockquote", {}, flowing(info.text)),
    selectedVoice(app, info),
    neighborVoice(app, evidence, info.label),
    besideNeighbors(app, { ...shownOf(info), title: "this row" }, evidence.neighbors),
    evidenceParts(app, evidence),
    neighborList(app, subject),
    slider?.(info.row),
    scoreContributions(app, evidence),
    app.session.editable && relabelForm(app, info),
  ];
}

/**
 * Bring the open row, with those of its nearest rows that are near on the map, into view.
 * @param {import("../app.js").App} app
 */
export function zoom({ focus, scatter }) {
  const { row, evidence, torn } = focus.subject ?? {};
  if (!Number.isInteger(row)) return;
  const far = new Set(torn?.torn ?? []);
  scatter.zoomTo(
    row,
    evidence.neighbors.filter((other) => !far.has(other)),
  );
}

function known(value) {
  return value !== null && value !== undefined;
}
