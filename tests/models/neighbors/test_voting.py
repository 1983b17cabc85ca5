"""Sample weights equal repetition, whatever the tie rule, also where rows are left out."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import KNeighborsClassifier, KNeighborsRegressor, RadiusNeighborsClassifier
from lookalike.errors import ParameterError
from lookalike.explain import explain_prediction
from lookalike.kernels.votes import TIE_RULES
from lookalike.models.neighbors import voting


def grid(seed, n_rows=14):
    """Rows on a small grid, many of them equally near, with classes and weights."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n_rows, 2)).astype(float)
    return X, rng.choice(["a", "b", "c"], size=n_rows), rng.integers(0, 4, size=n_rows)


def brute_winner(X, y, query, k, ties, frequency):
    """The vote of the k nearest rows, written out: one row at a time in float64."""
    gaps = ((X - query) ** 2).sum(axis=1)
    order = sorted(range(len(X)), key=lambda n: (gaps[n], n))
    classes = sorted(frequency)
    sizes = [k]
    if ties == "grow":
        last = len(order)
        ends = [s for s in range(k, last) if gaps[order[s]] > gaps[order[s - 1]]]
        sizes = [*ends, last]
    elif ties == "fewer":
        sizes = range(k, 0, -1)
    for size in sizes:
        votes = {c: sum(y[n] == c for n in order[:size]) for c in classes}
        level = [c for c in classes if votes[c] == max(votes.values())]
        if len(level) == 1:
            return level[0]
        if ties == "nearest":
            return min(level, key=lambda c: min(gaps[n] for n in order[:size] if y[n] == c))
        if ties == "prior":
            return max(level, key=lambda c: (frequency[c], -classes.index(c)))
    return level[0]


@pytest.mark.parametrize("ties", TIE_RULES)
@pytest.mark.parametrize("k", [1, 2, 3, 4, 6])
def test_a_weight_is_repetition_for_every_tie_rule(ties, k):
    for seed in range(12):
        X, y, weight = grid(seed)
        some = weight > 0
        X, y, weight = X[some], y[some], weight[some]
        repeated, labels = np.repeat(X, weight, axis=0), np.repeat(y, weight)
        queries = np.random.default_rng(seed).integers(0, 3, size=(20, 2)).astype(float)
        frequency = {c: np.mean(labels == c) for c in np.unique(labels)}
        expected = [brute_winner(repeated, labels, q, k, ties, frequency) for q in queries]
        copies = KNeighborsClassifier(k, ties=ties).fit(repeated, labels)
        weighted = KNeighborsClassifier(k, ties=ties).fit(X, y, sample_weight=weight)
        np.testing.assert_array_equal(copies.predict(queries), expected)
        np.testing.assert_array_equal(weighted.predict(queries), expected)
        shares = copies.predict_proba(queries)
        np.testing.assert_allclose(weighted.predict_proba(queries), shares, rtol=1e-12)


def test_two_copies_of_one_class_outvote_one_of_three_of_another():
    model = KNeighborsClassifier(3, ties="nearest")
    X, y = np.array([[0.0], [1.0]]), np.array(["a", "b"])
    weighted = model.fit(X, y, sample_weight=[2, 3]).predict([[0.0]])
    repeated = model.fit(np.repeat(X, [2, 3], axis=0), np.repeat(y, [2, 3])).predict([[0.0]])
    assert weighted == repeated == "a"


@pytest.mark.parametrize("ties", TIE_RULES)
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_leave_one_out_curves_of_weights_are_those_of_repetition(ties, weights):
    for seed in range(6):
        X, y, weight = grid(seed, n_rows=18)
        model = KNeighborsClassifier("loo", ties=ties, weights=weights, k_max=6)
        weighted = model.fit(X, y, sample_weight=weight).selection_
        mine = model.predict()
        repeated = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).selection_
        np.testing.assert_array_equal(np.repeat(mine, weight), model.predict())
        curve, other = weighted.curves["loo", weights], repeated.curves["loo", weights]
        for name in curve.scores:
            np.testing.assert_allclose(curve.scores[name], other.scores[name], rtol=1e-12)
            np.testing.assert_allclose(
                curve.standard_errors[name], other.standard_errors[name], rtol=1e-9
            )
        assert weighted.best("loo", weights) == repeated.best("loo", weights)
        assert weighted.ties["loo", weights] == repeated.ties["loo", weights]
        assert weighted.guides == repeated.guides


def test_curves_and_intervals_of_numbers_are_those_of_repetition():
    X, _, weight = grid(3, n_rows=18)
    y = np.random.default_rng(3).normal(size=18)
    model = KNeighborsRegressor("loo", k_max=6)
    weighted = model.fit(X, y, sample_weight=weight).selection_
    interval = model.predict_interval(X)
    repeated = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).selection_
    for name in ("mse", "rmse", "mae"):
        for part in ("scores", "standard_errors"):
            mine, other = (
                getattr(s.curves["loo", "uniform"], part)[name] for s in (weighted, repeated)
            )
            np.testing.assert_allclose(mine, other, rtol=1e-12)
    np.testing.assert_allclose(interval, model.predict_interval(X), rtol=1e-12)


@pytest.mark.parametrize("ties", TIE_RULES)
def test_weights_within_a_radius_are_repetition(ties):
    for seed in range(12):
        X, y, weight = grid(seed)
        queries = np.random.default_rng(seed).integers(0, 3, size=(20, 2)).astype(float)
        model = RadiusNeighborsClassifier(1.0, ties=ties, outlier_label="a")
        weighted = model.fit(X, y, sample_weight=weight).predict_both(queries)
        model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
        kept = np.isin(np.unique(y), model.classes_)
        repeated = model.predict_both(queries)
        np.testing.assert_array_equal(weighted[0], repeated[0])
        np.testing.assert_allclose(weighted[1][:, kept], repeated[1], rtol=1e-12)


def test_weights_that_are_no_whole_numbers_count_up_to_k():
    X, y = np.arange(12.0)[:, None], np.array(["a", "a", "a", "b"] * 3)
    model = KNeighborsClassifier(1, ties="nearest").fit(X, y, sample_weight=np.full(12, 0.1))
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.8, 0.2]], rtol=1e-12)


def test_more_neighbors_than_the_weights_of_rows_left_out_are_an_error():
    model = KNeighborsClassifier(3).fit([[0.0], [1.0]], ["a", "b"], sample_weight=[2, 1])
    with pytest.raises(ParameterError, match="when it is left out"):
        model.predict()


def test_the_evidence_shows_what_of_the_last_row_was_counted():
    model = KNeighborsClassifier(3, ties="nearest")
    model.fit([[0.0], [1.0]], ["a", "b"], sample_weight=[2, 3])
    evidence = explain_prediction(model, [0.0])
    np.testing.assert_array_equal(evidence.weights, [2.0, 1.0])


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("leave_one_out", [False, True])
def test_where_every_row_has_a_class_of_its_own_no_more_neighbors_are_searched_for(
    k, leave_one_out, monkeypatch
):
    rows = np.random.default_rng(0).integers(0, 6, size=(40, 2)).astype(float)
    model = KNeighborsClassifier(k).fit(rows, np.arange(40))
    queries = None if leave_one_out else rows[:7] + 0.25

    def answers():
        return model.predict(queries), model.predict_proba(queries)

    quick = answers()
    monkeypatch.setattr(voting, "_every_class_has_one_row", lambda *_: False)
    for fast, slow in zip(quick, answers(), strict=True):
        np.testing.assert_array_equal(fast, slow)


def test_a_hundred_thousand_classes_are_not_searched_to_the_last_row():
    rows = np.random.default_rng(0).normal(size=(100_000, 3))
    model = KNeighborsClassifier(5).fit(rows, np.arange(100_000))
    widths = []
    search = model.space_.index.query
    model.space_.index.query = lambda Q, k, **options: widths.append(k) or search(Q, k, **options)
    assert (model.predict(rows[:50]) == 0).all()  # all are level: the first class
    assert max(widths) < 100
