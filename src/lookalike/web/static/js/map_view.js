/** What the store says, drawn on the scatter plot: places, colors, classes, regions, marks. */

import * as api from "./api.js";
import { paletteOf, rgb } from "./palette.js";
import { cssColor } from "./controls/theme.js";

export class MapView {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.values = null;
    this.missingPlaces = 0;
    this.measures = null; // of a plane that the session does not list
    this.turn = { map: 0, color: 0 };
    this.pending = 0; // requests whose answer will move or color the rows
    this.regions = api.latest((signal, map, k) => api.get(`regions?map=${api.part(map)}&k=${k}&size=128`, signal));
    this.listeners = [];
  }

  /** Called when colors or counts changed. */
  on(listener) {
    this.listeners.push(listener);
  }

  async showMap(state, animate) {
    const { data, scatter } = this.app;
    const turn = ++this.turn.map;
    const positions = await this.#whileBusy(data.map(state.map));
    if (turn !== this.turn.map) return;
    this.missingPlaces = 0;
    for (let i = 0; i < positions.length; i += 2)
      if (!(positions[i] === positions[i] && positions[i + 1] === positions[i + 1])) this.missingPlaces += 1;
    scatter.setPositions(positions, animate);
    this.showView(this.app.store.state);
    this.showMarks(this.app.focus.subject);
    this.measures = null;
    this.#tell();
    if (!this.app.session.maps.some(({ id }) => id === state.map)) this.#measure(state.map, turn);
  }

  /** Ask what a plane of two columns keeps of the neighborhoods, while it is looked at. */
  async #measure(map, turn) {
    const found = await this.app.data.measures(map).catch(() => null);
    if (turn !== this.turn.map) return;
    this.measures = found;
    this.#tell();
  }

  /** Mark the map as busy until an answer that will change it is here. @template T @param {Promise<T>} answer */
  async #whileBusy(answer) {
    const { frame } = this.app.scatter;
    this.pending += 1;
    frame.ariaBusy = "true";
    try {
      return await answer;
    } finally {
      this.pending -= 1;
      frame.ariaBusy = String(this.pending > 0);
    }
  }

  #tell() {
    for (const listener of this.listeners) listener();
  }

  showView(state) {
    const { scatter } = this.app;
    const camera = scatter.camera;
    if (!state.view) camera.fit();
    else [camera.x, camera.y, camera.zoom] = [state.view.x, state.view.y, state.view.zoom];
    scatter.redraw();
  }

  async showColor(state) {
    const turn = ++this.turn.color;
    const found = await this.#whileBusy(this.app.data.valuesOf(state.color, state.k));
    if (turn !== this.turn.color) return;
    this.values = found;
    this.app.scatter.setValues(found.values, found.about.kind === "number");
    this.paint();
    this.showState();
  }

  /** Colors of the present theme. */
  paint() {
    if (!this.values) return;
    const { about } = this.values;
    const dark = this.app.theme.dark;
    this.palette = paletteOf(about.kind, about.id, about.categories?.length ?? 0, dark);
    const ground = rgb(cssColor("--ground"));
    this.app.scatter.setColors(this.palette.rgba, {
      ground: ground.map((part) => part / 255),
      missing: [...rgb(cssColor("--missing")).map((part) => part / 255), 0.8],
      ink: rgb(cssColor("--ink")),
      css: {
        ink: cssColor("--ink"),
        soft: cssColor("--soft"),
        accent: cssColor("--accent"),
        torn: cssColor("--torn"),
        ground: cssColor("--ground"),
      },
    });
    if (this.lastRegions) this.#drawRegions(this.lastRegions);
  }

  /** The color of a row, as css. @param {number} row */
  colorOf(row) {
    const value = this.values?.values[row] ?? -1;
    return value < 0 ? cssColor("--missing") : this.palette.css(value);
  }

  /** Hidden classes and the selection, as one bitmask per row. */
  showState() {
    if (!this.values) return;
    const { scatter, selection, store } = this.app;
    const { values, about } = this.values;
    const hidden = about.kind === "number" ? new Set() : new Set(store.state.hidden);
    const state = new Uint8Array(values.length);
    if (hidden.size) for (let i = 0; i < state.length; i += 1) if (hidden.has(values[i])) state[i] |= 1;
    if (selection.mask) for (let i = 0; i < state.length; i += 1) if (!selection.mask[i]) state[i] |= 2;
    scatter.setState(state);
    this.#tell();
  }

  async showRegions(state) {
    this.lastRegions = null;
    if (!state.regions) {
      this.app.scatter.setRegions(null);
      this.#tell();
      return;
    }
    try {
      const found = await this.regions(state.map, state.k);
      if (!found) return;
      this.lastRegions = found;
      this.#drawRegions(found);
      this.#tell();
    } catch (error) {
      this.app.scatter.setRegions(null);
      this.app.store.set({ regions: false }, { replace: true });
      this.app.fail(error);
    }
  }

  #drawRegions(found) {
    const bytes = api.fromBase64(found.codes);
    const codes = found.dtype === "uint16" ? new Uint16Array(bytes.buffer) : bytes;
    const missing = found.dtype === "uint16" ? 65535 : 255;
    const palette = paletteOf("category", "label", this.app.session.classes.length, this.app.theme.dark);
    const rgba = new Uint8Array(codes.length * 4);
    const strength = this.app.theme.dark ? 58 : 50;
    const edge = found.size / 12; // the regions fade out where the raster ends
    const fade = (at) => Math.min(1, (Math.min(at, found.size - 1 - at) + 0.5) / edge);
    for (let i = 0; i < codes.length; i += 1) {
      if (codes[i] === missing) continue;
      const color = (codes[i] % 256) * 4;
      rgba.set(palette.rgba.subarray(color, color + 3), 4 * i);
      rgba[4 * i + 3] = strength * fade(i % found.size) * fade(Math.floor(i / found.size));
    }
    this.app.scatter.setRegions({ rgba, size: found.size, extent: found.extent });
  }

  /** @param {import("./focus.js").Subject|null} subject */
  showMarks(subject) {
    const { scatter, store } = this.app;
    if (!subject) {
      scatter.mark({ row: null, neighbors: [], torn: [], strangers: [], query: null });
      return;
    }
    const at = subject.kind === "query" ? (subject.evidence.maps?.[store.state.map] ?? null) : null;
    scatter.mark({
      row: subject.row,
      query: at,
      neighbors: subject.kind === "query" && !at ? [] : subject.evidence.neighbors,
      torn: subject.torn?.torn ?? [],
      strangers: subject.torn?.false ?? [],
    });
    if (subject.row !== null) scatter.reveal(subject.row);
    if (at) scatter.revealPlace(at);
  }
}
