/** Tables: the twin of each chart, and lists that have no chart. */

import { h } from "../dom.js";
import { cell, count, formatted, isNumeric, share } from "../format.js";

const PAGE = 200;

/**
 * @param {string} caption @param {string[]} columns @param {any[][]} rows @param {string[]} [shares] columns that are written in percent
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
  const body = h("tbody", {}, rows.slice(0, PAGE).map(line));
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
  if (rows.length <= PAGE) return frame;
  let listed = PAGE;
  const more = h(
    "button",
    {
      type: "button",
      class: "link",
      on: {
        click: () => {
          body.append(...rows.slice(listed, listed + PAGE).map(line));
          listed += PAGE;
          if (listed >= rows.length) more.remove();
          else more.textContent = `Show more (${count(rows.length - listed)})`;
        },
      },
    },
    `Show more (${count(rows.length - listed)})`,
  );
  return h("div", {}, frame, more);
}
