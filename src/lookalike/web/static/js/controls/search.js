/** Search by row number, label or text; what is found becomes the selection. */

import * as api from "../api.js";
import { h } from "../dom.js";
import { count } from "../format.js";
import { announce } from "./messages.js";

/** @param {Object} app @returns {HTMLElement} */
export function searchBox(app) {
  const field = /** @type {HTMLInputElement} */ (h("input", {
    type: "search", id: "search", placeholder: "Row, label or text", "aria-label": "Search by row number, label or text", autocomplete: "off", spellcheck: "false",
  }));
  const find = api.latest((signal, text) => api.get(`search?q=${encodeURIComponent(text)}`, signal));
  const form = h("form", { class: "search", role: "search" }, field);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) {
      app.selection.clear();
      return;
    }
    try {
      const found = await find(text);
      if (found) show(app, text, found);
    } catch (error) {
      app.fail(error);
    }
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") field.blur();
  });
  return form;
}

function show(app, text, found) {
  if (found.kind === "row" && found.rows.length === 1) {
    app.open(found.rows[0]);
    return;
  }
  if (found.rows.length === 0) {
    announce("Nothing found");
    app.say(`Nothing found for “${text}”. Search for a row number, a label, or words of a cell.`);
    return;
  }
  const all = found.rows.length === found.total ? "" : ` (the first ${count(found.rows.length)} of ${count(found.total)})`;
  app.selectRows(`${found.kind === "label" ? "Label" : "Text"} “${text}”${all}`, found.rows);
}
