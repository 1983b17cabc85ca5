/** How many points lie where: drawn below them as a raster, it holds for all rows at any size. */

const MANY_ROWS = 50_000; // have a finer raster, whose sparse cells are drawn darker

/** @typedef {{cells: Float32Array, size: number, extent: number[], rows: number}} Counts blurred, of each cell */

/**
 * Count the rows that are not hidden.
 * @param {Float32Array} positions
 * @param {Uint8Array} state one per row; bit 0: hidden
 * @param {[number, number, number, number]} bounds
 * @returns {Counts}
 */
export function densityCounts(positions, state, bounds) {
  const n = positions.length / 2;
  const size = n > MANY_ROWS ? 256 : 128;
  const [x0, x1, y0, y1] = bounds;
  const half = 0.54 * Math.max(x1 - x0, y1 - y0, 1e-9); // square cells: the blur is round
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
  const extent = [x - half, x + half, y - half, y + half];
  const perX = size / (extent[1] - extent[0]);
  const perY = size / (extent[3] - extent[2]);
  const cells = new Float32Array(size * size);
  for (let i = 0; i < n; i += 1) {
    const column = Math.floor((positions[2 * i] - extent[0]) * perX);
    const line = Math.floor((positions[2 * i + 1] - extent[2]) * perY);
    if (column === column && line === line && !(state[i] & 1)) cells[line * size + column] += 1;
  }
  return { cells: blurred(cells, size, 3), size, extent, rows: n };
}

/**
 * @param {Counts} counts
 * @param {number[]} ink red, green, blue in 0..255
 * @returns {{rgba: Uint8Array, size: number, extent: number[]}}
 */
export function densityRaster({ cells, size, extent, rows }, ink) {
  let most = 0;
  for (const value of cells) if (value > most) most = value;
  const rgba = new Uint8Array(size * size * 4);
  for (let c = 0; c < cells.length; c += 1) {
    rgba.set(ink, 4 * c);
    rgba[4 * c + 3] = most > 0 ? Math.round(255 * (cells[c] / most) ** (rows > MANY_ROWS ? 0.5 : 0.9)) : 0;
  }
  return { rgba, size, extent };
}

/**
 * Spread counts over the cells around each, in passes.
 * @param {Float32Array} cells
 * @param {number} size
 * @param {number} passes
 */
export function blurred(cells, size, passes) {
  for (let pass = 0; pass < passes; pass += 1) cells = alongLines(alongLines(cells, size, 1, size), size, size, 1);
  return cells;
}

function alongLines(cells, size, step, line) {
  const out = new Float32Array(cells.length);
  for (let l = 0; l < size; l += 1) {
    for (let i = 0; i < size; i += 1) {
      const at = l * line + i * step;
      const before = i > 0 ? cells[at - step] : 0;
      const after = i < size - 1 ? cells[at + step] : 0;
      out[at] = (before + 2 * cells[at] + after) / 4;
    }
  }
  return out;
}
