/** Tables: the twin of each chart, and lists that have no chart. */

import { h } from "../dom.js";
import { cell, count } from "../format.js";

const PAGE = 200;

/**
 * @param {string} caption @param {string[]} columns @param {any[][]} rows
 * @returns {HTMLElement} a region that scrolls; all rows are there, a page at a time
 */
export function dataTable(caption, columns, rows) {
  const numeric = columns.map((_, c) => rows.length > 0 && rows.every((row) => row[c] === null || typeof row[c] === "number"));
  const line = (row) => h("tr", {}, row.map((value, c) => h("td", { class: numeric[c] ? "number" : null }, cell(value))));
  const body = h("tbody", {}, rows.slice(0, PAGE).map(line));
  const frame = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, columns.map((name, c) => h("th", { scope: "col", class: numeric[c] ? "number" : null }, name)))), body));
  if (rows.length <= PAGE) return frame;
  let shown = PAGE;
  const more = h("button", { type: "button", class: "link", on: { click: () => {
    body.append(...rows.slice(shown, shown + PAGE).map(line));
    shown += PAGE;
    if (shown >= rows.length) more.remove();
    else more.textContent = `Show more (${count(rows.length - shown)})`;
  } } }, `Show more (${count(rows.length - shown)})`);
  return h("div", {}, frame, more);
}
