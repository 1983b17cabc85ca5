/** Search by row number, label or text; what is found becomes the selection. */

import * as api from "../api.js";
import { h } from "../dom.js";
import { count } from "../format.js";
import { announce } from "./messages.js";

/** @param {Object} app @returns {HTMLElement} */
export function searchBox(app) {
  const field = /** @type {HTMLInputElement} */ (
    h("input", {
      type: "search",
      id: "search",
      placeholder: "Row, label or text",
      "aria-label": "Search by row number, label or text",
      autocomplete: "off",
      spellcheck: "false",
    })
  );
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
  const rows = found.mask ? rowsOf(api.fromBase64(found.mask)) : found.rows;
  const all = rows.length === found.total ? "" : ` (the first ${count(rows.length)} of ${count(found.total)})`;
  app.selectRows(`${found.kind === "label" ? "Label" : "Text"} “${text}”${all}`, rows);
}

/** Rows whose bits are set: row i is bit i & 7 of byte i >> 3. @param {Uint8Array} bits */
function rowsOf(bits) {
  const rows = [];
  for (let i = 0; i < bits.length * 8; i += 1) if ((bits[i >> 3] >> (i & 7)) & 1) rows.push(i);
  return rows;
}
