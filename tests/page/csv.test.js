/** Pasted rows are read as csv is written: quotes keep delimiters, doubled quotes are one. */

import assert from "node:assert/strict";
import test from "node:test";

import { parseCsv, recordsOf } from "../../src/lookalike/web/static/js/csv.js";
import { parseRow } from "../../src/lookalike/web/static/js/panels/query_table.js";

const titanic = {
  columns: [{ name: "Id", used: false }, { name: "Name" }, { name: "Sex" }, { name: "Age" }],
  header: ["Id", "Survived", "Name", "Sex", "Age"],
};

test("a comma between quotes does not end a cell", () => {
  assert.deepEqual(parseCsv('1,"Braund, Mr. Owen",22', ","), [["1", "Braund, Mr. Owen", "22"]]);
});

test("doubled quotes are one, and a quoted cell may hold a line break", () => {
  assert.deepEqual(parseCsv('"a ""b""","c\nd"\r\n1,2\n', ","), [
    ['a "b"', "c\nd"],
    ["1", "2"],
  ]);
});

test("the delimiter is the one that makes the most cells", () => {
  assert.deepEqual(recordsOf("a\tb, c\td"), [["a", "b, c", "d"]]);
  assert.deepEqual(recordsOf("1;2,5;3"), [["1", "2,5", "3"]]);
});

test("a pasted name with a comma stays one cell", () => {
  const { cells, message } = parseRow('"Braund, Mr. Owen", male, 22', titanic);
  assert.deepEqual(cells, { Name: "Braund, Mr. Owen", Sex: "male", Age: "22" });
  assert.equal(message, "3 cells read.");
});

test("a whole line of the data is read by its header, without the target", () => {
  const { cells } = parseRow('1,0,"Braund, Mr. Owen",male,22', titanic);
  assert.deepEqual(cells, { Id: "1", Name: "Braund, Mr. Owen", Sex: "male", Age: "22" });
});

test("names in a header say which cells they are, and rows after the first are counted", () => {
  const { cells, message } = parseRow("Sex,Age\nfemale,3\nmale,4", titanic);
  assert.deepEqual(cells, { Sex: "female", Age: "3" });
  assert.equal(message, "2 cells read. The first of 2 rows.");
});

test("a row in JSON is taken as it is", () => {
  assert.deepEqual(parseRow('{"Age": 3}', titanic).cells, { Age: 3 });
});

test("cells that cannot be told apart are not guessed", () => {
  const { cells, message } = parseRow("1,2", titanic);
  assert.deepEqual(cells, {});
  assert.equal(message, "2 cells where 3 or 4 or 5 are expected: nothing was read. Paste the header as well.");
});
