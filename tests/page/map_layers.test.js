/** What is drawn over the points: contours enclose the shares they say, names have room, pictures are spread. */

import assert from "node:assert/strict";
import test from "node:test";

import { placed } from "../../src/lookalike/web/static/js/scatter/area_names.js";
import { Camera } from "../../src/lookalike/web/static/js/scatter/camera.js";
import { contour, levelsOf } from "../../src/lookalike/web/static/js/scatter/contours.js";
import { Grid } from "../../src/lookalike/web/static/js/scatter/grid.js";
import { chosen } from "../../src/lookalike/web/static/js/scatter/row_images.js";

const SIZE = 64;

function hill() {
  const cells = new Float32Array(SIZE * SIZE);
  for (let i = 0; i < cells.length; i += 1) {
    const [x, y] = [((i % SIZE) + 0.5) / SIZE - 0.5, (Math.floor(i / SIZE) + 0.5) / SIZE - 0.5];
    cells[i] = Math.exp(-(x * x + y * y) / 0.02);
  }
  return { cells, size: SIZE, extent: [-0.5, 0.5, -0.5, 0.5] };
}

function camera() {
  const found = new Camera();
  [found.width, found.height] = [800, 600];
  return found;
}

test("the cells above a level hold the share that it is of, and no fewer would", () => {
  const { cells } = hill();
  const total = cells.reduce((sum, value) => sum + value, 0);
  levelsOf(cells, [0.25, 0.5, 0.9]).forEach((level, i) => {
    const share = (least) => cells.reduce((sum, value) => sum + (value >= least ? value : 0), 0) / total;
    assert.ok(share(level) >= [0.25, 0.5, 0.9][i]);
    assert.ok(share(level * 1.0001) < [0.25, 0.5, 0.9][i] + 0.02);
  });
  assert.deepEqual(levelsOf(new Float32Array(4)), []);
});

test("a contour of a round hill is a circle at the height of its level", () => {
  const pieces = contour(hill(), 0.5);
  const radius = Math.sqrt(0.02 * Math.LN2);
  assert.ok(pieces.length > 40);
  for (let i = 0; i < pieces.length; i += 2) assert.ok(Math.abs(Math.hypot(pieces[i], pieces[i + 1]) - radius) < 0.005);
});

test("names that would lie over another wait until one zooms in, and none is said twice", () => {
  const names = [
    [0, 0, "a"],
    [0.02, 0, "b"],
    [0.5, 0.5, "c"],
    [-0.5, 0.5, "a"],
  ].map(([x, y, name]) => ({ area: { x, y, rows: 1, name }, width: 60, height: 16 }));
  const seen = (view) => [...placed(names, view)].map(({ area }) => area.name);
  const far = camera();
  assert.deepEqual(seen(far), ["a", "c"]);
  const near = camera();
  near.zoom = 20;
  assert.deepEqual(seen(near), ["a", "b"]);
});

test("pictures are shown once there is room, one in each square, and not of hidden rows", () => {
  const positions = new Float32Array(2 * 2000).map((_, i) => 2 * ((i * 0.6180339887) % 1) - 1 + 0.3 * Math.sin(i * i));
  const scatter = { camera: camera(), positions, picking: new Grid(positions), visible: (row) => row % 2 === 0 };
  assert.deepEqual(chosen(scatter, 32), []);
  scatter.camera.zoom = 4;
  const rows = chosen(scatter, 32);
  assert.ok(rows.length > 3);
  assert.ok(rows.every((row) => row % 2 === 0));
  scatter.camera.pan(0.5, 0.5);
  const again = chosen(scatter, 32).filter((row) => rows.includes(row));
  assert.ok(again.length >= rows.length - 3, "they stay while one pans");
});
