/** Points are drawn in a shuffled order, found by a grid, and seen through a camera. */
import assert from "node:assert/strict";
import test from "node:test";

import { Camera } from "../../src/lookalike/web/static/js/scatter/camera.js";
import { densityCounts } from "../../src/lookalike/web/static/js/scatter/density.js";
import { FrameBudget } from "../../src/lookalike/web/static/js/scatter/frame_budget.js";
import { Grid, contains, middleBounds } from "../../src/lookalike/web/static/js/scatter/grid.js";
import { gathered, shuffledOrder } from "../../src/lookalike/web/static/js/scatter/shuffle.js";

test("the drawing order is a permutation, the same each time", () => {
  const order = shuffledOrder(1000);
  assert.deepEqual(
    [...order].sort((a, b) => a - b),
    [...Array(1000).keys()],
  );
  assert.deepEqual(order, shuffledOrder(1000));
  assert.notDeepEqual([...order], [...Array(1000).keys()]);
});

test("entries follow their rows into the drawing order, in an array of their type", () => {
  const values = Float32Array.of(0, 1, 10, 11, 20, 21);
  const moved = gathered(values, Uint32Array.of(2, 0, 1), 2);
  assert.ok(moved instanceof Float32Array);
  assert.deepEqual([...moved], [20, 21, 0, 1, 10, 11]);
});

test("the grid finds the point that the slow search finds", () => {
  const positions = Float32Array.from({ length: 400 }, (_, i) => Math.sin(i * 12.9898) * 10);
  const grid = new Grid(positions);
  const everyone = () => true;
  for (let q = 0; q < 50; q += 1) {
    const [x, y] = [Math.cos(q) * 8, Math.sin(q * 3) * 8];
    let best = -1;
    let least = 2 * 2;
    for (let row = 0; row < 200; row += 1) {
      const squared = (positions[2 * row] - x) ** 2 + (positions[2 * row + 1] - y) ** 2;
      if (squared < least) [best, least] = [row, squared];
    }
    assert.equal(grid.nearest(x, y, 2, everyone), best);
  }
});

test("a lasso holds the points inside it, of those that may be chosen", () => {
  const grid = new Grid(Float32Array.of(0, 0, 1, 1, 5, 5, Number.NaN, 0));
  const square = [
    [-1, -1],
    [2, -1],
    [2, 2],
    [-1, 2],
  ];
  assert.deepEqual(
    grid.inside(square, () => true),
    [0, 1],
  );
  assert.deepEqual(
    grid.inside(square, (row) => row !== 0),
    [1],
  );
  assert.ok(!contains(square, 5, 5));
});

test("a position on the screen is the place that it came from", () => {
  const camera = new Camera();
  Object.assign(camera, { width: 640, height: 480, bounds: [-3, 5, 0, 2] });
  camera.fit();
  camera.zoomAt(1.7, 100, 50);
  const [x, y] = camera.toPlane(...camera.toScreen(1.25, 0.5));
  assert.ok(Math.abs(x - 1.25) < 1e-9 && Math.abs(y - 0.5) < 1e-9);
});

test("a few rows far away do not stretch the view of all others", () => {
  const positions = new Float32Array(2 * 1000);
  for (let row = 0; row < 1000; row += 1) {
    positions[2 * row] = (row % 100) / 100;
    positions[2 * row + 1] = Math.floor(row / 100) / 10;
  }
  positions[0] = 500;
  const [x0, x1, y0, y1] = middleBounds(positions);
  assert.ok(x0 >= 0 && x1 < 1.1 && y0 >= 0 && y1 <= 0.95);
});

test("of few rows all are in view", () => {
  assert.deepEqual(middleBounds(new Float32Array([0, 0, 1, 2, 900, 3])), [0, 900, 0, 3]);
});

test("a resting map draws more points a frame than a moving one, and fewer as soon as frames are slow", () => {
  const pointsAfter = (frames, milliseconds, moving) => {
    const budget = new FrameBudget(1_000_000);
    let points = 0;
    for (let frame = 0; frame <= frames; frame += 1) points = budget.points(frame * milliseconds, moving, frame > 0);
    return points;
  };
  assert.ok(pointsAfter(8, 16, false) > 10 * pointsAfter(8, 16, true));
  assert.ok(pointsAfter(30, 400, false) < pointsAfter(0, 400, false));
  assert.ok(pointsAfter(30, 60, true) < pointsAfter(0, 60, true));
});

test("the time between two pictures says nothing about how long a frame takes", () => {
  const budget = new FrameBudget(1_000_000);
  const first = budget.points(0, false, false);
  assert.equal(budget.points(90_000, false, false), first);
});

test("rows that are hidden or without a place are not counted", () => {
  const positions = Float32Array.of(0, 0, 1, 1, Number.NaN, 0, 1, 0);
  const { cells } = densityCounts(positions, Uint8Array.of(0, 0, 0, 1), [0, 1, 0, 1]);
  const total = cells.reduce((sum, value) => sum + value, 0);
  assert.ok(total > 1.5 && total <= 2); // some is blurred over the edge
});
