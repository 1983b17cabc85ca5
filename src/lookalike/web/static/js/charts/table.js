/** Tables: the twin of each chart, and lists that have no chart. */

import { h } from "../dom.js";
import { cell, formatted, isNumeric, share } from "../format.js";
import { showInParts } from "../paging.js";

const PAGE = 200;

/**
 * @param {string} caption
 * @param {string[]} columns
 * @param {any[][]} rows
 * @param {string[]} [shares] columns that are written in percent
 * @param {Object<string, string|undefined>} [formats] the format code of columns that have one
 * @returns {HTMLElement} a region that scrolls; all rows are there, a page at a time
 */
export function dataTable(caption, columns, rows, shares = [], formats = {}) {
  const numeric = columns.map(
    (name, c) =>
      isNumeric(formats[name]) ??
      (rows.length > 0 && rows.every((row) => row[c] === null || typeof row[c] === "number")),
  );
  const shown = (value, c) => (formats[columns[c]] ? formatted(formats[columns[c]], value) : plainCell(value, c));
  const plainCell = (value, c) =>
    typeof value === "number" && shares.includes(columns[c]) ? share(value) : cell(value);
  const line = (row) =>
    h(
      "tr",
      {},
      row.map((value, c) => h("td", { class: numeric[c] ? "number" : null }, shown(value, c))),
    );
  const body = h("tbody", {});
  const more = showInParts(rows, PAGE, (part) => body.append(...part.map(line)));
  const frame = h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          columns.map((name, c) => h("th", { scope: "col", class: numeric[c] ? "number" : null }, name)),
        ),
      ),
      body,
    ),
  );
  return more ? h("div", {}, frame, more) : frame;
}
