/** The address holds the view: it can be kept, sent, and walked back and forth. */

import { debounce } from "./dom.js";

/** @typedef {import("./store.js").State} State */

/** @param {State} state @param {State} defaults @returns {string} */
export function toAddress(state, defaults) {
  const query = new URLSearchParams();
  const add = (key, value) => query.set(key, String(value));
  if (state.map !== defaults.map) add("map", state.map);
  if (state.color !== defaults.color) add("color", state.color);
  if (state.k !== defaults.k) add("k", state.k);
  if (state.row !== null) add("row", state.row);
  if (state.select) add("select", state.select);
  if (state.table) add("table", 1);
  if (state.tab !== defaults.tab) add("tab", state.tab);
  if (state.hidden.length) add("hidden", state.hidden.join("."));
  if (state.regions) add("regions", 1);
  if (state.contours) add("contours", 1);
  if (!state.names) add("names", 0);
  if (state.panel !== defaults.panel) add("panel", state.panel ? 1 : 0);
  if (state.view)
    add("view", [state.view.x, state.view.y, state.view.zoom].map((value) => Number(value.toPrecision(6))).join(","));
  const text = query.toString();
  return text ? `?${text}` : location.pathname;
}

/** @param {string} search @param {State} defaults @param {number} nRows @returns {State} */
export function fromAddress(search, defaults, nRows) {
  const query = new URLSearchParams(search);
  const state = { ...defaults, hidden: [], view: null };
  for (const key of ["map", "color", "tab", "select"]) if (query.has(key)) state[key] = query.get(key);
  const k = Number(query.get("k"));
  if (Number.isInteger(k) && k > 0) state.k = k;
  const row = query.get("row");
  if (row !== null && /^\d+$/.test(row) && Number(row) < nRows) state.row = Number(row);
  if (query.has("hidden")) state.hidden = query.get("hidden").split(".").map(Number).filter(Number.isInteger);
  if (query.has("table")) state.table = query.get("table") === "1";
  for (const key of ["regions", "contours", "names", "panel"]) if (query.has(key)) state[key] = query.get(key) === "1";
  const view = (query.get("view") ?? "").split(",").map(Number);
  if (view.length === 3 && view.every(Number.isFinite) && view[2] > 0)
    state.view = { x: view[0], y: view[1], zoom: view[2] };
  return state;
}

/**
 * Keep the address and the store in step. Moving the map replaces the entry of the history;
 * every other change adds one, so that "back" undoes it.
 * @param {import("./store.js").Store} store @param {State} defaults @param {number} nRows
 */
export function bindAddress(store, defaults, nRows) {
  const write = (replace) => {
    const address = toAddress(store.state, defaults);
    if (address === location.search || (address === location.pathname && !location.search)) return;
    history[replace ? "replaceState" : "pushState"](null, "", address);
  };
  const later = debounce(() => write(true), 200);
  store.on(null, (state, before, how) => {
    if (how.quiet) return;
    const moved = Object.keys(state).every((key) => key === "view" || state[key] === before[key]);
    if (moved) later();
    else write(how.replace);
  });
  addEventListener("popstate", () =>
    store.set(fromAddress(location.search, defaults, nRows), { quiet: true, instant: true }),
  );
}
