"""The evidence of a row is that of the original space, and its contributions add up exactly."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from lookalike.explain.similarity import nearest_distances


@pytest.mark.parametrize("name", ["digits", "table", "texts"])
def test_parts_of_contributions_sum_exactly_to_the_score(name, request):
    exploration = request.getfixturevalue(name)
    for row in (0, 7, 14, 21):
        for k in (1, 3, 11):
            contributions = exploration.evidence.of_row(row, k)["contributions"]
            parts = [one["part"] for one in contributions["parts"]]
            assert sum(map(Fraction, parts)) == Fraction(contributions["score"])
            assert math.fsum(parts) == contributions["total"] == contributions["score"]
            assert contributions["score"] >= 0


def test_parts_of_a_predicted_number_sum_exactly_to_it(regression):
    for row in range(20):
        evidence = regression.evidence.of_row(row)
        parts = [Fraction(one["part"]) for one in evidence["contributions"]["parts"]]
        assert sum(parts) == Fraction(evidence["contributions"]["score"])
        assert evidence["contributions"]["score"] == evidence["prediction"]


@pytest.mark.parametrize("name", ["digits", "table", "texts"])
def test_evidence_agrees_with_the_predictions_of_all_rows(name, request):
    exploration = request.getfixturevalue(name)
    for k in (1, 4, 9):
        every = exploration.neighbors.predicted(k)
        for row in range(0, 80, 9):
            evidence = exploration.evidence.of_row(row, k)
            assert str(evidence["prediction"]) == exploration.rows.class_names[every[row]]
            run = next(one for one in evidence["k_ranges"] if one["from"] <= k <= one["to"])
            assert run["prediction"] == evidence["prediction"]


def test_neighbors_are_the_nearest_training_rows_by_brute_force(digits):
    Z, row = digits.neighbors.Z.astype(float), 17
    distance = np.sqrt(((Z - Z[row]) ** 2).sum(axis=1))
    distance[[row, *np.flatnonzero(digits.rows.is_test)]] = np.inf
    expected = np.argsort(distance, kind="stable")[:5]
    found = digits.evidence.of_row(row, 5)["neighbors"]
    assert found[:5] == expected.tolist()


def test_the_percentile_of_a_distance_is_exact(digits):
    nearest = nearest_distances(digits.neighbors.model)
    assert len(nearest) == len(digits.neighbors.row) < 1000
    evidence = digits.evidence.of_row(3)
    own = evidence["distances"][0]
    assert evidence["similarity"]["share"] == np.count_nonzero(nearest < own) / len(nearest)
    far = digits.evidence.explain(np.full((1, 64), 300.0)).percentile
    assert far.no_similar_case
    assert far.share == 1.0


def test_shares_of_columns_are_of_the_columns_as_they_came(table):
    evidence = table.evidence.of_row(2)
    for shares, distance in zip(evidence["neighbor_shares"], evidence["distances"], strict=True):
        assert {one["name"] for one in shares} <= {"a", "b", "c", "town"}
        total = sum(one["share"] for one in shares)
        assert total == pytest.approx(1.0) or distance == 0


def test_removing_the_rows_that_would_flip_a_prediction_flips_it(digits):
    from lookalike.explain.prediction.neighborhood import NeighborVote

    neighbors = digits.neighbors
    for row in range(12):
        evidence = digits.evidence.of_row(row, 3)
        gone = np.append(neighbors.place[evidence["flip"]["rows"]], neighbors.place[row])
        gone = gone[gone >= 0]
        codes = neighbors.model.targets_.codes[:, 0]
        vote = NeighborVote(neighbors.with_k(3), neighbors.Z[[row]], codes, gone).decide()
        winner = digits.rows.class_names[int(vote.winner[0, 0])]
        assert winner == str(evidence["flip"]["label"])
        assert evidence["flip"]["label"] != evidence["prediction"]
