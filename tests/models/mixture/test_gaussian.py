"""Gaussian mixtures: the equations of the source, a likelihood that climbs, and hard rows."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as Theirs
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike
from lookalike import GaussianMixture
from lookalike.errors import (
    MagnitudeError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    RepeatError,
    ShapeError,
)

SHAPES = ("full", "tied", "diag", "spherical")


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(0)
    groups = [
        rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3)) + center
        for center in ([0, 0, 0], [9, 1, 0], [0, 9, -4])
    ]
    return np.concatenate(groups)[rng.permutation(600)]


def plain_round(X, weights, means, covariances):
    """The two steps of the source, word for word."""
    density = np.stack(
        [
            w
            * np.exp(-0.5 * np.einsum("ni,ij,nj->n", X - m, np.linalg.inv(S), X - m))
            / np.sqrt(np.linalg.det(2 * np.pi * S))
            for w, m, S in zip(weights, means, covariances, strict=True)
        ],
        axis=1,
    )
    gamma = density / density.sum(axis=1, keepdims=True)
    count = gamma.sum(axis=0)
    mu = gamma.T @ X / count[:, None]
    sigma = np.stack(
        [(gamma[:, [k]] * (X - mu[k])).T @ (X - mu[k]) / count[k] for k in range(len(count))]
    )
    return count / len(X), mu, sigma, np.log(density.sum(axis=1)).mean()


@parametrize_with_checks([GaussianMixture(), GaussianMixture("bic"), GaussianMixture(prior=1.0)])
def test_it_is_an_estimator_as_scikit_learn_wants_them(estimator, check):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*do not vary along")
        check(estimator)


def test_every_round_is_that_of_the_source(three):
    weights, means = np.array([0.2, 0.3, 0.5]), three[:3].copy()
    covariances = np.stack([np.cov(three.T)] * 3)
    start = {"weights_init": weights, "means_init": means}
    start["precisions_init"] = np.linalg.inv(covariances)
    heights = []
    for rounds in (1, 2, 3):
        with pytest.warns(ConvergenceWarning):
            model = GaussianMixture(3, max_iter=rounds, tol=0.0, **start).fit(three)
        weights, means, covariances, height = plain_round(three, weights, means, covariances)
        heights.append(height)
        np.testing.assert_allclose(model.weights_, weights, rtol=1e-10)
        np.testing.assert_allclose(model.means_, means, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(model.covariances_, covariances, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(model.lower_bounds_, heights, rtol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_answers_are_those_of_scikit_learn_from_the_same_start(three, shape):
    start = start_of(shape, three[[0, 10, 20]]) | {"covariance_type": shape}
    start |= {"tol": 1e-8, "max_iter": 500}
    ours, theirs = (
        GaussianMixture(3, **start).fit(three),
        Theirs(3, reg_covar=0, **start).fit(three),
    )
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-5, atol=1e-6)
    assert abs(ours.n_iter_ - theirs.n_iter_) <= 1
    np.testing.assert_allclose(ours.score_samples(three), theirs.score_samples(three), rtol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(three), theirs.predict_proba(three), atol=1e-6)
    np.testing.assert_array_equal(ours.predict(three), theirs.predict(three))
    assert ours.bic(three) == pytest.approx(theirs.bic(three), rel=1e-9)
    assert ours.aic(three) == pytest.approx(theirs.aic(three), rel=1e-9)


rows = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@settings(max_examples=40, deadline=None)
@given(
    rows,
    st.sampled_from(SHAPES),
    st.integers(1, 5),
    st.integers(1, 4),
    st.sampled_from([None, 0.5, 20.0]),
    st.sampled_from(["kmeans", "random", "random_from_data", "k-means++"]),
)
def test_the_likelihood_never_falls(rng, shape, k, d, prior, start):
    X = rng.normal(size=(60, d)) * rng.choice([1e-3, 1.0, 1e4], d)
    X[: rng.integers(1, 30)] = X[0]  # some rows are equal
    weight = rng.integers(0, 3, 60) + 0.0
    weight[:k] = 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = GaussianMixture(
            k,
            covariance_type=shape,
            prior=prior,
            init_params=start,
            tol=0,
            max_iter=25,
            random_state=0,
        ).fit(X, sample_weight=weight)
    assert (np.diff(model.lower_bounds_) >= 0).all()
    assert not [
        said for said in model.decisions_.about("iterations") if "stopped at 2" in said.choice
    ]
    for name in ("weights_", "means_", "covariances_", "precisions_"):
        assert np.isfinite(getattr(model, name)).all()
    assert model.weights_.sum() == pytest.approx(1.0)


@settings(max_examples=15, deadline=None)
@given(rows, st.sampled_from(["full", "diag"]))
def test_units_do_not_matter(rng, shape):
    X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 6])
    fitted = []
    for unit in (np.ones(2), np.array([1e-5, 1e4])):
        precisions = np.tile(unit**-2.0, (2, 1))
        model = GaussianMixture(
            2,
            covariance_type=shape,
            weights_init=[0.5, 0.5],
            means_init=X[[0, 79]] * unit,
            precisions_init=precisions if shape == "diag" else [np.diag(p) for p in precisions],
        ).fit(X * unit)
        fitted.append((model.means_ / unit, model.predict_proba(X * unit)))
    np.testing.assert_allclose(fitted[0][0], fitted[1][0], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(fitted[0][1], fitted[1][1], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_an_offset_does_no_harm(three, shape):
    fitted = []
    for offset in (0.0, 1e9):
        X = three + offset
        model = GaussianMixture(3, covariance_type=shape, **start_of(shape, X[[0, 10, 20]])).fit(X)
        fitted.append((model.means_ - offset, model.predict(X), model.covariances_))
    np.testing.assert_allclose(fitted[1][0], fitted[0][0], atol=1e-5)
    np.testing.assert_array_equal(fitted[1][1], fitted[0][1])
    np.testing.assert_allclose(fitted[1][2], fitted[0][2], atol=1e-5)


def start_of(shape, means):
    """Return a whole start: even weights, these means, components of variance four."""
    k, d = means.shape
    wide = {"full": np.stack([np.eye(d)] * k), "tied": np.eye(d), "diag": np.ones((k, d))}
    precisions = wide.get(shape, np.ones(k)) / 4
    return {"weights_init": np.full(k, 1 / k), "means_init": means, "precisions_init": precisions}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("far", [1e6, 1e200])
def test_far_rows_belong_somewhere(three, shape, far):
    model = GaussianMixture(3, covariance_type=shape, random_state=0).fit(three)
    X = np.array([[far, 0.0, -far], [far, far, far]])
    share = model.predict_proba(X)
    assert np.isfinite(share).all()
    np.testing.assert_allclose(share.sum(axis=1), 1.0)
    assert np.isfinite(model.score_samples(X)).all()
    np.testing.assert_array_equal(model.predict(X), share.argmax(axis=1))


@pytest.mark.parametrize("shape", SHAPES)
def test_weights_count_rows(three, shape):
    weight = np.random.default_rng(1).integers(0, 3, len(three)).astype(float)
    start = {"covariance_type": shape, "tol": 1e-9, "max_iter": 300}
    start |= start_of(shape, three[:2])
    repeated = np.repeat(three, weight.astype(int), axis=0)
    weighted = GaussianMixture(2, **start).fit(three, sample_weight=weight)
    plain = GaussianMixture(2, **start).fit(repeated)
    np.testing.assert_allclose(weighted.means_, plain.means_, rtol=1e-6)
    np.testing.assert_allclose(weighted.covariances_, plain.covariances_, rtol=1e-6, atol=1e-9)
    assert weighted.lower_bound_ == pytest.approx(plain.lower_bound_)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("start", ["kmeans", "k-means++", "random", "random_from_data"])
def test_every_engine_gives_the_same_bits(engine, three, shape, start):
    here = GaussianMixture(
        3, covariance_type=shape, init_params=start, random_state=3, n_jobs=1, max_iter=20, tol=1e-2
    ).fit(three)
    there = GaussianMixture(
        3,
        covariance_type=shape,
        init_params=start,
        random_state=3,
        engine=engine,
        n_jobs=2,
        max_iter=20,
        tol=1e-2,
    ).fit(three)
    np.testing.assert_array_equal(here.means_, there.means_)
    np.testing.assert_array_equal(here.covariances_, there.covariances_)
    np.testing.assert_array_equal(here.predict_proba(three), there.predict_proba(three))


def test_chunks_do_not_show_but_for_rounding(three):
    whole = GaussianMixture(3, random_state=0).fit(three)
    pieces = [three[:7], three[7:300], three[300:]]
    parts = GaussianMixture(3, random_state=0).fit(lambda: iter(pieces))
    np.testing.assert_allclose(whole.means_, parts.means_, rtol=1e-9, atol=1e-9)
    assert parts.decisions_.about("engine")[0].choice == "stream"


def test_bic_finds_the_number_of_components(three):
    model = GaussianMixture("bic").fit(three)
    assert len(model.weights_) == 3
    assert model.curve_["bic"].argmin() == 2
    assert model.decisions_.about("n_components")[0].choice == "3"
    assert model.curve_["bic"].min() == pytest.approx(model.bic(three), rel=1e-3)
    one = GaussianMixture("bic").fit(np.random.default_rng(0).normal(size=(300, 4)))
    assert len(one.weights_) == 1


def test_a_component_on_a_single_row_is_floored_and_named():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(200, 2)), rng.normal(size=(200, 2)) + 8, [[1e3, 1e3]]])
    with pytest.warns(UserWarning, match="components 2 do not vary"):
        model = GaussianMixture(3, means_init=[[0.0, 0.0], [8.0, 8.0], [1e3, 1e3]]).fit(X)
    assert np.isfinite(model.lower_bound_)
    named = model.decisions_.about("components 2")
    assert "collapsed" in named[0].reason


def test_a_component_that_holds_nothing_is_put_to_use(three):
    means = np.vstack([three[:2], [[1e6, 1e6, 1e6]]])
    model = GaussianMixture(
        3,
        means_init=means,
        weights_init=[0.5, 0.5, 0.0],
        precisions_init=np.stack([np.eye(3)] * 3),
        max_iter=300,
    ).fit(three)
    assert model.weights_.min() > 0.2
    assert "rescued" in {said.choice for said in model.decisions_}


@pytest.mark.parametrize("shape", SHAPES)
def test_components_without_spread_get_a_least_variance_with_a_warning(shape):
    X = np.repeat([[1.0, 2.0], [3.0, 4.0]], 5, axis=0)
    with pytest.warns(UserWarning, match="do not vary along some direction"):
        model = GaussianMixture(2, covariance_type=shape, random_state=0).fit(X)
    assert np.isfinite(model.lower_bound_)
    assert np.isfinite(model.covariances_).all()
    assert model.decisions_.about("covariance")
    with pytest.raises(ParameterError, match="increase reg_covar"):
        GaussianMixture(2, covariance_type=shape, reg_covar=0, random_state=0).fit(X)


@pytest.mark.parametrize("shape", SHAPES)
def test_equal_columns_constant_columns_and_few_rows_are_answered(shape):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 1))
    for X in (np.hstack([x, x, x]), np.hstack([x, np.ones((30, 1))]), rng.normal(size=(4, 9))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = GaussianMixture(2, covariance_type=shape, random_state=0).fit(X)
        assert np.isfinite(model.covariances_).all()
        assert np.isfinite(model.score(X))
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_a_prior_counts_for_rows_not_seen(three):
    k, d, pull = 3, 3, 25.0
    model = GaussianMixture(k, prior=pull, random_state=0, tol=1e-12, max_iter=500).fit(three)
    share = model.predict_proba(three)
    count = share.sum(axis=0)
    towards = np.diag(three.var(axis=0)) / k ** (2 / d)
    for j in range(k):
        gap = three - model.means_[j]
        scatter = (share[:, [j]] * gap).T @ gap
        np.testing.assert_allclose(
            model.covariances_[j],
            (scatter + pull * towards) / (count[j] + pull),
            rtol=1e-4,
            atol=1e-4,
        )


def test_rows_drawn_have_the_moments_of_the_mixture(three):
    model = GaussianMixture(3, random_state=0).fit(three)
    drawn, component = model.sample(20_000)
    assert (np.diff(component) >= 0).all()
    np.testing.assert_allclose(drawn.mean(axis=0), three.mean(axis=0), atol=0.15)
    np.testing.assert_allclose(np.cov(drawn[component == 1].T), model.covariances_[1], atol=0.15)
    with pytest.raises(ParameterError, match="Draw 1 or more"):
        model.sample(0)


def test_frames_and_warm_starts_and_float32_are_taken(three):
    frame = pd.DataFrame(three, columns=["a", "b", "c"])
    model = GaussianMixture(3, random_state=0, warm_start=True).fit(frame)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    before = model.lower_bound_
    assert model.fit(frame).lower_bound_ >= before
    start = start_of("full", three[:3])
    single = GaussianMixture(3, **start).fit(three.astype(np.float32))
    double = GaussianMixture(3, **start).fit(three.astype(np.float32).astype(float))
    np.testing.assert_array_equal(single.means_, double.means_)


@pytest.mark.parametrize(
    ("settings", "kind", "words"),
    [
        ({"n_components": 0}, ParameterError, "n_components=0"),
        ({"n_components": "aic"}, ParameterTypeError, "n_components='aic'"),
        ({"n_components": 11}, ShapeError, "n_samples = 10"),
        ({"covariance_type": "round"}, ParameterError, "covariance_type='round'"),
        ({"init_params": "best"}, ParameterError, "init_params='best'"),
        ({"reg_covar": -1.0}, ParameterError, "reg_covar=-1.0"),
        ({"prior": -1.0}, ParameterError, "prior=-1.0"),
        ({"n_components": 2, "weights_init": [0.5, 0.6]}, ParameterError, "normalized"),
        ({"n_components": 2, "weights_init": [1.5, -0.5]}, ParameterError, r"range \[0, 1\]"),
        ({"n_components": 2, "means_init": [[0, 0], [np.nan, 0]]}, ParameterError, "means_init"),
        ({"n_components": "bic", "means_init": [[0, 0]]}, ParameterError, "leave out means_init"),
    ],
)
def test_parameters_that_cannot_be_honored_are_errors(settings, kind, words):
    X = np.random.default_rng(0).normal(size=(10, 2))
    with pytest.raises(kind, match=words):
        GaussianMixture(**settings).fit(X)


def test_rows_that_cannot_be_used_are_errors():
    with pytest.raises(MissingValueError, match="row 1"):
        GaussianMixture().fit([[1.0], [np.nan]])
    with pytest.raises(ShapeError, match="minimum of 2"):
        GaussianMixture().fit([[1.0, 2.0]])
    with pytest.raises(MagnitudeError, match="overflows float64"):
        GaussianMixture().fit([[1.0], [1e200]])
    with pytest.raises(RepeatError, match="many times"):
        GaussianMixture().fit(iter([np.ones((3, 2))]))
    with pytest.raises(ParameterError, match="zero for every row"):
        GaussianMixture().fit(np.ones((3, 2)), sample_weight=np.zeros(3))


def test_rounds_are_told_when_asked(three, capsys):
    GaussianMixture(3, random_state=0, verbose=2, verbose_interval=1).fit(three)
    said = capsys.readouterr().out
    assert "Initialization 0" in said
    assert "Iteration 1" in said


def test_the_best_of_several_starts_is_kept(three):
    one = GaussianMixture(4, init_params="random_from_data", random_state=0).fit(three)
    more = GaussianMixture(4, init_params="random_from_data", random_state=0, n_init=5).fit(three)
    assert more.lower_bound_ >= one.lower_bound_


def test_memory_is_that_of_a_tile(three):
    with lookalike.config(memory="50MB"):
        model = GaussianMixture(2, random_state=0).fit(three)
    assert model.converged_


@pytest.mark.parametrize("value", [1e100, 1e160, 1e200])
def test_one_value_of_another_magnitude_is_named_with_row_and_column(three, value):
    X = three.copy()
    X[7, 1] = value
    with pytest.raises(MagnitudeError, match="at row 7, column 'x1'"):
        GaussianMixture(2, random_state=0).fit(X)
