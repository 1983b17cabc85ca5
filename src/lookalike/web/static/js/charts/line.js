/** Lines over a number, with a band where low and high are given. */

import { s } from "../dom.js";
import { figures, number } from "../format.js";
import { scale, ticks } from "./axis.js";

const WIDE = 340;
const HIGH = 190;
const TOP = 18;
const LEFT = 46;
const BOTTOM = 34;

/**
 * @param {Object} panel table with `columns` and `rows`
 * @param {{x: string, y: string[], low?: string, high?: string, mark?: number, log_x?: boolean}} chart
 * @returns {SVGElement}
 */
export function lineChart(panel, chart) {
  const column = (name) => panel.rows.map((row) => row[panel.columns.indexOf(name)]);
  const xs = column(chart.x);
  const lines = chart.y.map((name) => ({ name, values: column(name) }));
  const band = chart.low && chart.high ? [column(chart.low), column(chart.high)] : [];
  const finite = [...lines.map((line) => line.values), ...band].flat().filter(Number.isFinite);
  if (!finite.length) return s("svg", { class: "chart" });
  const low = Math.min(...finite);
  const high = Math.max(...finite);
  const pad = (high - low || Math.abs(high) || 1) * 0.06;
  const x = scale([Math.min(...xs), Math.max(...xs)], [LEFT, WIDE - 10], chart.log_x && Math.min(...xs) > 0);
  const y = scale([low - pad, high + pad], [HIGH - BOTTOM, TOP]);
  const written = figures(panel, chart.y[0]);
  const path = (values) =>
    values
      .map((value, i) => (Number.isFinite(value) ? `${x(xs[i]).toFixed(1)},${y(value).toFixed(1)}` : null))
      .filter(Boolean)
      .join(" ");
  return s(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 ${WIDE} ${HIGH}`,
      role: "img",
      "aria-label": `${panel.title}: ${chart.y.join(", ")} by ${chart.x}`,
    },
    ticks(low - pad, high + pad).map((value) => [
      s("line", { class: "rule", x1: LEFT, x2: WIDE - 10, y1: y(value), y2: y(value) }),
      s("text", { class: "tick", x: LEFT - 6, y: y(value) + 3.5, "text-anchor": "end" }, written(value)),
    ]),
    xTicks(xs, chart).map((value) =>
      s(
        "text",
        { class: "tick", x: x(value), y: HIGH - BOTTOM + 15, "text-anchor": x(value) > WIDE - 24 ? "end" : "middle" },
        number(value),
      ),
    ),
    s("text", { class: "axis", x: (LEFT + WIDE) / 2, y: HIGH - 4, "text-anchor": "middle" }, chart.x),
    band.length === 2 &&
      s("polygon", { class: "band", points: `${path(band[0])} ${path(band[1]).split(" ").reverse().join(" ")}` }),
    lines.map(({ values }, i) => s("polyline", { class: `line line-${i % 4}`, points: path(values) })),
    xs.length <= 40 &&
      lines.map(({ values }, i) =>
        values.map(
          (value, r) =>
            Number.isFinite(value) && s("circle", { class: `dot line-${i % 4}`, cx: x(xs[r]), cy: y(value), r: 2.6 }),
        ),
      ),
    Number.isFinite(chart.mark) &&
      s("line", { class: "mark", x1: x(chart.mark), x2: x(chart.mark), y1: TOP, y2: HIGH - BOTTOM }),
    lines.length > 1 && names(lines),
  );
}

/** Which line is which. */
function names(lines) {
  let at = LEFT;
  return lines.map(({ name }, i) => {
    const left = at;
    at += 36 + name.length * 6.6;
    return s(
      "g",
      {},
      s("line", { class: `line line-${i % 4}`, x1: left, x2: left + 16, y1: 4, y2: 4 }),
      s("text", { class: "tick", x: left + 20, y: 7.5 }, name),
    );
  });
}

function xTicks(xs, chart) {
  if (!chart.log_x) {
    const whole = xs.every(Number.isInteger);
    return ticks(Math.min(...xs), Math.max(...xs), 5).filter((value) => !whole || Number.isInteger(value));
  }
  const wanted = 5;
  const step = Math.max(1, Math.round(xs.length / wanted));
  return xs.filter((_, i) => i % step === 0);
}
