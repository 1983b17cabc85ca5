"""Principal components of rows with missing values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from lookalike import PCA
from lookalike.data import Chunk, open_source
from lookalike.decisions import Decisions
from lookalike.engines import engine_for
from lookalike.errors import MissingValueError, ParameterTypeError, RepeatError
from lookalike.kernels.gaussian_missing import by_missing
from lookalike.models.decomposition.pca_missing import expected_moments, loadings_and_noise
from lookalike.reductions.em_missing import GaussianEStep


@pytest.fixture(scope="module")
def holes():
    """Rows of two directions and little noise, whole and with one value in six missing."""
    rng = np.random.default_rng(0)
    X = (
        rng.normal(size=(300, 2)) * [5, 3] @ rng.normal(size=(2, 6))
        + 0.3 * rng.normal(size=(300, 6))
        + 20
    )
    return X, np.where(rng.random(X.shape) < 1 / 6, np.nan, X)


def test_without_holes_em_gives_the_answer_of_the_covariance(holes):
    X, _ = holes
    em, plain = (PCA(n_components=2, missing=m).fit(X) for m in ("em", "error"))
    np.testing.assert_allclose(em.components_, plain.components_, atol=1e-9)
    np.testing.assert_allclose(em.spectrum_, plain.spectrum_, rtol=1e-9)


def test_with_holes_the_directions_are_close_to_those_without(holes):
    X, missing = holes
    em, whole = PCA(n_components=2, missing="em").fit(missing), PCA(n_components=2).fit(X)
    assert np.linalg.svd(em.components_ @ whole.components_.T)[1].min() > 0.9999
    np.testing.assert_allclose(em.explained_variance_, whole.explained_variance_, rtol=0.03)
    filled = np.where(np.isnan(missing), np.nanmean(missing, axis=0), missing)
    naive = PCA(n_components=2).fit(filled)  # filling with means shrinks the variances
    assert naive.explained_variance_[0] < 0.9 * whole.explained_variance_[0]


def test_scores_and_errors_of_rows_with_holes_are_those_of_the_completed_rows(holes):
    X, missing = holes
    pca = PCA(n_components=2, missing="em").fit(missing)
    gap = abs(pca.transform(missing) - pca.transform(X))
    assert np.median(gap) < 0.2
    back = pca.inverse_transform(pca.transform(missing))
    lost = np.isnan(missing)
    assert np.sqrt(((back - X)[lost] ** 2).mean()) < 0.6  # twice the noise, of a deviation of 5
    error = pca.reconstruction_error(missing)
    np.testing.assert_allclose(error, np.where(lost, 0, (back - X) ** 2).sum(axis=1), rtol=1e-8)


def test_every_engine_gives_the_same_directions(engine, holes):
    pca = PCA(n_components=2, missing="em", engine=engine).fit(holes[1])
    here = PCA(n_components=2, missing="em", engine="memory").fit(holes[1])
    np.testing.assert_allclose(pca.components_, here.components_, atol=1e-8)


def test_the_likelihood_of_the_values_present_never_falls(holes):
    source = open_source(holes[1])
    engine = engine_for(source)
    mean, covariance = np.nanmean(holes[1], axis=0), np.diag(np.nanvar(holes[1], axis=0))
    likelihoods = []
    for _ in range(15):
        expect = GaussianEStep(mean, *loadings_and_noise(covariance, 2))
        moments, likelihood, _ = engine.reduce(expect, source)
        likelihoods.append(likelihood)
        mean, covariance = moments.mean, moments.scatter / moments.count
    assert (np.diff(likelihoods) > -1e-9 * abs(likelihoods[-1])).all()


def test_expectations_are_those_of_the_conditional_gaussian(holes):
    rng = np.random.default_rng(1)
    mean, loadings = rng.normal(size=6), rng.normal(size=(6, 2))
    S = loadings @ loadings.T + 0.7 * np.eye(6)
    X = holes[1][:40]
    seen = []
    for rows, m, completed, covariance, log_densities in by_missing(X, mean, loadings, 0.7):
        o = np.setdiff1d(np.arange(6), m)
        slope = np.linalg.solve(S[np.ix_(o, o)], S[np.ix_(o, m)])
        np.testing.assert_allclose(
            covariance, S[np.ix_(m, m)] - S[np.ix_(m, o)] @ slope, atol=1e-10
        )
        for row, filled, log_density in zip(rows, completed, log_densities, strict=True):
            np.testing.assert_array_equal(filled[o], X[row, o])
            guess = mean[m] + (X[row, o] - mean[o]) @ slope
            np.testing.assert_allclose(filled[m], guess, rtol=1e-9)
            reference = multivariate_normal(mean[o], S[np.ix_(o, o)]).logpdf(X[row, o])
            np.testing.assert_allclose(log_density, reference, rtol=1e-9)
            seen.append(row)
    assert sorted(seen) == list(range(40))


def test_weights_count_as_repeated_rows(holes):
    weight = np.random.default_rng(2).integers(0, 3, 300)
    weighted = PCA(n_components=2, missing="em").fit(holes[1], sample_weight=weight)
    repeated = PCA(n_components=2, missing="em").fit(np.repeat(holes[1], weight, axis=0))
    np.testing.assert_allclose(weighted.components_, repeated.components_, atol=1e-8)


def test_rules_can_be_had_with_missing_values(holes):
    for rule in ("knee", 0.99):
        em, whole = PCA(rule, missing="em").fit(holes[1]), PCA(rule).fit(holes[0])
        assert em.n_components_ == whole.n_components_


def test_rows_without_any_value_are_left_out_and_counted(holes):
    X = holes[1].copy()
    X[[4, 9]] = np.nan
    pca = PCA(n_components=2, missing="em").fit(X)
    assert pca.decisions_.about("rows")[0].choice == "2 left out"
    rest = PCA(n_components=2, missing="em").fit(np.delete(X, [4, 9], axis=0))
    np.testing.assert_allclose(pca.components_, rest.components_, atol=1e-8)
    assert pca.n_samples_ == 298
    assert not pca.transform(X)[[4, 9]].round(9).any()  # nothing is known of them but the mean


def test_the_number_of_iterations_is_recorded(holes):
    (decision,) = PCA(n_components=2, missing="em").fit(holes[1]).decisions_.about("missing")
    assert decision.choice.endswith("iterations of EM")


def test_a_column_without_any_value_is_named():
    X = np.random.default_rng(3).normal(size=(10, 3))
    X[:, 1] = np.nan
    with pytest.raises(MissingValueError, match="column 'x1' has no value"):
        PCA(missing="em").fit(X)


def test_what_em_cannot_read_is_refused(holes):
    import scipy.sparse as sp

    with pytest.raises(RepeatError, match="missing='em'"):
        PCA(missing="em").fit(iter([holes[1]]))
    with pytest.raises(ParameterTypeError, match="does not support sparse rows"):
        PCA(missing="em").fit(sp.csr_array(holes[0]))


def test_the_likelihood_of_the_model_with_every_direction_is_highest_of_all():
    """Full-covariance EM reaches the maximum: moving the covariance lowers the likelihood."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 3)) @ rng.normal(size=(3, 3))
    X[rng.random(X.shape) < 0.2] = np.nan
    source = open_source(X)
    _, moments = expected_moments(engine_for(source), source, None, Decisions())
    S = moments.scatter / moments.count

    def likelihood(S):
        chunk = Chunk(X)
        reduction = GaussianEStep(moments.mean, *loadings_and_noise(S, 2))
        return reduction.update(reduction.init(3), chunk)[1]

    best = likelihood(S)
    for _ in range(20):
        move = rng.normal(size=(3, 3))
        assert likelihood(S + 1e-3 * np.trace(S) * (move + move.T)) < best + 1e-6
