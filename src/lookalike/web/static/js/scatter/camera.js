/** Which part of the plane is seen. Screen coordinates are CSS pixels. */

export class Camera {
  constructor() {
    this.width = 1;
    this.height = 1;
    this.insets = { top: 0, right: 0, bottom: 0, left: 0 };
    /** @type {[number, number, number, number]} */
    this.bounds = [-1, 1, -1, 1];
    this.x = 0;
    this.y = 0;
    this.zoom = 1;
  }

  /** Pixels per unit when everything fits. */
  get fitScale() {
    return this.#scaleOf(this.bounds);
  }

  #scaleOf([x0, x1, y0, y1]) {
    const { top, right, bottom, left } = this.insets;
    const wide = Math.max(40, this.width - left - right);
    const high = Math.max(40, this.height - top - bottom);
    return Math.min(wide / Math.max(x1 - x0, 1e-9), high / Math.max(y1 - y0, 1e-9));
  }

  get scale() {
    return this.fitScale * this.zoom;
  }

  /** Screen position of the camera's center: the middle of what no card covers. */
  get middle() {
    const { top, right, bottom, left } = this.insets;
    return [(left + this.width - right) / 2, (top + this.height - bottom) / 2];
  }

  fit() {
    const [x0, x1, y0, y1] = this.bounds;
    this.x = (x0 + x1) / 2;
    this.y = (y0 + y1) / 2;
    this.zoom = 1;
  }

  /** Show everything, and a place beyond it. @param {number} x @param {number} y */
  include(x, y) {
    const [x0, x1, y0, y1] = this.bounds;
    /** @type {[number, number, number, number]} */
    const wider = [Math.min(x0, x), Math.max(x1, x), Math.min(y0, y), Math.max(y1, y)];
    this.x = (wider[0] + wider[1]) / 2;
    this.y = (wider[2] + wider[3]) / 2;
    this.zoom = (0.97 * this.#scaleOf(wider)) / this.fitScale;
  }

  get fits() {
    const [x0, x1, y0, y1] = this.bounds;
    return this.zoom === 1 && this.x === (x0 + x1) / 2 && this.y === (y0 + y1) / 2;
  }

  /** @param {number} x @param {number} y @returns {[number, number]} */
  toScreen(x, y) {
    const [mx, my] = this.middle;
    return [mx + (x - this.x) * this.scale, my - (y - this.y) * this.scale];
  }

  /** @param {number} sx @param {number} sy @returns {[number, number]} */
  toPlane(sx, sy) {
    const [mx, my] = this.middle;
    return [this.x + (sx - mx) / this.scale, this.y - (sy - my) / this.scale];
  }

  /** @param {number} dx pixels @param {number} dy pixels */
  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  /** Zoom so that the place below a screen position stays there. */
  zoomAt(factor, sx, sy) {
    const [px, py] = this.toPlane(sx, sy);
    this.zoom = Math.min(5000, Math.max(0.3, this.zoom * factor));
    const [nx, ny] = this.toPlane(sx, sy);
    this.x += px - nx;
    this.y += py - ny;
  }

  /** Scale and offset to clip space. @returns {[number, number, number, number]} */
  get clip() {
    const [mx, my] = this.middle;
    const sx = (2 * this.scale) / this.width;
    const sy = (2 * this.scale) / this.height;
    return [sx, sy, (2 * mx) / this.width - 1 - this.x * sx, 1 - (2 * my) / this.height - this.y * sy];
  }
}
