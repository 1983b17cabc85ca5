/** What is drawn over the points of the map: names of areas, contours, pictures of rows; and their switches. */

import * as api from "./api.js";
import { h, put } from "./dom.js";
import { planeOf } from "./controls/choice.js";
import { cssColor } from "./controls/theme.js";
import { AreaNames } from "./scatter/area_names.js";
import { Contours } from "./scatter/contours.js";
import { RowImages } from "./scatter/row_images.js";

const SHEET_WIDTH = 20; // pictures in a line of a sheet that the server sends

/** @param {HTMLElement} host of the switches @param {import("./app.js").App} app */
export function bindMapLayers(host, app) {
  const { session, store, scatter } = app;
  put(
    host,
    toggle(store, "names", "Names"),
    toggle(store, "contours", "Contours"),
    session.task === "classification" && toggle(store, "regions", "Decision regions"),
  );
  bindAxes(app);
  bindNames(app);
  bindContours(app);
  if (session.kind === "images") bindImages(app);
  scatter.redraw();
}

/** @param {import("./store.js").Store} store @param {"names"|"contours"|"regions"} key @param {string} label */
function toggle(store, key, label) {
  const box = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: key }));
  box.addEventListener("change", () => store.set({ [key]: box.checked }));
  store.on([key], (state) => {
    box.checked = state[key];
  });
  box.checked = store.state[key];
  return h("label", { class: "check", for: key }, box, label);
}

/** What the axes are, where they are something: those of a neighbor map are not. */
function bindAxes({ session, scatter, store }) {
  const fields = [".axis-x", ".axis-y"].map((name) => /** @type {HTMLElement} */ (scatter.frame.querySelector(name)));
  const show = ({ map }) => {
    const names = map === "neighbors" ? [] : axesOf(session, map);
    fields.forEach((field, i) => {
      field.textContent = names[i] ?? "";
      field.hidden = !names[i];
    });
  };
  store.on(["map"], show);
  show(store.state);
}

/** @param {Object} session @param {string} map @returns {string[]} */
function axesOf(session, map) {
  const plane = planeOf(map);
  if (!plane) return session.maps.find(({ id }) => id === map)?.axes ?? [];
  const nameOf = (at) => (plane.family === "columns" ? session.columns[at]?.name : `component ${at + 1}`);
  return [nameOf(plane.x), nameOf(plane.y)];
}

function bindNames({ data, scatter, store }) {
  const host = /** @type {HTMLElement} */ (scatter.frame.querySelector(".names"));
  const names = new AreaNames(host);
  const show = async ({ map, names: wanted }) => {
    const areas = wanted ? await data.areas(map).catch(() => []) : [];
    if (store.state.map !== map || store.state.names !== wanted) return;
    names.set(areas);
    scatter.redraw();
  };
  scatter.layers.push(names);
  store.on(["map", "names"], (state) => {
    names.set([]); // those of another map
    show(state);
  });
  show(store.state);
}

function bindContours({ scatter, store, theme }) {
  const contours = new Contours(scatter.frame.querySelector("canvas.contours"));
  const show = () => {
    contours.shown = store.state.contours;
    contours.ink = cssColor("--ink");
    scatter.redraw();
  };
  scatter.layers.push(contours);
  store.on(["contours"], show);
  theme.on(show);
  show();
}

function bindImages({ mapView, scatter, session, store }) {
  const load = async (rows) => {
    const image = await createImageBitmap(await api.blob(`thumbnails?rows=${rows.join(",")}`));
    const across = Math.min(SHEET_WIDTH, rows.length);
    return { image, across, width: session.image.width, height: session.image.height };
  };
  const images = new RowImages(scatter.frame.querySelector("canvas.images"), load, (row) => mapView.colorOf(row));
  scatter.layers.push(images);
  scatter.on("moved", () => images.choose(scatter));
  store.on(["view", "map"], () => queueMicrotask(() => images.choose(scatter))); // once the camera has followed
  mapView.on(() => images.choose(scatter));
}
