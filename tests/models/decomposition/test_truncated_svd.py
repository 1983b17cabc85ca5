"""The truncated SVD: exact whichever algorithm is named, sparse rows, extreme magnitudes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lookalike import LSA
from lookalike.decomposition import TruncatedSVD
from lookalike.errors import ParameterError


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return rng.random((60, 12)) * (rng.random((60, 12)) < 0.4)


@pytest.mark.parametrize("algorithm", ["randomized", "arpack"])
@pytest.mark.parametrize("place", [np.asarray, sp.csr_array])
def test_values_and_directions_are_those_of_the_whole_decomposition(rows, algorithm, place):
    model = TruncatedSVD(4, algorithm=algorithm).fit(place(rows))
    _, values, right = np.linalg.svd(rows)
    np.testing.assert_allclose(model.singular_values_, values[:4])
    np.testing.assert_allclose(np.abs(model.components_), np.abs(right[:4]), atol=1e-9)
    assert (model.components_[range(4), np.abs(model.components_).argmax(axis=1)] > 0).all()
    scores = model.transform(place(rows))
    np.testing.assert_allclose(model.explained_variance_, scores.var(axis=0))
    total = rows.var(axis=0).sum()
    np.testing.assert_allclose(model.explained_variance_ratio_, scores.var(axis=0) / total)


def test_it_is_latent_semantic_analysis_of_numbers_as_they_are(rows):
    svd, lsa = TruncatedSVD(3).fit(rows), LSA(3, weighting="raw").fit(sp.csr_array(rows))
    np.testing.assert_allclose(svd.transform(rows), lsa.transform(sp.csr_array(rows)), atol=1e-9)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_rows_whose_squares_leave_float64_have_the_same_directions(rows, scale):
    usual, extreme = TruncatedSVD(3).fit(rows), TruncatedSVD(3).fit(rows * scale)
    np.testing.assert_allclose(extreme.components_, usual.components_, atol=1e-9)
    np.testing.assert_allclose(extreme.singular_values_, usual.singular_values_ * scale)


def test_more_components_than_rows_or_columns_are_an_error(rows):
    with pytest.raises(ParameterError, match="n_components <= 5"):
        TruncatedSVD(6).fit(rows[:5])
    with pytest.raises(ParameterError, match="n_components <= 11"):
        TruncatedSVD(12, algorithm="arpack").fit(rows)
