/** Change a label: its exact effect is shown before anything is saved. */

import * as api from "../api.js";
import { h, put } from "../dom.js";
import { cell, percent, plural, rowNumber } from "../format.js";
import { rowLink } from "./row_view.js";

/** A label that was chosen and not saved yet: it stays chosen when its row is drawn again. */
const chosen = { row: /** @type {number|null} */ (null), label: "" };

/** @param {import("../app.js").App} app @param {{row: number, label: any, suggested?: any}} item */
export function relabelForm(app, item) {
  if (!app.session.classes?.length) return null;
  const effect = h("div", { class: "effect", "aria-live": "polite" });
  const choice = /** @type {HTMLSelectElement} */ (
    h(
      "select",
      { "data-act": "label", "aria-label": `New label of row ${rowNumber(item.row)}` },
      app.session.classes.map((label) => h("option", { value: label }, label)),
    )
  );
  choice.value = chosen.row === item.row ? chosen.label : String(item.suggested ?? item.label);
  const save = h(
    "button",
    {
      type: "button",
      class: "main",
      "data-act": "save",
      on: {
        click: () => {
          chosen.row = null;
          app.decide(item.row, "relabel", choice.value);
        },
      },
    },
    "Save the label",
  );
  const preview = api.latest((signal, label) => api.post("review/effect", { row: item.row, label }, signal));
  const update = async () => {
    save.disabled = choice.value === String(item.label);
    if (save.disabled) {
      put(effect);
      return;
    }
    try {
      const found = await preview(choice.value);
      if (found) put(effect, effectOf(app, found));
    } catch (error) {
      put(effect, h("p", { class: "notice" }, error.message));
    }
  };
  choice.addEventListener("change", () => {
    Object.assign(chosen, { row: item.row, label: choice.value });
    update();
  });
  update();
  return h(
    "section",
    { class: "relabel" },
    h("h3", {}, "Another label, with its exact effect"),
    h("div", { class: "inline" }, choice, save),
    effect,
  );
}

/**
 * @param {import("../app.js").App} app
 * @param {{error_before: number, error_after: number, changed: Object[], held_out?: Object}} found
 */
export function effectOf(app, found) {
  return [
    effectOn(app, "Leave-one-out error", found),
    found.held_out && effectOn(app, "Held-out error by K neighbors", found.held_out),
  ];
}

/** What changes for the training rows, each left out in turn, or for the test rows. */
function effectOn(app, what, found) {
  const gap = found.error_after - found.error_before;
  const way = gap < 0 ? "falls" : gap > 0 ? "rises" : "stays";
  return [
    h(
      "p",
      {},
      `${what} `,
      h("strong", { class: gap < 0 ? "better" : gap > 0 ? "worse" : null }, way),
      gap === 0
        ? ` at ${percent(found.error_before, 2)}`
        : ` from ${percent(found.error_before, 2)} to ${percent(found.error_after, 2)}`,
      found.changed.length
        ? `; ${plural(found.changed.length, "prediction changes", "predictions change")}.`
        : "; no prediction changes.",
    ),
    found.changed.length > 0 &&
      h(
        "ul",
        { class: "changes" },
        found.changed
          .slice(0, 12)
          .map((change) =>
            h(
              "li",
              {},
              rowLink(app, change.row),
              ` ${cell(change.before)} → ${cell(change.after)}`,
              h("span", { class: "note" }, ` (label ${cell(change.label)})`),
            ),
          ),
      ),
    found.changed.length > 12 && h("p", { class: "note" }, `and ${plural(found.changed.length - 12, "more row")}`),
  ];
}
