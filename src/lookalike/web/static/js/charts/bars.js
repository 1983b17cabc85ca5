/** Bars with a name each, and whiskers where low and high are given. */

import { s } from "../dom.js";
import { cell, count, figures } from "../format.js";
import { scale } from "./axis.js";

const WIDE = 340;
const LINE = 22;
const TALL_LINE = 31; // with a name in two lines
const NAME = 168;
const LETTERS = 27; // of a line of a name
const MOST = 30; // bars that are drawn; the chart says so, and the table has all

/**
 * @param {Object} panel
 * @param {{label: string, value: string, interval?: string, low?: string, high?: string, mark?: string}} chart
 * @returns {SVGElement}
 */
export function barChart(panel, chart) {
  const at = (name) => panel.columns.indexOf(name);
  const every = panel.rows.filter((row) => Number.isFinite(row[at(chart.value)]));
  const rows = every.slice(0, MOST);
  const left = every.length - rows.length;
  const value = (row) => row[at(chart.value)];
  const ends = (row) => (chart.interval ? row[at(chart.interval)] : [row[at(chart.low)], row[at(chart.high)]]);
  const end = (row) => (Number.isFinite(ends(row)?.[1]) ? ends(row)[1] : value(row));
  const high = Math.max(...rows.map(end), 1e-12);
  const start = (row) => (Number.isFinite(ends(row)?.[0]) ? ends(row)[0] : value(row));
  const low = Math.min(0, ...rows.map(start));
  const written = figures(panel, chart.value);
  const marked = (row, i) => (chart.mark === undefined ? i === 0 : row[at(chart.label)] === chart.mark);
  const names = rows.map((row) => inLines(cell(row[at(chart.label)])));
  const line = names.some(({ length }) => length > 1) ? TALL_LINE : LINE;
  const x = scale([low, high], [NAME, WIDE - 52]);
  return s(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 ${WIDE} ${(rows.length + (left > 0)) * line + 4}`,
      role: "img",
      "aria-label": `${panel.title}: ${chart.value} by ${chart.label}`,
    },
    rows.map((row, i) => {
      const y = i * line + (line - LINE) / 2 + 3;
      const name = cell(row[at(chart.label)]);
      return s(
        "g",
        {},
        s("title", {}, `${name}: ${written(value(row))}`),
        names[i].map((part, place) =>
          s(
            "text",
            {
              class: "tick name",
              x: NAME - 8,
              y: y + 13 + (place - (names[i].length - 1) / 2) * 12,
              "text-anchor": "end",
            },
            part,
          ),
        ),
        s("rect", {
          class: `bar${marked(row, i) ? " first" : ""}`,
          x: x(Math.min(0, value(row))),
          y: y + 2,
          width: Math.max(1, Math.abs(x(value(row)) - x(0))),
          height: LINE - 8,
          rx: 2,
        }),
        Number.isFinite(ends(row)?.[0]) &&
          s("line", {
            class: "whisker",
            x1: x(ends(row)[0]),
            x2: x(ends(row)[1]),
            y1: y + LINE / 2 - 2,
            y2: y + LINE / 2 - 2,
          }),
        s("text", { class: "tick", x: x(Math.max(0, end(row))) + 5, y: y + 13 }, written(value(row))),
      );
    }),
    left > 0 && s("text", { class: "tick", x: NAME, y: rows.length * line + 16 }, `${count(left)} more in the table`),
  );
}

/**
 * A name in one line, or in two between its words; what is longer still is cut, and whole in the table.
 * @param {string} name
 * @returns {string[]}
 */
export function inLines(name) {
  if (name.length <= LETTERS) return [name];
  const space = name.lastIndexOf(" ", LETTERS);
  const at = space > 0 ? space : LETTERS;
  const rest = name.slice(at).trim();
  return [name.slice(0, at), rest.length > LETTERS ? `${rest.slice(0, LETTERS - 1)}…` : rest];
}
