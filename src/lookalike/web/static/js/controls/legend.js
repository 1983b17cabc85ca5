/** What the colors mean; a class is hidden and shown by its button. */

import { h, put, s } from "../dom.js";
import { count, number } from "../format.js";
import { SHAPES } from "../palette.js";

const PATHS = {
  circle: "M6 1.5a4.5 4.5 0 1 0 .01 0z",
  square: "M2 2h8v8H2z",
  triangle: "M6 1.5 11 10H1z",
  diamond: "M6 .8 11.2 6 6 11.2.8 6z",
};

/** A swatch in the color and shape of a class. @param {string} color @param {number} code */
export function swatch(color, code) {
  const shape = SHAPES[Math.floor(Math.max(0, code) / 10) % 4];
  return s(
    "svg",
    { class: "swatch", viewBox: "0 0 12 12", "aria-hidden": "true" },
    s("path", { d: PATHS[shape], fill: color }),
  );
}

/** Names of the codes of a color. @param {Object} about @param {number} code */
export function categoryName(about, code) {
  const names = about.categories ?? [];
  if (about.id === "error" && !names.length) return code === 0 ? "right" : "wrong";
  if (about.kind === "flag" && !(names.length && /^(no|none)/i.test(names[0])))
    return code === 0 ? "no flag" : (names[code - 1] ?? "flagged");
  return names[code] ?? String(code);
}

/** @param {HTMLElement} host @param {import("../app.js").App} app */
export function bindLegend(host, app) {
  const { mapView, store } = app;
  const draw = () => {
    const found = mapView.values;
    if (!found) return;
    const active = /** @type {HTMLElement} */ (document.activeElement);
    const restore = host.contains(active) ? active.dataset.code : null;
    put(host, found.about.kind === "number" ? ramp(found, mapView.palette) : classes(found, mapView.palette, store));
    const again = restore === null ? null : host.querySelector(`[data-code="${CSS.escape(restore)}"]`);
    /** @type {HTMLElement|null} */ (again)?.focus();
  };
  mapView.on(draw);
  app.theme.on(draw);
}

function ramp({ values, range, about }, palette) {
  const missing = values.reduce((sum, value) => sum + (value < 0 ? 1 : 0), 0);
  const stops = Array.from({ length: 24 }, (_, i) =>
    s("rect", { x: i * 8, y: 0, width: 8.5, height: 10, fill: palette.css(i / 23) }),
  );
  return [
    s(
      "svg",
      {
        class: "ramp",
        viewBox: "0 0 192 10",
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": `${about.name} from ${number(range[0])} to ${number(range[1])}`,
      },
      stops,
    ),
    h("p", { class: "ends" }, h("span", {}, `≤ ${number(range[0])}`), h("span", {}, `≥ ${number(range[1])}`)),
    missing > 0 && h("p", { class: "note" }, `${count(missing)} missing, in gray`),
  ];
}

/** @type {WeakMap<Float32Array, Map<number, number>>} */
const known = new WeakMap();

/**
 * How many rows have each code; counted once, as the legend is drawn again and again.
 * @param {Float32Array} values
 */
function countsOf(values) {
  const before = known.get(values);
  if (before) return before;
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  known.set(values, counts);
  return counts;
}

function classes({ values, about, k }, palette, store) {
  const counts = countsOf(values);
  const codes = [...counts.keys()].filter((code) => code >= 0).sort((a, b) => a - b);
  const hidden = new Set(store.state.hidden);
  const toggle = (code, event) => {
    let next = new Set(hidden);
    if (event.shiftKey || event.detail === 2) next = new Set(codes.filter((other) => other !== code));
    else if (!next.delete(code)) next.add(code);
    store.set({ hidden: [...next].sort((a, b) => a - b) });
  };
  return [
    k !== null && h("p", { class: "note" }, `leave-one-out at K = ${k}`),
    h(
      "ul",
      { class: "classes" },
      codes.map((code) =>
        h(
          "li",
          {},
          h(
            "button",
            {
              type: "button",
              class: "class",
              "data-code": code,
              "aria-pressed": String(!hidden.has(code)),
              title: "Click to hide or show; Shift and click to show this one alone",
              on: { click: (event) => toggle(code, event) },
            },
            swatch(palette.css(code), code),
            h("span", { class: "name" }, categoryName(about, code)),
            h("span", { class: "count" }, count(counts.get(code))),
          ),
        ),
      ),
    ),
    counts.has(-1) && h("p", { class: "note" }, `${count(counts.get(-1))} without a value, in gray`),
    hidden.size > 0 &&
      h(
        "button",
        { type: "button", class: "link", on: { click: () => store.set({ hidden: [] }) } },
        "Show all classes",
      ),
  ];
}
