/** A row beside its nearest rows: cell by cell, or text by text; what is equal is dim, what differs stands out. */

import * as api from "../api.js";
import { h, put } from "../dom.js";
import { cell, rowName, rowNumber } from "../format.js";
import { labelOf, rowLink } from "./row_view.js";

const ROWS_BESIDE = 3;
const FEW_COLUMNS = 14; // more are folded away
const WORD = /[\p{L}\p{N}]+/gu;

/**
 * @typedef {{name: string, value: any}} Cell
 * @typedef {{title: any, label: any, cells: Cell[], text: string|null, row: number|null}} Shown
 */

/**
 * A row with those that are nearest to it, which are asked for.
 * @param {import("../app.js").App} app @param {Shown} shown @param {number[]} neighbors
 */
export function besideNeighbors(app, shown, neighbors) {
  const host = h("div", { class: "beside" });
  if (app.session.kind === "images") return host;
  const rows = neighbors.slice(0, ROWS_BESIDE).map((row) => app.focus.info(row).then(shownOf));
  Promise.all(rows)
    .then((others) => put(host, shown.text === null ? cells(app, shown, others) : texts(app, shown, others)))
    .catch(() => null); // the row itself is shown elsewhere
  return host;
}

/**
 * A row of the data beside the rows that are nearest to it.
 * @param {import("../app.js").App} app
 * @param {number} row
 */
export function besideOf(app, row) {
  const host = h("div", {});
  Promise.all([app.focus.info(row), api.get(`rows/${row}/evidence?k=${app.store.state.k}`)])
    .then(([info, evidence]) =>
      put(host, besideNeighbors(app, { ...shownOf(info), title: "this row" }, evidence.neighbors)),
    )
    .catch(app.fail);
  return host;
}

/** @param {Object} info answer of rows/{i} @returns {Shown} */
export function shownOf(info) {
  return { title: rowNumber(info.row), row: info.row, label: info.label, cells: info.cells, text: info.text };
}

/**
 * A line for each column in which they differ; the columns that are equal in all follow.
 * @param {import("../app.js").App} app
 * @param {Shown} shown
 * @param {Shown[]} others
 */
function cells(app, shown, others) {
  if (!shown.cells.length) return null;
  const its = others.map((other) => new Map(other.cells.map(({ name, value }) => [name, value])));
  const differs = ({ name, value }) => its.some((one) => cell(one.get(name)) !== cell(value));
  const different = shown.cells.filter(differs);
  const equal = shown.cells.filter((one) => !differs(one));
  const few = different.slice(0, FEW_COLUMNS);
  const rest = different.slice(FEW_COLUMNS);
  return [
    table(app, shown, others, few, its, true),
    rest.length > 0 &&
      h("details", {}, h("summary", {}, `${rest.length} more columns`), table(app, shown, others, rest, its, false)),
    others.length > 0 &&
      equal.length > 0 &&
      h(
        "p",
        { class: "note" },
        `Equal in all: ${equal.map(({ name, value }) => `${name} ${cell(value)}`).join("; ")}.`,
      ),
  ];
}

function table(app, shown, others, columns, its, labeled) {
  const head = (one) =>
    h("th", { scope: "col" }, one.row === null || one === shown ? one.title : rowLink(app, one.row));
  return h(
    "table",
    { class: "cells compared" },
    h("thead", {}, h("tr", {}, h("td", {}), head(shown), others.map(head))),
    h(
      "tbody",
      {},
      labeled &&
        app.session.task !== "exploratory" &&
        h(
          "tr",
          {},
          h("th", { scope: "row" }, "label"),
          [shown, ...others].map(({ label }) => h("td", {}, labelOf(app, label))),
        ),
      columns.map(({ name, value }) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, name),
          h("td", {}, cell(value)),
          its.map((one) => {
            const other = cell(one.get(name));
            return h("td", { class: other === cell(value) ? "equal" : "differs" }, other);
          }),
        ),
      ),
    ),
  );
}

/** @param {import("../app.js").App} app @param {Shown} shown @param {Shown[]} others */
function texts(app, shown, others) {
  const words = wordsOf(shown.text ?? "");
  const nearest = wordsOf(others[0]?.text ?? "");
  return [
    h("h3", {}, "Words that the row shares with its nearest rows are marked"),
    h("blockquote", {}, marked(flowing(shown.text ?? ""), nearest)),
    others.map((other) => [
      h(
        "p",
        { class: "note" },
        rowLink(app, /** @type {number} */ (other.row), rowName(other.row)),
        " ",
        labelOf(app, other.label),
      ),
      h("blockquote", {}, marked(flowing(other.text ?? ""), words)),
    ]),
  ];
}

function wordsOf(text) {
  return new Set([...text.toLowerCase().matchAll(WORD)].map(([word]) => word).filter((word) => word.length > 2));
}

/** A text in which some words are marked. @param {string} text @param {Set<string>} words */
function marked(text, words) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(WORD)) {
    if (!words.has(match[0].toLowerCase())) continue;
    parts.push(text.slice(from, match.index), h("mark", {}, match[0]));
    from = match.index + match[0].length;
  }
  return [...parts, text.slice(from)];
}

/** Lines that a file broke flow again; empty lines still part paragraphs. @param {string} text */
export function flowing(text) {
  return text.replace(/([^\n])\n(?!\s*\n)[ \t]*/g, "$1 ");
}
