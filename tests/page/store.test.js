/** What the page shows is one state: listeners hear of what changed, and the address keeps it. */
import assert from "node:assert/strict";
import test from "node:test";

import { Store } from "../../src/lookalike/web/static/js/store.js";
import { fromAddress, toAddress } from "../../src/lookalike/web/static/js/url.js";

const START = {
  map: "pca",
  color: "target",
  k: 5,
  row: null,
  tab: "row",
  hidden: [],
  view: null,
  regions: false,
  contours: false,
  names: true,
  panel: true,
};

test("listeners of entries that differ are called once, others are not", () => {
  const store = new Store(START);
  const calls = [];
  store.on(["k"], (state, before) => calls.push([before.k, state.k]));
  store.on(["map"], () => calls.push("map"));
  store.set({ k: 7, color: "predicted" });
  store.set({ k: 7 });
  assert.deepEqual(calls, [[5, 7]]);
});

test("equal lists are not a change", () => {
  const store = new Store({ ...START, hidden: [1, 2] });
  let calls = 0;
  store.on(null, () => (calls += 1));
  store.set({ hidden: [1, 2] });
  assert.equal(calls, 0);
});

test("an address gives back the state that it was made of", () => {
  const state = { ...START, k: 9, row: 12, hidden: [0, 3], regions: true, contours: true, names: false };
  assert.deepEqual(fromAddress(toAddress(state, START), START, 100), state);
});

test("an address of another table does not select a row that is not there", () => {
  const address = toAddress({ ...START, row: 99 }, START);
  assert.equal(fromAddress(address, START, 10).row, null);
});
