"""Columns brought to one scale."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from lookalike import Standardizer
from lookalike.errors import MissingValueError, ParameterError

tables = arrays(
    np.float64, st.tuples(st.integers(2, 20), st.integers(1, 4)), elements=st.floats(-1e6, 1e6)
)


@pytest.mark.parametrize(
    ("method", "peer"), [("zscore", StandardScaler()), ("minmax", MinMaxScaler())]
)
def test_scores_equal_scikit_learns(method, peer, blobs):
    np.testing.assert_allclose(
        Standardizer(method).fit_transform(blobs), peer.fit_transform(blobs), atol=1e-12
    )


def test_z_scores_have_mean_zero_and_deviation_one(blobs):
    Z = Standardizer().fit_transform(blobs + 1e8)
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-7)
    np.testing.assert_allclose(Z.std(axis=0), 1, rtol=1e-7)


def test_the_covariance_of_whitened_rows_is_the_identity(blobs):
    Z = Standardizer("whiten", ddof=1).fit_transform(blobs)
    np.testing.assert_allclose(np.cov(Z.T), np.eye(5), atol=1e-10)


def test_whitening_blows_up_no_direction_without_variance(blobs):
    flat = np.column_stack([blobs, blobs[:, 0] + blobs[:, 1], np.full(len(blobs), 7.0)])
    model = Standardizer("whiten", ddof=1).fit(flat)
    Z = model.transform(flat)
    np.testing.assert_allclose(np.cov(Z.T), np.diag([1, 1, 1, 1, 1, 0, 0]), atol=1e-8)
    assert "no variation in 2 directions" in str(model.decisions_)
    np.testing.assert_allclose(model.inverse_transform(Z), flat, atol=1e-8)


@given(tables)
@pytest.mark.parametrize("method", ["zscore", "minmax"])
def test_the_inverse_leads_back(method, X):
    model = Standardizer(method).fit(X)
    back = model.inverse_transform(model.transform(X))
    np.testing.assert_allclose(back, X, atol=1e-9 * max(1.0, np.abs(X).max()))


def test_a_constant_column_is_only_shifted_and_said(blobs):
    X = np.column_stack([blobs, np.full(len(blobs), 0.1)])
    model = Standardizer().fit(X)
    np.testing.assert_allclose(model.transform(X)[:, 5], 0, atol=1e-15)
    assert model.scale_[5] == 1.0
    assert model.decisions_.about("scale_")[0].reason == "no variation in 1 columns: x5"


def test_missing_values_pass_through(blobs):
    X = blobs.copy()
    X[3, 1] = np.nan
    np.testing.assert_allclose(
        Standardizer().fit_transform(X), StandardScaler().fit_transform(X), atol=1e-12
    )


def test_whitening_needs_every_value(blobs):
    X = blobs.copy()
    X[3, 1] = np.nan
    with pytest.raises(MissingValueError, match="row 3, column 'x1'"):
        Standardizer("whiten").fit(X)


def test_an_infinite_value_is_named(blobs):
    X = blobs.copy()
    X[5, 2] = -np.inf
    with pytest.raises(MissingValueError, match="-inf at row 5, column 'x2'"):
        Standardizer().fit(X)


def test_sparse_rows_stay_sparse_when_they_are_not_centered():
    X = sp.random_array((50, 4), density=0.3, rng=np.random.default_rng(0), format="csr")
    Z = Standardizer(center=False).fit_transform(X)
    assert sp.issparse(Z)
    expected = StandardScaler(with_mean=False).fit_transform(X)
    np.testing.assert_allclose(Z.toarray(), expected.toarray())


def test_centering_sparse_rows_is_an_error_that_says_how_not_to():
    with pytest.raises(ParameterError, match="Give center=False"):
        Standardizer().fit(sp.csr_array(np.eye(3)))


def test_float32_stays_float32(blobs):
    assert Standardizer().fit_transform(blobs.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("method", ["z", None, 1])
def test_an_unknown_method_is_an_error_that_lists_the_known_ones(method):
    with pytest.raises(ParameterError, match="'zscore', 'minmax', 'whiten'"):
        Standardizer(method).fit(np.eye(3))
