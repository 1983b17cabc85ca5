/** Lines of equal density over the map: each encloses a share of the rows. */

import { blurred } from "./density.js";

export const ENCLOSED = [0.25, 0.5, 0.75, 0.9]; // shares of the rows
const SMOOTHING = 8; // passes over the raster, so that lines are of the shape and not of single rows

/**
 * The densities above which the densest cells together hold each share of the rows.
 * @param {Float32Array} cells @param {number[]} shares
 * @returns {number[]}
 */
export function levelsOf(cells, shares = ENCLOSED) {
  const sorted = Float32Array.from(cells).sort().reverse();
  const total = sorted.reduce((sum, value) => sum + value, 0);
  if (!(total > 0)) return [];
  const levels = [];
  let [sum, at] = [0, 0];
  for (const share of shares) {
    while (at < sorted.length && sum < share * total) sum += sorted[at++];
    levels.push(sorted[Math.max(0, at - 1)]);
  }
  return levels;
}

/**
 * Pieces of the line at one density, in the plane: x0, y0, x1, y1 of each (marching squares over the middles of cells).
 * @param {{cells: Float32Array, size: number, extent: number[]}} counts @param {number} level
 * @returns {Float32Array}
 */
export function contour({ cells, size, extent }, level) {
  const pieces = [];
  const stepX = (extent[1] - extent[0]) / size;
  const stepY = (extent[3] - extent[2]) / size;
  const between = (a, b) => (a === b ? 0.5 : (level - a) / (b - a));
  for (let line = 0; line + 1 < size; line += 1) {
    for (let column = 0; column + 1 < size; column += 1) {
      const at = line * size + column;
      const corners = [cells[at], cells[at + 1], cells[at + size + 1], cells[at + size]];
      const above = corners.map((value) => value >= level);
      if (above.every((one) => one === above[0])) continue;
      const x = extent[0] + (column + 0.5) * stepX;
      const y = extent[2] + (line + 0.5) * stepY;
      const crossings = [
        above[0] !== above[1] && [x + stepX * between(corners[0], corners[1]), y],
        above[1] !== above[2] && [x + stepX, y + stepY * between(corners[1], corners[2])],
        above[3] !== above[2] && [x + stepX * between(corners[3], corners[2]), y + stepY],
        above[0] !== above[3] && [x, y + stepY * between(corners[0], corners[3])],
      ].filter(Boolean);
      for (let i = 0; i + 1 < crossings.length; i += 2) pieces.push(...crossings[i], ...crossings[i + 1]);
    }
  }
  return Float32Array.from(pieces);
}

/** Draws the lines over the points. */
export class Contours {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.shown = false;
    this.ink = "#000";
    /** @type {import("./density.js").Counts|null} that the lines are of */
    this.counts = null;
    /** @type {Float32Array[]} */
    this.lines = [];
  }

  /** @param {import("./scatter.js").Scatter} scatter @param {boolean} moving */
  draw(scatter, moving) {
    this.canvas.hidden = !this.shown || moving || !scatter.counts;
    if (this.canvas.hidden) return;
    if (this.counts !== scatter.counts) {
      this.counts = scatter.counts;
      const smooth = { ...this.counts, cells: blurred(this.counts.cells, this.counts.size, SMOOTHING) };
      this.lines = levelsOf(smooth.cells).map((level) => contour(smooth, level));
    }
    const { context: c } = this;
    const { camera, ratio } = scatter;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, camera.width, camera.height);
    c.strokeStyle = this.ink;
    this.lines.forEach((pieces, i) => {
      c.beginPath();
      for (let at = 0; at < pieces.length; at += 4) {
        c.moveTo(...camera.toScreen(pieces[at], pieces[at + 1]));
        c.lineTo(...camera.toScreen(pieces[at + 2], pieces[at + 3]));
      }
      c.lineWidth = 1.6 - 0.25 * i;
      c.globalAlpha = 0.85 - 0.15 * i;
      c.stroke();
    });
    c.globalAlpha = 1;
  }
}
