/** The sentence that says what is drawn: which map, colored by what. */

import { h, put } from "../dom.js";

const PLANE = "xy";

/** @param {HTMLElement} host @param {Object} app */
export function bindChoice(host, app) {
  const { session, store } = app;
  const numbers = session.colors.filter((color) => color.kind === "number");
  const map = select("Map", session.maps.map(({ id, name }) => [id, name]).concat(numbers.length > 1 ? [[PLANE, "Two columns"]] : []));
  const color = colorSelect(session.colors);
  const x = select("Column on the x axis", numbers.map(({ id, name }) => [id, name]));
  const y = select("Column on the y axis", numbers.map(({ id, name }) => [id, name]));
  const axes = h("span", { class: "axes" }, "of ", x, " and ", y, " ");
  put(host, h("p", { class: "sentence" }, map, " ", axes, "colored by ", color));

  map.addEventListener("change", () => store.set({ map: map.value, view: null, regions: map.value === PLANE ? false : store.state.regions }));
  x.addEventListener("change", () => store.set({ x: x.value, view: null }));
  y.addEventListener("change", () => store.set({ y: y.value, view: null }));
  color.addEventListener("change", () => store.set({ color: color.value, hidden: [] }));
  const show = (state) => {
    map.value = state.map;
    color.value = state.color;
    x.value = state.x;
    y.value = state.y;
    axes.hidden = state.map !== PLANE;
  };
  store.on(["map", "color", "x", "y"], show);
  show(store.state);
}

function select(label, options) {
  return h("select", { "aria-label": label }, options.map(([value, text]) => h("option", { value }, text)));
}

function colorSelect(colors) {
  const groups = new Map();
  for (const color of colors) {
    const [family] = color.id.includes(":") ? color.id.split(":") : [""];
    if (!groups.has(family)) groups.set(family, []);
    groups.get(family).push(h("option", { value: color.id }, color.name));
  }
  const names = { column: "Columns", component: "Components", torn: "Torn neighbors" };
  return h("select", { "aria-label": "Color" }, [...groups].map(([family, options]) =>
    family === "" ? options : h("optgroup", { label: names[family] ?? family }, options)));
}
