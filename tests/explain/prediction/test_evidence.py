"""Evidence is what the model used, and taking it away changes the answer."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier, RadiusNeighborsClassifier

import lookalike
from lookalike import explain_prediction
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.kernels.votes import TIE_RULES
from lookalike.models.neighbors.voting_rules import voting_rules


def table(seed, n=25, n_classes=2):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)])
    return rng.normal(size=(n, 3)), y, rng.normal(size=3)


def without(model, X, y, rows, x):
    left = np.delete(np.arange(len(X)), rows)
    return model.__class__(**model.get_params()).fit(X[left], y[left]).predict([x])[0]


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("seed", range(12))
def test_the_answer_is_the_models_and_falls_without_the_rows_named(seed, weights):
    X, y, x = table(seed)
    model = KNeighborsClassifier(3, weights=weights).fit(X, y)
    found = explain_prediction(model, x)
    distance, row = model.kneighbors([x])
    assert found.prediction == model.predict([x])[0]
    assert found.rows.tolist() == row[0].tolist()
    assert found.distances == pytest.approx(distance[0])
    assert found.votes / found.votes.sum() == pytest.approx(model.predict_proba([x])[0])
    assert without(model, X, y, found.flip_rows, x) == found.flip_label != found.prediction


RULES = [
    {},
    {"priors": "balanced"},
    {"priors": {0: 0.2, 1: 0.0, 2: 0.8}},
    {"cost": [[0, 1, 4], [2, 0, 1], [1, 1, 0]]},
]


@pytest.mark.parametrize("rule", RULES, ids=["plain", "balanced", "prior", "cost"])
@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: 1 / (1 + d)])
@pytest.mark.parametrize("ties", TIE_RULES)
@pytest.mark.parametrize("radius", [None, 0.5, 2.0])
def test_evidence_votes_by_the_rule_of_the_model(radius, ties, weights, rule):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, size=(30, 2)).astype(float), np.arange(30) % 3
    weight = rng.choice([0.5, 1.0, 2.0], size=30) if ties != "nearest" else None
    options = {"ties": ties, "weights": weights, **rule}
    model = (
        lookalike.KNeighborsClassifier(4, **options)
        if radius is None
        else lookalike.RadiusNeighborsClassifier(radius, outlier_label=1, **options)
    ).fit(X, y, sample_weight=weight)
    queries = np.concatenate([X[:8], rng.uniform(-1, 4, size=(8, 2)), [[90.0, 90.0]]])
    for x, predicted in zip(queries, model.predict(queries), strict=True):
        evidence = explain_prediction(model, x)
        assert evidence.prediction == predicted
        if len(evidence.rows) and rule != RULES[2]:  # of a class of prior 0 there is no share
            shares = voting_rules(model)[0].probabilities(evidence.votes[None])
            np.testing.assert_allclose(shares, model.predict_proba([x]), rtol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_no_smaller_set_of_rows_changes_the_answer(seed):
    X, y, x = table(seed, n=11)
    found = explain_prediction(KNeighborsClassifier(3).fit(X, y), x)
    label = y[np.argsort(np.linalg.norm(X - x, axis=1))]
    for size in range(1, min(len(found.flip_rows), 9)):
        for rows in combinations(range(11), size):
            assert round(np.delete(label, rows)[:3].mean()) == found.prediction


def test_each_features_share_is_its_part_of_the_squared_distance():
    X, y, x = table(0)
    found = explain_prediction(KNeighborsClassifier(4).fit(X, y), x)
    gap = (X[found.rows] - x) ** 2
    assert found.feature_shares == pytest.approx(gap / found.distances[:, None] ** 2)
    assert found.feature_shares.sum(axis=1) == pytest.approx(np.ones(4))
    names, shares = zip(*found.features(), strict=True)
    assert sorted(names) == ["x0", "x1", "x2"]
    assert list(shares) == sorted(shares, reverse=True)


def test_shares_follow_the_metric_and_are_left_out_where_it_is_no_sum():
    X, y, x = table(1)
    city = explain_prediction(KNeighborsClassifier(4, p=1).fit(X, y), x)
    gap = np.abs(X[city.rows] - x)
    assert city.feature_shares == pytest.approx(gap / gap.sum(axis=1, keepdims=True))
    largest = explain_prediction(KNeighborsClassifier(4, metric="chebyshev").fit(X, y), x)
    assert largest.feature_shares is None
    assert largest.features() == []


def test_the_nearest_row_of_another_class_is_the_nearest_of_all_such():
    X, y, x = table(3, n=60, n_classes=3)
    found = explain_prediction(KNeighborsClassifier(5).fit(X, y), x)
    distance = np.linalg.norm(X - x, axis=1)
    others = np.flatnonzero(y != found.prediction)
    assert found.other_row == others[distance[others].argmin()]
    assert found.other_distance == pytest.approx(distance[others].min())
    assert found.other_label == y[found.other_row]


def test_a_row_of_fit_can_be_left_out_of_its_own_neighbors():
    X, y, _ = table(4, n=40)
    model = KNeighborsClassifier(5).fit(X, y)
    shares = model.predict_proba(None)
    for i in range(40):
        found = explain_prediction(model, X[i], leave_out=i)
        assert i not in found.rows
        assert found.votes / 5 == pytest.approx(shares[i])


def test_one_class_can_neither_flip_nor_have_others():
    found = explain_prediction(KNeighborsClassifier(2).fit(np.eye(3), ["a"] * 3), np.zeros(3))
    assert found.flip_rows is None
    assert found.other_row is None
    assert found.margin == 1.0
    assert str(found).startswith(
        "2 neighbors predict a: 100.0% of the votes, margin 1.\n"
        "Every row is of one class: no row would change it.\n"
        "Every K from 1 to 2 predicts a."
    )


def test_a_deep_answer_takes_as_many_rows_as_it_needs():
    X = np.concatenate([np.zeros((50, 1)), np.full((3, 1), 9.0)]) + np.arange(53)[:, None] / 1000
    y = np.array(["near"] * 50 + ["far"] * 3)
    found = explain_prediction(KNeighborsClassifier(3).fit(X, y), [0.0])
    assert len(found.flip_rows) == 49
    assert found.flip_label == "far"


def test_names_come_from_the_frame():
    X, y, x = table(5)
    frame = pd.DataFrame(X, columns=["long", "wide", "high"])
    model = KNeighborsClassifier(3).fit(frame, y)
    found = explain_prediction(model, pd.DataFrame([x], columns=frame.columns))
    assert found.feature_names.tolist() == ["long", "wide", "high"]


def test_what_cannot_be_explained_says_why():
    X, y, x = table(6)
    model = KNeighborsClassifier(3).fit(X, y)
    with pytest.raises(ShapeError, match="one row"):
        explain_prediction(model, X[:2])
    with pytest.raises(ParameterError, match="leave_out=25"):
        explain_prediction(model, x, leave_out=25)
    with pytest.raises(ParameterTypeError, match="is not a list of numbers"):
        explain_prediction(model, x, leave_out=[[1], [1, 2]])
    with pytest.raises(ParameterTypeError, match="not a classifier by neighbors"):
        explain_prediction(RadiusNeighborsClassifier(9.0).fit(X, y), x)
