"""Soft nearest neighbors: the equations, and their limits near, far and narrow."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.utils.estimator_checks import check_estimator

from lookalike import KernelDensityClassifier, KNeighborsClassifier
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.models.kernel import nearby_rows
from lookalike.models.kernel.density_classifier import SUMMATION_WAYS

RNG = np.random.default_rng(4)
ROWS = RNG.normal(size=(150, 3))
LABELS = RNG.choice(["a", "b", "c"], size=150, p=[0.5, 0.3, 0.2])
QUERIES = RNG.normal(size=(40, 3)) * 2


def posterior_of_the_book(X, y, queries, bandwidth, background):
    """Equations 14.3.1 to 14.3.4 with the component of 14.3.1, slowly and in logarithms."""
    n_rows, d = X.shape
    joint = []
    for label in np.unique(y):
        own = X[y == label]
        gaps = ((queries[:, None] - own) ** 2).sum(axis=2)
        kernels = -gaps / (2 * bandwidth**2) - d / 2 * np.log(2 * np.pi * bandwidth**2)
        density = logsumexp(kernels, axis=1) - np.log(len(own))
        if background:
            wide = 100 * max(bandwidth**2, X.var(axis=0).mean())
            gaps = ((queries - X.mean(axis=0)) ** 2).sum(axis=1)
            flat = -gaps / (2 * wide) - d / 2 * np.log(2 * np.pi * wide)
            share = 1 / (n_rows + 1)
            density = np.logaddexp(np.log(1 - share) + density, np.log(share) + flat)
        joint.append(density + np.log(len(own) / n_rows))
    return np.exp(np.array(joint) - logsumexp(joint, axis=0)).T


@pytest.mark.parametrize("bandwidth", [1.0, "loo"])
@pytest.mark.filterwarnings("ignore:All labels")
def test_scikit_learns_checks_pass(bandwidth):
    results = check_estimator(KernelDensityClassifier(bandwidth), on_skip=None, on_fail=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


@pytest.mark.parametrize("bandwidth", [0.02, 0.3, 1.0, 20.0])
@pytest.mark.parametrize("background", [True, False])
def test_probabilities_are_those_of_the_equations(bandwidth, background):
    model = KernelDensityClassifier(bandwidth, background=background).fit(ROWS, LABELS)
    expected = posterior_of_the_book(ROWS, LABELS, QUERIES, bandwidth, background)
    np.testing.assert_allclose(model.predict_proba(QUERIES), expected, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("bandwidth", [1e-3, 1e-150, 1e-300])
def test_a_vanishing_bandwidth_is_the_nearest_neighbor(bandwidth):
    soft = KernelDensityClassifier(bandwidth, background=False).fit(ROWS, LABELS)
    hard = KNeighborsClassifier(1).fit(ROWS, LABELS)
    np.testing.assert_array_equal(soft.predict(QUERIES), hard.predict(QUERIES))
    np.testing.assert_array_equal(soft.predict(), hard.predict())


def test_equally_near_rows_decide_as_for_one_neighbor():
    rows, labels = [[1.0], [-1.0], [1.0], [3.0]], ["a", "b", "b", "a"]
    soft = KernelDensityClassifier(1e-200, background=False).fit(rows, labels)
    assert soft.predict([[0.0]]) == ["b"]
    level = KernelDensityClassifier(1e-200, background=False).fit(rows[:2] + rows[3:], list("bab"))
    assert level.predict([[0.0]]) == ["b"]  # one of each at distance 1, another b farther on
    assert level.decisions_.about("ties")[0].choice == "1 of 1 votes"


@pytest.mark.parametrize("bandwidth", [1e-3, 0.5])
def test_far_from_all_rows_the_answer_tends_to_the_prior(bandwidth):
    model = KernelDensityClassifier(bandwidth).fit(ROWS, LABELS)
    share = model.predict_proba([[1e6, 0.0, 0.0]])[0]
    np.testing.assert_allclose(share, [np.mean(c == LABELS) for c in "abc"], rtol=1e-12)
    believed = KernelDensityClassifier(bandwidth, priors={"a": 1, "b": 1, "c": 2})
    share = believed.fit(ROWS, LABELS).predict_proba([[1e6, 0.0, 0.0]])[0]
    np.testing.assert_allclose(share, [0.25, 0.25, 0.5], rtol=1e-12)


def test_rows_too_far_to_matter_are_not_looked_at():
    rows = np.concatenate([ROWS, ROWS + 50])
    labels = np.concatenate([LABELS, LABELS])
    model = KernelDensityClassifier(0.3).fit(rows, labels)
    looked = nearby_rows.rows_that_matter(model, QUERIES, None, bandwidth=0.3, log_spread=0.0)
    assert max(near.row.max() for near in looked) < 150
    expected = posterior_of_the_book(rows, labels, QUERIES, 0.3, True)
    np.testing.assert_allclose(model.predict_proba(QUERIES), expected, rtol=1e-9, atol=1e-14)


def test_leave_one_out_scores_equal_those_of_rows_really_left_out():
    rows, labels = ROWS[:40], LABELS[:40]
    model = KernelDensityClassifier().fit(rows, labels)
    for place in (0, 12, 24):
        bandwidth = model.curve_["bandwidth"][place]
        share, wrong = [], []
        for row in range(40):
            others = np.delete(np.arange(40), row)
            alone = KernelDensityClassifier(bandwidth).fit(rows[others], labels[others])
            chances = alone.predict_proba(rows[[row]])[0]
            share.append(chances[np.flatnonzero(alone.classes_ == labels[row])[0]])
            wrong.append(alone.classes_[chances.argmax()] != labels[row])
        # the prior and the background of the curve are those of all rows
        assert model.curve_["error"][place] == pytest.approx(np.mean(wrong), abs=0.026)
        assert model.curve_["log_loss"][place] == pytest.approx(-np.mean(np.log(share)), rel=0.05)
    assert model.bandwidth_ == model.curve_["bandwidth"][model.curve_["log_loss"].argmin()]


def test_a_weight_counts_as_that_many_rows():
    weight = RNG.integers(0, 3, size=150)
    weighted = KernelDensityClassifier(0.4).fit(ROWS, LABELS, sample_weight=weight)
    repeated = KernelDensityClassifier(0.4)
    repeated.fit(np.repeat(ROWS, weight, axis=0), np.repeat(LABELS, weight))
    np.testing.assert_allclose(
        weighted.predict_proba(QUERIES), repeated.predict_proba(QUERIES), rtol=1e-9, atol=1e-15
    )


@pytest.mark.parametrize(
    ("bandwidth", "error"),
    [
        (0.0, ParameterError),
        (-1, ParameterError),
        ("wide", ParameterError),
        (None, ParameterTypeError),
    ],
)
def test_a_bandwidth_that_is_none_is_an_error(bandwidth, error):
    with pytest.raises(error, match="bandwidth="):
        KernelDensityClassifier(bandwidth).fit(ROWS, LABELS)


def test_several_outputs_are_an_error():
    with pytest.raises(ParameterError, match="several outputs"):
        KernelDensityClassifier(1.0).fit(ROWS, np.column_stack([LABELS, LABELS]))


@pytest.mark.parametrize("grouped", [False, True])
def test_folds_are_left_out_together_while_a_bandwidth_is_chosen(grouped):
    groups = np.arange(150) // 5 if grouped else None
    model = KernelDensityClassifier("cv", folds=3, background=False)
    model.fit(ROWS, LABELS, groups=groups)
    split = GroupKFold(3) if grouped else StratifiedKFold(3)
    place, share = 18, np.empty(150)
    counts = np.unique(LABELS, return_counts=True)[1]
    for train, test in split.split(ROWS, LABELS, groups):
        gaps = ((ROWS[test][:, None] - ROWS[train]) ** 2).sum(axis=2)
        kernels = np.exp(-gaps / (2 * model.curve_["bandwidth"][place] ** 2))
        joint = np.column_stack([kernels[:, LABELS[train] == c].sum(axis=1) for c in "abc"])
        joint = joint * (counts / 150) / counts  # the prior and N_c are those of all rows
        own = np.searchsorted(model.classes_, LABELS[test])
        share[test] = joint[np.arange(len(test)), own] / joint.sum(axis=1)
    assert model.curve_["log_loss"][place] == pytest.approx(-np.mean(np.log(share)), rel=1e-9)
    assert model.bandwidth_ == model.curve_["bandwidth"][model.curve_["log_loss"].argmin()]


def test_all_ways_to_sum_agree():
    rows = RNG.normal(size=(700, 5))
    labels = RNG.integers(0, 3, size=700)
    model = KernelDensityClassifier(0.8).fit(rows, labels)
    assert model.decisions_.about("sums")[0].choice == SUMMATION_WAYS[2]
    queries = QUERIES @ np.ones((3, 5)) / 3
    everything = model.predict_proba(queries)
    for model._way in SUMMATION_WAYS[:2]:
        np.testing.assert_allclose(everything, model.predict_proba(queries), rtol=1e-10, atol=1e-14)


def test_the_way_to_sum_follows_how_many_rows_matter():
    rows = RNG.normal(size=(3000, 400)) + 40 * RNG.integers(0, 30, size=(3000, 1))
    labels = RNG.integers(0, 2, size=3000)
    ways = [
        KernelDensityClassifier(width).fit(rows, labels).decisions_.about("sums")[0].choice
        for width in (0.001, 1.0, 1000.0)
    ]
    assert ways == list(SUMMATION_WAYS)


def test_narrow_kernels_in_few_columns_never_look_at_all_rows():
    rows = RNG.uniform(size=(50_000, 2))
    model = KernelDensityClassifier(1e-4).fit(rows, np.arange(50_000) % 2)
    assert model.decisions_.about("sums")[0].choice == SUMMATION_WAYS[0]


@pytest.mark.parametrize(("dtype", "within"), [(np.float64, 1e-12), (np.float32, 1e-6)])
def test_bytes_over_255_answer_as_the_formula(dtype, within):
    rows = (RNG.integers(0, 256, size=(400, 30)) / 255).astype(dtype)
    labels = RNG.integers(0, 3, size=400)
    queries = (RNG.integers(0, 256, size=(50, 30)) / 255).astype(dtype)
    model = KernelDensityClassifier(0.7, background=False, priors="balanced").fit(rows, labels)
    gaps = ((queries[:, None].astype(float) - rows) ** 2).sum(axis=2)
    kernels = np.exp(-gaps / (2 * 0.7**2))
    joint = np.stack([kernels[:, labels == c].mean(axis=1) for c in range(3)], axis=1)
    expected = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(queries), expected, rtol=within)


def test_groups_matter_only_where_a_bandwidth_is_chosen():
    with pytest.raises(ParameterError, match="groups matter"):
        KernelDensityClassifier(1.0).fit(ROWS, LABELS, groups=np.arange(150))
    with pytest.raises(ShapeError, match="more groups"):
        KernelDensityClassifier().fit(ROWS, LABELS, groups=np.zeros(150))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("prior", [None, "balanced"])
def test_level_classes_on_a_grid_are_decided_as_by_one_neighbor(n_classes, prior):
    rng = np.random.default_rng(n_classes)
    X, y = rng.integers(0, 12, size=(90, 2)), rng.integers(0, n_classes, size=90)
    queries = np.stack(np.meshgrid(np.arange(-4, 36), np.arange(-9, 21)), axis=-1).reshape(-1, 2)
    assert len(queries) == 1200
    hard = KNeighborsClassifier(1, priors=prior).fit(X, y).predict(queries)
    for bandwidth in (1e-2, 1e-6, 1e-150):
        soft = KernelDensityClassifier(bandwidth, background=False, priors=prior).fit(X, y)
        np.testing.assert_array_equal(soft.predict(queries), hard)


@pytest.mark.parametrize("background", [True, False])
@pytest.mark.parametrize("folds", [None, 4])
def test_the_log_loss_of_tiny_bandwidths_is_that_of_the_equations(background, folds):
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(40, 2)), np.repeat(["a", "b"], 20)
    groups = None if folds is None else np.arange(40) % folds
    model = KernelDensityClassifier("loo", background=background).fit(X, y, groups=groups)
    parts = np.arange(40) if folds is None else groups
    curve, mean = model.curve_, X.mean(axis=0)
    wide = 100 * np.maximum(curve["bandwidth"] ** 2, X.var(axis=0).mean())
    for place in (0, 5, 24):
        s2, loss = curve["bandwidth"][place] ** 2, 0.0
        for n in range(40):
            kept = parts != parts[n]
            joint = []
            for label in ("a", "b"):
                own = X[kept & (y == label)]
                kernels = -((own - X[n]) ** 2).sum(axis=1) / (2 * s2) - np.log(2 * np.pi * s2)
                density = logsumexp(kernels) - np.log(20)
                if background:
                    gap = ((X[n] - mean) ** 2).sum()
                    flat = -gap / (2 * wide[place]) - np.log(2 * np.pi * wide[place])
                    density = np.logaddexp(density, flat - np.log(40))
                joint.append(density)
            loss -= joint[y[n] == "b"] - logsumexp(joint)
        assert curve["log_loss"][place] == pytest.approx(loss / 40, rel=1e-9)
    if not background:  # where a share alone, cut at the least float64, would say much less
        assert curve["log_loss"][0] > 200
