/** The sentence that says what is drawn: which map, colored by what. */

import { h, put } from "../dom.js";

const COMPONENTS = 10; // that the server offers at most
const FAMILIES = { columns: "Two columns", components: "Two components" };

/** The family and the two places of a map such as "columns:0,3". @param {string} id */
export function planeOf(id) {
  const [family, places] = id.split(":");
  if (!FAMILIES[family] || !places) return null;
  const [x, y] = places.split(",").map(Number);
  return Number.isInteger(x) && Number.isInteger(y) ? { family, x, y } : null;
}

/** What can lie on an axis. @param {Object} session @param {string} family @returns {[number, string][]} */
function axesOf(session, family) {
  if (family === "columns") return session.columns.map(({ name }, i) => /** @type {[number, string]} */ ([i, name]));
  const most =
    session.n_components ?? Math.min(COMPONENTS, session.kind === "texts" ? COMPONENTS : session.columns.length);
  return Array.from({ length: most }, (_, i) => [i, `component ${i + 1}`]);
}

/** @param {HTMLElement} host @param {import("../app.js").App} app */
export function bindChoice(host, app) {
  const { session, store } = app;
  const families = Object.keys(FAMILIES).filter((family) => axesOf(session, family).length > 1);
  const map = select("Map", []);
  const offer = () =>
    put(
      map,
      [
        ...session.maps.map(({ id, name, pending }) => [
          id,
          id === "neighbors" && pending ? `${name} (being laid out)` : name,
        ]),
        ...families.map((family) => [family, FAMILIES[family]]),
      ].map(([value, text]) => h("option", { value }, text)),
    );
  const color = colorSelect(session.colors);
  const x = select("x axis", []);
  const y = select("y axis", []);
  const axes = h("span", { class: "axes" }, x, " and ", y);
  put(host, h("p", { class: "sentence" }, map, axes, h("span", {}, "colored by"), color));

  const plane = () => store.set({ map: `${map.value}:${x.value},${y.value}`, view: null });
  map.addEventListener("change", () => {
    const start = families.includes(map.value) ? `${map.value}:0,1` : map.value;
    store.set({ map: start, view: null });
  });
  x.addEventListener("change", plane);
  y.addEventListener("change", plane);
  color.addEventListener("change", () => store.set({ color: color.value, hidden: [] }));
  const show = (state) => {
    const found = planeOf(state.map);
    map.value = found?.family ?? state.map;
    color.value = state.color;
    axes.hidden = !found;
    if (!found) return;
    for (const { field, place } of [
      { field: x, place: found.x },
      { field: y, place: found.y },
    ]) {
      put(
        field,
        axesOf(session, found.family).map(([value, text]) => h("option", { value }, text)),
      );
      field.value = String(place);
    }
  };
  store.on(["map", "color"], show);
  const offerAll = () => {
    offer();
    show(store.state);
  };
  app.onMaps(offerAll);
  offerAll();
}

function select(label, options) {
  return /** @type {HTMLSelectElement} */ (
    h(
      "select",
      { "aria-label": label },
      options.map(([value, text]) => h("option", { value }, text)),
    )
  );
}

function colorSelect(colors) {
  const groups = new Map();
  for (const color of colors) {
    const [family] = color.id.includes(":") ? color.id.split(":") : [""];
    if (!groups.has(family)) groups.set(family, []);
    groups.get(family).push(h("option", { value: color.id }, color.name));
  }
  const names = { column: "Columns", component: "Components", torn: "Torn neighbors" };
  return /** @type {HTMLSelectElement} */ (
    h(
      "select",
      { "aria-label": "Color" },
      [...groups].map(([family, options]) =>
        family === "" ? options : h("optgroup", { label: names[family] ?? family }, options),
      ),
    )
  );
}
