"""What each column or word adds to an answer."""

from __future__ import annotations

import numpy as np

from lookalike.explain.prediction.column_effects import (
    MAX_DONOR_ROWS,
    MIN_DONOR_ROWS,
    column_effects,
    word_effects,
)


def test_effects_of_a_sum_are_the_distances_from_the_means_of_the_others():
    rng = np.random.default_rng(0)
    others = {name: rng.normal(size=MAX_DONOR_ROWS) for name in "abc"}
    row = {name: np.array([value]) for name, value in zip("abc", (1.0, -4.0, 0.5), strict=True)}
    weights = {"a": 2.0, "b": 1.0, "c": 0.0}
    found = dict(column_effects(lambda t: sum(weights[n] * t[n] for n in "abc"), row, others))
    for name in "abc":
        wanted = weights[name] * (row[name][0] - others[name].mean())
        np.testing.assert_allclose(found[name], wanted, atol=1e-12)
    assert list(found) == ["b", "a", "c"]


def test_many_columns_are_taken_from_few_rows_and_categories_stay_as_they_are():
    asked = []

    def score(table):
        asked.append(len(table["c0"]))
        return (table["c1"] == "x").astype(float)

    row = {f"c{j}": np.array(["x"], object) for j in range(10_000)}
    others = {name: np.array(["x", "y"] * 500, object) for name in row}
    found = column_effects(score, row, others)
    assert max(asked) == MIN_DONOR_ROWS
    assert found[0][0] == "c1"
    assert {effect for _, effect in found[1:]} == {0.0}


def test_a_word_that_comes_twice_is_left_out_twice():
    found = word_effects(lambda texts: np.array([t.count("good") for t in texts]), "good is good")
    assert found == [("good", 2.0), ("is", 0.0)]


def test_a_difference_that_is_rounding_is_no_effect():
    def score(table):
        return np.where(table["a"] == 3.0, 0.3, 0.1 + 0.2)

    row, others = {"a": np.array([3.0])}, {"a": np.array([1.0, 2.0])}
    assert column_effects(score, row, others) == [("a", 0.0)]
    assert (
        word_effects(lambda texts: 0.3 + 4e-17 * np.array(list(map(len, texts))), "a b")[0][1] == 0
    )
