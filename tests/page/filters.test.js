/** Bars of histograms as conditions that the server reads. */

import assert from "node:assert/strict";
import test from "node:test";

import { conditionOf, joined } from "../../src/lookalike/web/static/js/table/filters.js";

/** @type {{kind: string, bars: [any, any][]}} */
const ages = {
  kind: "number",
  bars: [
    [null, 10],
    [10, 20],
    [20, null],
  ],
};

test("an interval has a begin that belongs to it and an end that does not", () => {
  assert.equal(conditionOf("Age", ages, 1, 1), "Age >= 10 and Age < 20");
});

test("the first and the last bar are open where values are beyond", () => {
  assert.equal(conditionOf("Age", ages, 0, 0), "Age < 10");
  assert.equal(conditionOf("Age", ages, 1, 2), "Age >= 10");
});

test("bars of single values end with the last value", () => {
  const classes = {
    kind: "number",
    bars: /** @type {[any, any][]} */ ([
      [1, 1],
      [2, 2],
      [3, 3],
    ]),
  };
  assert.equal(conditionOf("class of 3", classes, 0, 0), "`class of 3` == 1");
  assert.equal(conditionOf("n", classes, 1, 2), "n >= 2 and n <= 3");
});

test("categories are listed, with their quotes", () => {
  const towns = {
    kind: "category",
    bars: /** @type {[any, any][]} */ ([
      ['a"b', 'a"b'],
      ["c", "c"],
    ]),
  };
  assert.equal(conditionOf("town", towns, 0, 0), 'town == "a\\"b"');
  assert.equal(conditionOf("town", towns, 0, 1), 'town in ["a\\"b", "c"]');
});

test("conditions hold together, and an or keeps its parentheses", () => {
  assert.equal(joined(["a > 1 or b > 2", "c == 3", ""]), "(a > 1 or b > 2) and c == 3");
  assert.equal(joined(["a > 1 or b > 2"]), "a > 1 or b > 2");
});
