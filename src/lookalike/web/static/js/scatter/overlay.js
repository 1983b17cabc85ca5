/** What is drawn over the points: the selected row, its neighbors, torn ones, a lasso, a new item. */

/**
 * @typedef {Object} Marks
 * @property {number|null} hover row
 * @property {number|null} row selected
 * @property {number[]} neighbors rows that are near in the original space
 * @property {number[]} torn those of them that the map put far away
 * @property {number[]} strangers rows that are near on the map alone
 * @property {[number, number]|null} query place of a new item
 * @property {[number, number][]|null} lasso screen positions
 */

export class Overlay {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.ink = { ink: "#000", soft: "#555", accent: "#00f", torn: "#c00", ground: "#fff" };
    this.dirty = false;
  }

  /**
   * @param {Marks} marks
   * @param {(row: number) => [number, number]|null} place screen position of a row
   * @param {(point: [number, number]) => [number, number]} toScreen
   * @param {number} ratio device pixels per CSS pixel
   * @param {number} radius of a point
   */
  draw(marks, place, toScreen, ratio, radius) {
    const used = marks.hover !== null || marks.row !== null || marks.query || marks.lasso;
    if (!used && !this.dirty) return;
    this.canvas.hidden = !used; // an empty picture need not be put over the map
    const c = this.context;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, this.canvas.width / ratio, this.canvas.height / ratio);
    this.dirty = Boolean(used);
    const center = marks.query ? toScreen(marks.query) : marks.row !== null ? place(marks.row) : null;
    if (center) this.#relations(marks, center, place, radius);
    if (marks.row !== null && !marks.query) this.#ring(place(marks.row), radius + 6, this.ink.ink, 2.5);
    if (marks.query && center) this.#diamond(center);
    if (marks.hover !== null) this.#ring(place(marks.hover), radius + 4, this.ink.ink, 1.5);
    if (marks.lasso && marks.lasso.length > 1) this.#lasso(marks.lasso);
  }

  #relations(marks, center, place, radius) {
    const torn = new Set(marks.torn);
    const rows = [...marks.neighbors, ...marks.torn.filter((row) => !marks.neighbors.includes(row))];
    for (const row of rows) this.#line(center, place(row), torn.has(row));
    for (const row of rows) this.#ring(place(row), radius + 3, torn.has(row) ? this.ink.torn : this.ink.accent, 2);
    for (const row of marks.strangers) this.#cross(place(row), radius + 1);
  }

  #line(from, to, torn) {
    if (!to) return;
    const c = this.context;
    c.beginPath();
    c.moveTo(from[0], from[1]);
    c.lineTo(to[0], to[1]);
    c.setLineDash(torn ? [6, 5] : []);
    c.lineWidth = torn ? 1.6 : 1.2;
    c.strokeStyle = torn ? this.ink.torn : this.ink.accent;
    c.globalAlpha = torn ? 0.95 : 0.6;
    c.stroke();
    c.globalAlpha = 1;
    c.setLineDash([]);
  }

  #ring(at, radius, color, width) {
    if (!at) return;
    const c = this.context;
    c.beginPath();
    c.arc(at[0], at[1], radius, 0, 2 * Math.PI);
    c.lineWidth = width + 2.5;
    c.strokeStyle = this.ink.ground;
    c.stroke();
    c.lineWidth = width;
    c.strokeStyle = color;
    c.stroke();
  }

  #cross(at, reach) {
    if (!at) return;
    const c = this.context;
    c.beginPath();
    c.moveTo(at[0] - reach, at[1] - reach);
    c.lineTo(at[0] + reach, at[1] + reach);
    c.moveTo(at[0] - reach, at[1] + reach);
    c.lineTo(at[0] + reach, at[1] - reach);
    c.lineWidth = 1.2;
    c.strokeStyle = this.ink.soft;
    c.stroke();
  }

  #diamond(at) {
    const c = this.context;
    const reach = 10;
    c.beginPath();
    c.moveTo(at[0], at[1] - reach);
    c.lineTo(at[0] + reach, at[1]);
    c.lineTo(at[0], at[1] + reach);
    c.lineTo(at[0] - reach, at[1]);
    c.closePath();
    c.fillStyle = this.ink.accent;
    c.fill();
    c.lineWidth = 2.5;
    c.strokeStyle = this.ink.ground;
    c.stroke();
  }

  #lasso(path) {
    const c = this.context;
    c.beginPath();
    c.moveTo(path[0][0], path[0][1]);
    for (const [x, y] of path.slice(1)) c.lineTo(x, y);
    c.closePath();
    c.globalAlpha = 0.1;
    c.fillStyle = this.ink.accent;
    c.fill();
    c.globalAlpha = 1;
    c.lineWidth = 1.5;
    c.setLineDash([5, 4]);
    c.strokeStyle = this.ink.accent;
    c.stroke();
    c.setLineDash([]);
  }
}
