/** The page writes a figure as Python does: both run the cases of number_cases.json. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { cell, count, formatted, number, percent, plural, rowName } from "../../src/lookalike/web/static/js/format.js";

const cases = JSON.parse(readFileSync(new URL("./number_cases.json", import.meta.url), "utf-8"));
for (const [name, written] of Object.entries({ number, percent, count })) {
  test(`${name} writes every case as Python does`, () => {
    for (const [value, text] of cases[name]) assert.equal(written(value), text);
  });
}

test("what is not a number is a dash, and infinity its sign", () => {
  for (const missing of [null, undefined, Number.NaN]) assert.equal(number(missing), "–");
  assert.deepEqual([number(Infinity), number(-Infinity)], ["∞", "−∞"]);
});

test("a noun follows its number", () => {
  assert.deepEqual(
    [plural(1, "row"), plural(1797, "row"), plural(2, "class", "classes")],
    ["1 row", "1,797 rows", "2 classes"],
  );
});

test("cells of a table show what they hold, and a dash where they are empty", () => {
  assert.deepEqual(
    [cell(""), cell(0.123456), cell(true), cell([1, "a"]), cell("<b>")],
    ["–", "0.1235", "yes", "1, a", "<b>"],
  );
  assert.equal(rowName(12345), "Row 12,345");
});

test("every format code writes every case as Python does", () => {
  const written = JSON.parse(readFileSync(new URL("./format_cases.json", import.meta.url), "utf-8"));
  for (const [code, value, text] of written) assert.equal(formatted(code, value), text, `${code} of ${value}`);
});
