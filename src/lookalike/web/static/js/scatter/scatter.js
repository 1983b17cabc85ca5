/** The map: holds the arrays, decides what is drawn when, and reports what the pointer does. */

import { debounce, stillness } from "../dom.js";
import { Camera } from "./camera.js";
import { CanvasRenderer } from "./canvas_renderer.js";
import { densityCounts, densityRaster } from "./density.js";
import { FrameBudget } from "./frame_budget.js";
import { bindGestures } from "./gestures.js";
import { GlRenderer } from "./gl_renderer.js";
import { Grid, middleBounds } from "./grid.js";
import { Overlay } from "./overlay.js";
import { gathered, shuffledOrder } from "./shuffle.js";

const MOST_ZOOM = 60; // of one row, with its nearest rows
const MORPH = 650; // milliseconds from one map to the next
const STILL = 200; // milliseconds after which the camera rests

/** What is drawn over the points in each frame. @typedef {{draw: (scatter: Scatter, moving: boolean) => void}} Layer */

export class Scatter {
  /**
   * @param {HTMLElement} frame holds the two canvases
   * @param {number} nRows
   * @param {{forceCanvas?: boolean}} [options]
   */
  constructor(frame, nRows, options = {}) {
    this.frame = frame;
    this.points = /** @type {HTMLCanvasElement} */ (frame.querySelector("canvas.points"));
    this.surface = /** @type {HTMLElement} */ (frame.querySelector(".surface"));
    this.overlay = new Overlay(frame.querySelector("canvas.overlay"));
    this.renderer = (options.forceCanvas ? null : GlRenderer.create(this.points)) ?? new CanvasRenderer(this.points);
    this.nRows = nRows;
    this.order = shuffledOrder(nRows);
    this.camera = new Camera();
    this.budget = new FrameBudget(nRows);
    /** @type {Uint8Array} */
    this.state = new Uint8Array(nRows);
    this.ink = [0, 0, 0];
    this.marks = { hover: null, row: null, neighbors: [], torn: [], strangers: [], query: null, lasso: null };
    this.lassoing = false;
    this.events = new EventTarget();
    this.frames = 0;
    this.complete = false;
    this.movedAt = -Infinity;
    /** Resolved once all rows were drawn for the first time. @type {Promise<void>} */
    this.drawn = new Promise((resolve) => {
      this.tellDrawn = resolve;
    });
    /** @type {Layer[]} */
    this.layers = [];
    /** @type {import("./density.js").Counts|null} how many rows lie where */
    this.counts = null;
    this.renderer.setState(this.state);
    this.renderer.setValues(new Float32Array(nRows), false);
    this.#bind();
  }

  #bind() {
    const lost = (event) => event.preventDefault();
    this.points.addEventListener("webglcontextlost", lost);
    this.points.addEventListener("webglcontextrestored", () => location.reload());
    new ResizeObserver(() => this.#resize()).observe(this.frame);
    this.#resize();
    this.settled = debounce(() => this.#emit("moved"), 120);
    bindGestures(this.surface, {
      hover: (x, y) => this.#emit("hover", { row: this.#at(x, y, 10), x, y }),
      leave: () => this.#emit("hover", { row: -1, x: 0, y: 0 }),
      click: (x, y) => this.#emit("click", { row: this.#at(x, y, 14) }),
      pan: (dx, dy) => this.move(() => this.camera.pan(dx, dy)),
      zoom: (factor, x, y) => this.move(() => this.camera.zoomAt(factor, x, y)),
      lassoing: () => this.lassoing,
      lasso: (path, done) => this.#lasso(path, done),
    });
  }

  #emit(name, detail) {
    this.events.dispatchEvent(new CustomEvent(name, { detail }));
  }

  on(name, listener) {
    this.events.addEventListener(name, (event) => listener(/** @type {CustomEvent} */ (event).detail));
  }

  #resize() {
    const { clientWidth, clientHeight } = this.frame;
    this.ratio = Math.min(2, devicePixelRatio || 1);
    for (const canvas of this.frame.querySelectorAll("canvas")) {
      canvas.width = Math.max(1, Math.round(clientWidth * this.ratio));
      canvas.height = Math.max(1, Math.round(clientHeight * this.ratio));
    }
    this.camera.width = Math.max(1, clientWidth);
    this.camera.height = Math.max(1, clientHeight);
    this.overlay.dirty = true;
    this.redraw();
  }

  /** @param {{top: number, right: number, bottom: number, left: number}} insets what cards cover */
  setInsets(insets) {
    this.camera.insets = insets;
    this.redraw();
  }

  /**
   * Show other places of the rows; the camera fits them.
   * @param {Float32Array} positions x, y of each row in [-1, 1]
   * @param {boolean} animate
   */
  setPositions(positions, animate) {
    const order = this.order;
    const to = gathered(positions, order, 2);
    const moving = animate && this.positions && !stillness();
    this.renderer.setPositions(moving ? this.shown : to, to);
    this.shown = to;
    this.positions = positions;
    this.complete = false;
    this.grid = null;
    this.camera.bounds = middleBounds(positions);
    this.camera.fit();
    this.morph = moving ? performance.now() : null;
    this.#countRows();
    this.redraw();
  }

  /** Grid for picking, built when first needed. @returns {Grid} */
  get picking() {
    this.grid ??= new Grid(this.positions);
    return this.grid;
  }

  #countRows() {
    if (!this.positions) return;
    this.counts = densityCounts(this.positions, this.state, this.camera.bounds);
    this.#inkDensity();
  }

  #inkDensity() {
    if (this.counts) this.renderer.setRaster("density", densityRaster(this.counts, this.ink));
  }

  /** @param {Float32Array} values one per row @param {boolean} number */
  setValues(values, number) {
    this.renderer.setValues(gathered(values, this.order, 1), number);
    this.redraw();
  }

  /** @param {Uint8Array} state one per row; bit 0: hidden, bit 1: faint */
  setState(state) {
    let changed = 0; // bits that some row has otherwise; a loop, as a million calls would be felt
    for (let row = 0; row < state.length; row += 1) changed |= state[row] ^ this.state[row];
    if (!changed) return;
    this.state = state;
    this.renderer.setState(gathered(state, this.order, 1));
    if (changed & 1) this.#countRows();
    this.redraw();
  }

  /**
   * @param {Uint8Array} rgba 256 colors
   * @param {{ground: number[], missing: number[], ink: number[], css: Object}} theme
   */
  setColors(rgba, theme) {
    this.ink = theme.ink;
    this.overlay.ink = theme.css;
    this.overlay.dirty = true;
    this.renderer.setColors(rgba, theme.ground, theme.missing);
    this.#inkDensity();
    this.redraw();
  }

  setRegions(raster) {
    this.renderer.setRaster("regions", raster);
    this.redraw();
  }

  /** @param {Partial<import("./overlay.js").Marks>} marks */
  mark(marks) {
    Object.assign(this.marks, marks);
    this.overlay.dirty = true;
    this.redraw();
  }

  /** Whether dragging draws a lasso. @param {boolean} on */
  setLassoing(on) {
    this.lassoing = on;
    this.surface.classList.toggle("lassoing", on);
    this.#emit("lassoing", { on });
  }

  /** @param {() => void} change of the camera */
  move(change) {
    change();
    this.movedAt = performance.now();
    this.redraw();
    this.settled();
  }

  /** Bring a row into sight if it is not. @param {number} row */
  reveal(row) {
    const at = this.place(row);
    if (!at || this.#seen(at)) return;
    this.move(() => {
      this.camera.x = this.positions[2 * row];
      this.camera.y = this.positions[2 * row + 1];
    });
  }

  /** Show a row and others so that they fill the view. @param {number} row @param {number[]} others */
  zoomTo(row, others) {
    const [x, y] = [this.positions[2 * row], this.positions[2 * row + 1]];
    if (!(x === x && y === y)) return;
    let reach = 0;
    for (const other of others) {
      const gap = Math.max(Math.abs(this.positions[2 * other] - x), Math.abs(this.positions[2 * other + 1] - y));
      if (gap > reach) reach = gap;
    }
    const [x0, x1, y0, y1] = this.camera.bounds;
    const whole = Math.max(x1 - x0, y1 - y0);
    this.move(() => {
      this.camera.x = x;
      this.camera.y = y;
      this.camera.zoom = Math.min(MOST_ZOOM, Math.max(1, (0.4 * whole) / Math.max(reach, whole / 1000)));
    });
  }

  /** Show a place that is not seen, together with all rows. @param {[number, number]} place */
  revealPlace([x, y]) {
    if (!this.#seen(this.camera.toScreen(x, y))) this.move(() => this.camera.include(x, y));
  }

  #seen(at) {
    const { top, right, bottom, left } = this.camera.insets;
    return at[0] > left && at[0] < this.camera.width - right && at[1] > top && at[1] < this.camera.height - bottom;
  }

  /** Screen position of a row, or null. @param {number} row @returns {[number, number]|null} */
  place(row) {
    if (!this.positions) return null;
    const x = this.positions[2 * row];
    const y = this.positions[2 * row + 1];
    return x === x && y === y ? this.camera.toScreen(x, y) : null;
  }

  visible = (row) => (this.state[row] & 1) === 0;

  #at(sx, sy, reach) {
    if (!this.positions) return -1;
    const [x, y] = this.camera.toPlane(sx, sy);
    return this.picking.nearest(x, y, reach / this.camera.scale, this.visible);
  }

  #lasso(path, done) {
    if (!done) {
      this.mark({ lasso: path.length ? path : null });
      return;
    }
    const polygon = path.map(([x, y]) => this.camera.toPlane(x, y));
    this.mark({ lasso: null });
    this.#emit("lasso", { rows: this.picking.inside(polygon, this.visible) });
  }

  /** Radius of a point in CSS pixels: small where there are many, growing as one zooms in. */
  get radius() {
    const base =
      this.nRows > 300_000 ? 1 : this.nRows > 30_000 ? 1.5 : this.nRows > 5000 ? 2.4 : this.nRows > 800 ? 3.6 : 4.6;
    const small = Math.min(
      1,
      Math.max(0.62, (this.camera.fitScale * (this.camera.bounds[1] - this.camera.bounds[0])) / 620),
    );
    return Math.min(9, base * small * this.camera.zoom ** 0.32);
  }

  redraw() {
    this.request ??= requestAnimationFrame((now) => this.#frame(now));
  }

  #frame(now) {
    this.request = null;
    const mix = this.morph === null || this.morph === undefined ? 1 : Math.min(1, (now - this.morph) / MORPH);
    const eased = mix < 0.5 ? 4 * mix ** 3 : 1 - (2 - 2 * mix) ** 3 / 2;
    const complete = this.renderer.draw({
      view: this.camera.clip,
      mix: eased,
      chunk: this.budget.points(now, mix < 1 || now - this.movedAt < STILL, !this.complete),
      size: Math.max(1, this.radius * 2 * this.ratio),
      alpha: this.nRows > 30_000 ? 0.75 : 0.88,
      density: mix < 1 ? 0 : 0.2 / Math.max(1, this.camera.zoom) ** 0.5,
    });
    this.overlay.draw(
      this.marks,
      (row) => this.place(row),
      ([x, y]) => this.camera.toScreen(x, y),
      this.ratio,
      this.radius,
    );
    for (const layer of this.layers) layer.draw(this, mix < 1);
    if (mix >= 1) this.morph = null;
    if (mix < 1 || !complete) this.redraw();
    this.#noteDrawn(complete);
  }

  /** Say when the first and when all rows were drawn for the first time, for whoever waits or measures. */
  #noteDrawn(complete) {
    this.complete = complete;
    if (!this.positions) return;
    this.frames += 1;
    if (this.frames === 1) performance.mark("first rows drawn");
    if (!complete || !this.tellDrawn) return;
    performance.mark("all rows drawn");
    this.tellDrawn();
    this.tellDrawn = null;
  }
}
