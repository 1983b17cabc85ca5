/** Lists that are shown in parts lose nothing, and end with their last part. */

import assert from "node:assert/strict";
import test from "node:test";

import "./fake_dom.js";
import { showInParts } from "../../src/lookalike/web/static/js/paging.js";

test("each press of the button adds the next part, until all is there", () => {
  const shown = [];
  const items = Array.from({ length: 25 }, (_, i) => i);
  const more = /** @type {any} */ (showInParts(items, 10, (part) => shown.push(...part)));
  let removed = false;
  more.remove = () => (removed = true);
  assert.deepEqual(shown, items.slice(0, 10));
  more.listeners.click();
  assert.deepEqual(shown, items.slice(0, 20));
  assert.equal(removed, false);
  more.listeners.click();
  assert.deepEqual(shown, items);
  assert.equal(removed, true);
});

test("what fits into one part has no button", () => {
  assert.equal(
    showInParts([1, 2], 2, () => {}),
    null,
  );
});
