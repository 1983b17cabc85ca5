/** The number of neighbors: its leave-one-out curve, moved by a slider, without a refit. */

import * as api from "../api.js";
import { debounce, h, put, s } from "../dom.js";
import { number, percent } from "../format.js";
import { hint } from "./hint.js";

const WIDE = 290;
const HIGH = 34;

/**
 * @param {HTMLElement} host @param {import("../app.js").App} app
 * @returns {Promise<{step: (by: number) => void}|null>} null where nothing is predicted
 */
export async function bindKSlider(host, app) {
  const { session, store } = app;
  if (!session.k || session.task === "exploratory") return null; // nothing is predicted
  const curve = await api.get("k");
  const rate = session.task === "classification";
  const show = (value) => (rate ? percent(value, 2) : number(value));
  const name = rate ? "leave-one-out error" : "leave-one-out RMSE";
  const low = Math.min(...curve.error);
  const span = Math.max(...curve.error) - low || 1;
  const last = Math.max(1, curve.k.length - 1);
  const xOf = (i) => 8 + (i / last) * (WIDE - 16); // as the thumb of the slider
  const yOf = (value) => HIGH - 5 - ((value - low) / span) * (HIGH - 10);
  const dot = s("circle", { r: 4, class: "dot" });
  const line = curve.k.map((_, i) => `${xOf(i).toFixed(1)},${yOf(curve.error[i]).toFixed(1)}`).join(" ");
  const spark = s(
    "svg",
    { class: "spark", viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true" },
    s("polyline", { points: line }),
    dot,
  );
  const slider = /** @type {HTMLInputElement} */ (h("input", { type: "range", id: "k", min: 0, max: last, step: 1 }));
  const value = h("output", { for: "k" });
  const error = h("span", { class: "error" });
  put(
    host,
    h("div", { class: "k-head" }, h("label", { for: "k" }, "K"), value, error, rate && hint("leave-one-out error")),
    h("div", { class: "k-track" }, spark, slider),
  );

  const nearest = (k) =>
    curve.k.reduce((best, other, i) => (Math.abs(other - k) < Math.abs(curve.k[best] - k) ? i : best), 0);
  const draw = (k) => {
    const at = nearest(k);
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `K = ${curve.k[at]}, ${name} ${show(curve.error[at])}`);
    value.textContent = `= ${curve.k[at]}`;
    error.textContent = `${name} ${show(curve.error[at])}${curve.k[at] === curve.selected ? " · selected" : ""}`;
    dot.setAttribute("cx", String(xOf(at)));
    dot.setAttribute("cy", String(yOf(curve.error[at])));
  };
  const commit = debounce(() => store.set({ k: curve.k[Number(slider.value)] }), 90);
  slider.addEventListener("input", () => {
    draw(curve.k[Number(slider.value)]);
    commit();
  });
  store.on(["k"], (state) => draw(state.k));
  draw(store.state.k);
  const refresh = async () => {
    Object.assign(curve, await api.get("k"));
    draw(store.state.k);
  };
  app.onLabels(() => refresh().catch(app.fail));
  return {
    step: (/** @type {number} */ by) => {
      const at = Math.max(0, Math.min(last, nearest(store.state.k) + by));
      store.set({ k: curve.k[at] });
    },
  };
}
