/** Effects of columns, each as a dot with its interval on one axis in standard deviations. */

import { h, s } from "../dom.js";
import { number, percent } from "../format.js";
import { showInParts } from "../paging.js";

const SHOWN = 12; // the others on demand
const WIDE = 110;
const HIGH = 16;

/**
 * @typedef {{name: string, share?: boolean, inside: any, outside: any, effect: number, interval?: [number,
 * number]}} Effect
 */

/** @param {Effect[]} columns the largest effect first @returns {HTMLElement} */
export function effectTable(columns) {
  const most = Math.max(0.2, ...columns.slice(0, SHOWN).map(({ effect }) => Math.abs(effect)));
  const body = h("tbody", {});
  const more = showInParts(columns, SHOWN, (part) => body.append(...part.map((column) => line(column, most))));
  return h(
    "div",
    {},
    h(
      "table",
      { class: "effects" },
      h("caption", { class: "unseen" }, "Columns of the selection compared with the rest"),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["column", "inside", "outside", "effect"].map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      body,
    ),
    more,
  );
}

/** @param {Effect} column @param {number} most */
function line({ name, share, inside, outside, effect, interval }, most) {
  const figure = (value) => (share ? percent(value) : number(value));
  const [low, high] = interval ?? [effect, effect];
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, name),
    h("td", {}, figure(inside)),
    h("td", {}, figure(outside)),
    h(
      "td",
      { title: `${number(effect)} standard deviations, 95% CI ${number(low)} to ${number(high)}` },
      h(
        "div",
        { class: "effect" },
        bar(effect, low, high, most),
        h("span", { class: "figure" }, number(Number(effect.toPrecision(2)))),
      ),
    ),
  );
}

function bar(effect, low, high, most) {
  const x = (value) => WIDE / 2 + (Math.max(-1.05, Math.min(1.05, value / most)) * WIDE) / 2.2;
  return s(
    "svg",
    { viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true" },
    s("line", { class: "zero", x1: WIDE / 2, x2: WIDE / 2, y1: 0, y2: HIGH }),
    s("line", { class: "interval", x1: x(low), x2: x(high), y1: HIGH / 2, y2: HIGH / 2 }),
    s("circle", { class: "dot", cx: x(effect), cy: HIGH / 2, r: 3.5 }),
  );
}
