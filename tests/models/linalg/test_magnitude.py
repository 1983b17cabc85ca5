"""Rows whose squares leave the range of float64 have the components of the same rows near 1."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lookalike import LSA, PCA, LinearDiscriminantAnalysis, LookalikeError, StandardScaler
from lookalike.errors import MagnitudeError
from lookalike.models.linalg.magnitude import require_range

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(60, 5)) @ np.diag([5.0, 3.0, 1.0, 0.5, 0.1]) + 2.0
LABELS = np.arange(60) % 3
SCALES = [2.0**531, 2.0**-531, 2.0**900, 2.0**-900]  # about 1e160, 1e-160, 1e270, 1e-270
SOLVERS = ["covariance_eigh", "gram", "full", "leading", "arpack", "randomized"]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("whiten", [False, True])
def test_pca_of_any_magnitude_is_that_of_the_rows_near_one(scale, solver, whiten):
    def fit(X):
        return PCA(2, svd_solver=solver, whiten=whiten, random_state=0).fit(X)

    usual, unusual = fit(ROWS), fit(ROWS * scale)
    np.testing.assert_allclose(unusual.components_, usual.components_, atol=1e-12)
    np.testing.assert_allclose(unusual.mean_, usual.mean_ * scale, rtol=1e-12)
    np.testing.assert_allclose(
        unusual.explained_variance_ratio_, usual.explained_variance_ratio_, rtol=1e-10
    )
    np.testing.assert_allclose(unusual.singular_values_, usual.singular_values_ * scale, rtol=1e-10)
    scores = unusual.transform(ROWS * scale)
    expected = usual.transform(ROWS) * (1.0 if whiten else scale)
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-9 * np.abs(expected).max())
    back = unusual.inverse_transform(scores) / scale
    np.testing.assert_allclose(back, usual.inverse_transform(usual.transform(ROWS)), atol=1e-8)
    assert unusual.decisions_.about("scale")
    with pytest.raises(MagnitudeError, match="Rescale the rows"):
        unusual.score_samples(ROWS * scale)


@pytest.mark.parametrize("scale", [1e30, 1e-30])
def test_pca_of_float32_rows_whose_squares_leave_float32_is_right(scale):
    usual = PCA(2).fit(ROWS.astype(np.float32))
    unusual = PCA(2).fit((ROWS * scale).astype(np.float32))
    np.testing.assert_allclose(unusual.components_, usual.components_, atol=1e-5)
    assert unusual.components_.dtype == np.float32


def test_rows_with_missing_values_may_have_any_magnitude():
    X = ROWS.copy()
    X[::7, 2] = np.nan
    usual, unusual = (PCA(2, missing="em").fit(X * scale) for scale in (1.0, 2.0**531))
    np.testing.assert_allclose(unusual.components_, usual.components_, atol=1e-8)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"solver": "eigen"},
        {"solver": "lsqr"},
        {"solver": "eigen", "shrinkage": 0.3},
        {"solver": "lsqr", "shrinkage": "auto"},
        {"priors": [0.2, 0.3, 0.5], "store_covariance": True},
    ],
    ids=str,
)
def test_lda_of_any_magnitude_is_that_of_the_rows_near_one(scale, options):
    usual = LinearDiscriminantAnalysis(**options).fit(ROWS, LABELS)
    unusual = LinearDiscriminantAnalysis(**options).fit(ROWS * scale, LABELS)
    np.testing.assert_allclose(
        unusual.predict_proba(ROWS * scale), usual.predict_proba(ROWS), atol=1e-10
    )
    np.testing.assert_array_equal(unusual.predict(ROWS * scale), usual.predict(ROWS))
    if usual.solver != "lsqr":
        np.testing.assert_allclose(unusual.transform(ROWS * scale), usual.transform(ROWS), 1e-8)
    if hasattr(unusual, "partial_fit"):
        with pytest.raises(MagnitudeError):
            unusual.partial_fit(ROWS, LABELS)


@pytest.mark.parametrize("size", [1e155, 1e200, 1e300])
def test_lda_gives_rows_far_off_to_the_class_that_they_lie_towards(size):
    model = LinearDiscriminantAnalysis().fit(ROWS, LABELS)
    far = model.predict_proba(ROWS * size)
    np.testing.assert_allclose(far.sum(axis=1), 1.0)
    np.testing.assert_array_equal(far.argmax(axis=1), (ROWS @ model.coef_.T).argmax(axis=1))


@pytest.mark.parametrize("scale", SCALES)
def test_lsa_of_any_magnitude_is_that_of_the_rows_near_one(scale):
    X = sp.csr_array(np.where(ROWS > 1.0, ROWS, 0.0))
    usual, unusual = (
        LSA(2, weighting="raw").fit(sp.csr_array(X * factor)) for factor in (1.0, scale)
    )
    np.testing.assert_allclose(unusual.components_, usual.components_, atol=1e-12)
    np.testing.assert_allclose(unusual.singular_values_ / scale, usual.singular_values_, 1e-12)
    np.testing.assert_allclose(
        unusual.explained_variance_ratio_, usual.explained_variance_ratio_, 1e-10
    )
    np.testing.assert_allclose(unusual.transform(X * scale) / scale, usual.transform(X), 1e-9)


def test_rows_that_come_once_and_cannot_be_rescaled_are_an_error():
    with pytest.raises(LookalikeError, match="Rescale the rows"):
        PCA().fit(iter([ROWS * 1e160]))
    constant = PCA().fit(iter([np.ones((5, 3))]))
    assert constant.rank_ == 0


def test_sums_of_squares_in_range_pass():
    require_range(np.eye(3))
    require_range(np.zeros(3), least=0.0)
    for bad in (np.full(2, np.inf), np.full((2, 2), np.nan), np.zeros(2), np.full(2, 1e-300)):
        with pytest.raises(MagnitudeError):
            require_range(bad)


@pytest.mark.parametrize("scale", [*SCALES, np.array([1.0, 2.0**700, 2.0**-700, 3.0, 0.0])])
def test_columns_of_any_magnitude_are_standardized(scale):
    expected = StandardScaler().fit_transform(ROWS * (scale != 0))
    for scaler in (StandardScaler(),):
        np.testing.assert_allclose(scaler.fit_transform(ROWS * scale), expected, atol=1e-12)
