/** The panel of one row: what it is, what is predicted, and why. */

import { h, put } from "../dom.js";
import { rowName } from "../format.js";
import { componentsSlider } from "./components.js";
import { evidenceParts, scoreContributions } from "./evidence.js";
import { neighborList } from "./neighbors.js";
import { relabelForm } from "./relabel.js";
import { besideNeighbors, flowing, shownOf } from "./beside.js";
import { labelOf, picture } from "./row_view.js";
import { neighborVoice, selectedVoice } from "./voices.js";

/** @param {Object} app @returns {HTMLElement} */
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
  app.theme.on(() => draw(app.focus.subject));
  draw(null);
  return host;
}

function empty(app) {
  return [
    h("h2", {}, "Click a point"),
    h(
      "p",
      {},
      "You see the row, its nearest rows in the original space, how they vote, and what would flip the prediction.",
    ),
    h("p", { class: "note" }, "Shift and drag draws a lasso. Press ? for all shortcuts."),
    app.session.model?.name &&
      h(
        "dl",
        { class: "facts" },
        h("dt", {}, "Model"),
        h("dd", {}, app.session.model.name),
        Object.entries(app.session.model.hyperparameters ?? {}).map(([name, value]) => [
          h("dt", {}, name),
          h("dd", {}, String(value)),
        ]),
      ),
  ];
}

function contents(app, subject, slider) {
  const { info, evidence } = subject;
  return [
    h(
      "header",
      { class: "row-head" },
      info.image && picture(app.session, info.row, 96, `Image of row ${info.row}`),
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

function known(value) {
  return value !== null && value !== undefined;
}
