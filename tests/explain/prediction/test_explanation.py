"""An explanation is one frozen value: plain data, sentences, and rows by any numbers."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest

import lookalike
from lookalike import explain_prediction
from lookalike.explain.similarity import nearest_distances

RNG = np.random.default_rng(11)
ROWS = RNG.normal(size=(80, 3))
LABELS = np.array(list("abc"))[RNG.integers(0, 3, size=80)]
NUMBERS = ROWS @ [3.0, 1.0, 0.0] + 2
QUERY = RNG.normal(size=3)

CLASSIFIERS = [
    lookalike.KNeighborsClassifier(5),
    lookalike.KNeighborsClassifier(5, weights="distance", priors="balanced"),
    lookalike.KNeighborsClassifier(5, cost=[[0, 1, 4], [2, 0, 1], [1, 1, 0]]),
    lookalike.KernelDensityClassifier(0.6),
    lookalike.ForestNeighborsClassifier(10, random_state=0),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_parts_of_every_classifier_sum_exactly_to_the_score(model):
    found = explain_prediction(model.fit(ROWS, LABELS), QUERY).contributions
    assert sum(Fraction(one.part) for one in found.parts) == Fraction(found.score)
    assert found.total == found.score


def test_ranges_of_k_are_the_predictions_of_models_with_that_k():
    for weights in ("uniform", "distance"):
        model = lookalike.KNeighborsClassifier(5, weights=weights).fit(ROWS, LABELS)
        found = explain_prediction(model, QUERY)
        assert [run.first for run in found.k_ranges[1:]] == [
            run.last + 1 for run in found.k_ranges[:-1]
        ]
        for run in found.k_ranges:
            for k in range(run.first, run.last + 1):
                other = lookalike.KNeighborsClassifier(k, weights=weights).fit(ROWS, LABELS)
                assert other.predict([QUERY])[0] == run.prediction
        assert found.k_ranges[-1].last == 25


def test_ranges_of_k_leave_out_a_training_row():
    model = lookalike.KNeighborsClassifier(3).fit(ROWS, LABELS)
    for row in range(10):
        found = explain_prediction(model, ROWS[row], leave_out=row, k_max=12)
        rest = np.arange(80) != row
        for run in found.k_ranges:
            other = lookalike.KNeighborsClassifier(run.first).fit(ROWS[rest], LABELS[rest])
            assert other.predict(ROWS[[row]])[0] == run.prediction
        assert found.k_ranges[-1].last == 12


def test_an_explanation_is_frozen_and_plain_data():
    found = explain_prediction(lookalike.KNeighborsClassifier(5).fit(ROWS, LABELS), QUERY)
    with pytest.raises(FrozenInstanceError):
        found.prediction = "b"
    described = found.to_dict()
    assert json.loads(json.dumps(described)) == described
    assert "\n".join(described["sentences"].values()) == str(found)
    assert described["neighbors"] == found.rows.tolist()
    number = explain_prediction(lookalike.KNeighborsRegressor(5).fit(ROWS, NUMBERS), QUERY)
    assert json.loads(json.dumps(number.to_dict())) == number.to_dict()


def test_the_percentile_is_the_share_of_training_rows_with_a_nearer_row():
    model = lookalike.KNeighborsClassifier(3).fit(ROWS, LABELS)
    gaps = np.linalg.norm(ROWS[:, None] - ROWS[None], axis=2)
    np.fill_diagonal(gaps, np.inf)
    own = np.linalg.norm(ROWS - QUERY, axis=1).min()
    found = explain_prediction(model, QUERY).percentile
    assert found == (np.count_nonzero(gaps.min(axis=1) < own) / 80, 80)
    far = explain_prediction(model, QUERY + 100)
    assert far.percentile.no_similar_case
    assert str(far).endswith("that of 100.0% of 80 training rows.")
    assert "No similar case" in str(far)


def test_distances_of_many_rows_are_those_of_a_sample_computed_once(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(3000, 2))
    model = lookalike.NearestNeighbors(n_neighbors=1).fit(rows)
    first = nearest_distances(model)
    assert len(first) == 1000
    sampled = np.linspace(0, 2999, 1000).round().astype(int)
    np.testing.assert_allclose(first, np.sort(model.kneighbors()[0][sampled, 0]))
    monkeypatch.setattr(type(model.space_), "nearest", None)
    assert nearest_distances(model) is first


def test_rows_of_the_same_group_are_listed_without_a_vote():
    model = lookalike.KNeighborsClassifier(5).fit(ROWS, LABELS)
    near = model.kneighbors(ROWS[:1], 4)[1][0]
    found = explain_prediction(model, ROWS[0], leave_out=near)
    assert near[0] == 0
    assert 0 not in found.rows
    silent = np.isin(found.rows, near[1:])
    assert silent.sum() == 3
    assert not found.weights[silent].any()
    assert found.n_voters == 5
    assert (np.diff(found.distances) >= 0).all()
    assert len(found.feature_shares) == len(found.targets) == 8


def test_features_of_one_column_are_summed_and_rows_renumbered():
    model = lookalike.KNeighborsClassifier(5).fit(ROWS, LABELS)
    found = explain_prediction(model, QUERY)
    summed = found.by_column(["a", "b", "a"])
    np.testing.assert_allclose(summed.feature_shares[:, 0], found.feature_shares[:, [0, 2]].sum(1))
    assert summed.feature_names.tolist() == ["a", "b"]
    numbers = 100 + np.arange(80)
    moved = found.renumbered(numbers)
    assert moved.rows.tolist() == (found.rows + 100).tolist()
    assert moved.flip_rows.tolist() == (found.flip_rows + 100).tolist()
    assert {one.row for one in moved.contributions.parts} - {None} == set(moved.rows.tolist())


def test_sentences_name_what_would_change_a_prediction():
    rows, labels = [[0.0], [1.0], [2.5], [7.0], [8.0]], list("aabbb")
    found = explain_prediction(lookalike.KNeighborsClassifier(3).fit(rows, labels), [0.2])
    assert found.sentences()["flip"] == (
        "Without its nearest row of class a the prediction would be b. With K = 4 it would be b."
    )
    assert found.sentences()["neighbors"] == (
        "3 neighbors predict a: 66.7% of the votes, margin 0.3333."
    )
    number = explain_prediction(lookalike.KNeighborsRegressor(2).fit(rows, [1, 3, 5, 7, 9]), [0.2])
    assert str(number).startswith(
        "The weighted mean of 2 neighbors is 2, their standard deviation 1.\n"
        "Without the row that moves it most, the prediction would be "
    )


def test_no_row_within_the_radius_is_said():
    model = lookalike.RadiusNeighborsClassifier(0.5, outlier_label="a").fit(ROWS, LABELS)
    found = explain_prediction(model, np.full(3, 50.0))
    assert str(found) == "No row has a vote: a is the label of outliers."
    assert math.isclose(found.margin, 0.0)


def test_rows_that_are_equally_near_are_in_the_order_of_their_numbers():
    rows, numbers = np.zeros((6, 1)), np.array([4, 0, 5, 2, 1, 3])
    rows[3:] = 1.0
    targets = np.arange(6.0)
    found = explain_prediction(lookalike.KNeighborsRegressor(6).fit(rows, targets), [0.0])
    moved = found.renumbered(numbers)
    assert moved.rows.tolist() == [0, 4, 5, 1, 2, 3]
    assert moved.targets.tolist() == [1.0, 0.0, 2.0, 4.0, 3.0, 5.0]
    assert moved.distances.tolist() == found.distances.tolist()
    assert dict(zip(moved.rows.tolist(), moved.moves.tolist(), strict=True)) == dict(
        zip(numbers[found.rows].tolist(), found.moves.tolist(), strict=True)
    )
