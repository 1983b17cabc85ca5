/** A grid over the points: which one lies below the pointer, and which lie inside a lasso. */

export class Grid {
  /** @param {Float32Array} positions x, y of each row; NaN: no place */
  constructor(positions) {
    this.positions = positions;
    const n = positions.length / 2;
    this.bounds = boundsOf(positions);
    const [x0, x1, y0, y1] = this.bounds;
    this.side = Math.max(1, Math.min(1024, Math.round(Math.sqrt(n / 3))));
    this.cell = Math.max(x1 - x0, y1 - y0, 1e-9) / this.side;
    const starts = new Uint32Array(this.side * this.side + 1);
    const where = new Int32Array(n);
    for (let i = 0; i < n; i += 1) {
      where[i] = this.#cellOf(positions[2 * i], positions[2 * i + 1]);
      if (where[i] >= 0) starts[where[i] + 1] += 1;
    }
    for (let c = 0; c < starts.length - 1; c += 1) starts[c + 1] += starts[c];
    const fill = starts.slice(0, -1);
    this.items = new Uint32Array(starts[starts.length - 1]);
    for (let i = 0; i < n; i += 1) if (where[i] >= 0) this.items[fill[where[i]]++] = i;
    this.starts = starts;
  }

  #clamp(value, low) {
    return Math.min(this.side - 1, Math.max(0, Math.floor((value - low) / this.cell)));
  }

  #cellOf(x, y) {
    if (!(x === x && y === y)) return -1;
    return this.#clamp(y, this.bounds[2]) * this.side + this.#clamp(x, this.bounds[0]);
  }

  /** Call a function with each row in the cells that touch a rectangle. */
  visit(x0, x1, y0, y1, each) {
    const left = this.#clamp(x0, this.bounds[0]);
    const right = this.#clamp(x1, this.bounds[0]);
    const low = this.#clamp(y0, this.bounds[2]);
    const high = this.#clamp(y1, this.bounds[2]);
    for (let r = low; r <= high; r += 1) {
      for (let at = this.starts[r * this.side + left]; at < this.starts[r * this.side + right + 1]; at += 1)
        each(this.items[at]);
    }
  }

  /**
   * Nearest row to a place within a radius, or -1.
   * @param {number} x @param {number} y @param {number} radius @param {(row: number) => boolean} allowed
   */
  nearest(x, y, radius, allowed) {
    let best = -1;
    let least = radius * radius;
    this.visit(x - radius, x + radius, y - radius, y + radius, (row) => {
      const gap = (this.positions[2 * row] - x) ** 2 + (this.positions[2 * row + 1] - y) ** 2;
      if (gap <= least && allowed(row)) {
        least = gap;
        best = row;
      }
    });
    return best;
  }

  /**
   * Nearest row in a direction: small angles before small distances.
   * @param {number} from row @param {number} dx @param {number} dy @param {(row: number) => boolean} allowed
   */
  toward(from, dx, dy, allowed) {
    const x = this.positions[2 * from];
    const y = this.positions[2 * from + 1];
    for (let reach = this.cell * 2; reach < this.cell * this.side * 4; reach *= 2) {
      let best = -1;
      let least = Infinity;
      this.visit(x - reach, x + reach, y - reach, y + reach, (row) => {
        const ax = this.positions[2 * row] - x;
        const ay = this.positions[2 * row + 1] - y;
        const along = ax * dx + ay * dy;
        const aside = Math.abs(ax * dy - ay * dx);
        if (row === from || along <= 0 || aside > along || along > reach) return;
        const cost = along + 2 * aside;
        if (cost < least && allowed(row)) {
          least = cost;
          best = row;
        }
      });
      if (best >= 0) return best;
    }
    return -1;
  }

  /** Rows inside a polygon. @param {[number, number][]} polygon @param {(row: number) => boolean} allowed */
  inside(polygon, allowed) {
    const xs = polygon.map((corner) => corner[0]);
    const ys = polygon.map((corner) => corner[1]);
    const rows = [];
    this.visit(Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys), (row) => {
      if (allowed(row) && contains(polygon, this.positions[2 * row], this.positions[2 * row + 1])) rows.push(row);
    });
    return rows.sort((a, b) => a - b);
  }
}

/** @param {[number, number][]} polygon @param {number} x @param {number} y (even-odd rule) */
export function contains(polygon, x, y) {
  let odd = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i, i += 1) {
    const [ax, ay] = polygon[i];
    const [bx, by] = polygon[j];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd;
  }
  return odd;
}

/** @param {Float32Array} positions @returns {[number, number, number, number]} x0, x1, y0, y1 */
export function boundsOf(positions) {
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 2) {
    const x = positions[i];
    const y = positions[i + 1];
    if (!(x === x && y === y)) continue;
    if (x < x0) x0 = x;
    if (x > x1) x1 = x;
    if (y < y0) y0 = y;
    if (y > y1) y1 = y;
  }
  return x0 <= x1 ? [x0, x1, y0, y1] : [-1, 1, -1, 1];
}

const FEWEST_TO_CUT = 200; // rows; of fewer all are shown
const MOST_SORTED = 20_000; // rows that the ends are taken from
const TAIL_SHARE = 0.005; // of the rows at either end, which a few far ones may not stretch

/**
 * The bounds of the middle 99% of the rows in either direction, with some room.
 * @param {Float32Array} positions
 * @returns {[number, number, number, number]}
 */
export function middleBounds(positions) {
  const n = positions.length / 2;
  const all = boundsOf(positions);
  if (n < FEWEST_TO_CUT) return all;
  const step = Math.max(1, Math.floor(n / MOST_SORTED));
  const ends = [0, 1].flatMap((axis) => {
    const values = [];
    for (let row = 0; row < n; row += step) {
      const value = positions[2 * row + axis];
      if (value === value) values.push(value);
    }
    if (!values.length) return all.slice(2 * axis, 2 * axis + 2);
    values.sort((a, b) => a - b);
    const low = values[Math.floor(TAIL_SHARE * (values.length - 1))];
    const high = values[Math.ceil((1 - TAIL_SHARE) * (values.length - 1))];
    const room = 0.04 * (high - low);
    return [Math.max(all[2 * axis], low - room), Math.min(all[2 * axis + 1], high + room)];
  });
  return /** @type {[number, number, number, number]} */ (ends);
}
