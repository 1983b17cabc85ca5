/** The panel of a row prints the sentences of an explanation as Python wrote them. */
import assert from "node:assert/strict";
import test from "node:test";

import "./fake_dom.js";

const { inLines } = await import("../../src/lookalike/web/static/js/charts/bars.js");
const { evidenceParts, scoreContributions } = await import("../../src/lookalike/web/static/js/panels/evidence.js");
const { neighborsOf } = await import("../../src/lookalike/web/static/js/panels/neighbors.js");

const app = {
  session: { task: "classification", classes: ["a", "b"] },
  theme: { dark: false },
};
const evidence = {
  prediction: "a",
  k: 3,
  neighbors: [4, 7, 9],
  distances: [0.5, 1, 2],
  targets: ["a", "b", "a"],
  neighbor_shares: [[{ name: "x", share: 1 }]],
  votes: { a: 2, b: 1 },
  flip: { rows: [4], label: "b" },
  k_ranges: [
    { from: 1, to: 4, prediction: "a" },
    { from: 5, to: 25, prediction: "b" },
  ],
  similarity: { share: 0.25, n_rows: 100, no_similar_case: false },
  sentences: {
    neighbors: "3 neighbors predict a: 66.7% of the votes, margin 0.3333.",
    flip: "Without its nearest row of class a the prediction would be b. With K = 5 it would be b.",
    k_ranges: "K = 1 to 4: a; 5 to 25: b.",
    similarity: "Its nearest row is farther away than that of 25.0% of 100 training rows.",
  },
  contributions: { parts: [{ row: 4, label: "a", part: 1 }], total: 1, score: 1, of: "a", against: "b" },
};

const textOf = (parts) => parts.map((part) => part?.textContent ?? "").join("\n");

test("every sentence of an explanation is printed as it is", () => {
  const text = textOf(evidenceParts(app, evidence));
  for (const sentence of Object.values(evidence.sentences)) assert.ok(text.includes(sentence), sentence);
});

test("a row without a similar case is a notice", () => {
  const strange = { ...evidence, similarity: { ...evidence.similarity, no_similar_case: true } };
  assert.equal(evidenceParts(app, strange)[0].attributes.class, "notice");
});

test("what is not known is not drawn", () => {
  const bare = { neighbors: [], sentences: {} };
  assert.deepEqual(evidenceParts(app, bare), [null, null, null, null]);
  assert.equal(scoreContributions(app, bare), null);
});

test("a predicted number is told without votes", () => {
  const sentences = { neighbors: "The weighted mean of 2 neighbors is 3.", flip: "Without one it would be 4." };
  const number = { prediction: 3, neighbors: [1, 2], sentences };
  const text = textOf(evidenceParts({ ...app, session: { task: "regression" } }, number));
  for (const sentence of Object.values(sentences)) assert.ok(text.includes(sentence), sentence);
});

test("each neighbor has its distance, label and shares", () => {
  assert.deepEqual(neighborsOf(evidence)[0], {
    row: 4,
    distance: 0.5,
    label: "a",
    shares: [{ name: "x", share: 1 }],
  });
  assert.deepEqual(neighborsOf(evidence)[2].shares, []);
});

test("a long name stands in two lines, broken between its words, and none is lost", () => {
  assert.deepEqual(inLines("Forest neighbors"), ["Forest neighbors"]);
  const [first, second] = inLines("Reference: support vector machine (RBF kernel)");
  assert.equal(`${first} ${second}`, "Reference: support vector machine (RBF kernel)");
  assert.ok(first.length <= 27 && second.length <= 27);
});
