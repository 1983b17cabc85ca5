"""PCA as a density."""

from __future__ import annotations

import numpy as np
import pytest
from oracle_pca import slanted_rows
from scipy.stats import multivariate_normal

from lookalike import PCA


@pytest.fixture(scope="module")
def rows():
    return slanted_rows()


def test_the_likelihood_is_that_of_the_gaussian_of_the_model(rows):
    pca = PCA(n_components=3).fit(rows)
    expected = multivariate_normal(pca.mean_, pca.get_covariance()).logpdf(rows)
    np.testing.assert_allclose(pca.score_samples(rows), expected, rtol=1e-9)
    np.testing.assert_allclose(pca.get_precision(), np.linalg.inv(pca.get_covariance()), rtol=1e-8)
    whitened = PCA(n_components=3, whiten=True).fit(rows)
    np.testing.assert_allclose(whitened.score_samples(rows), expected, rtol=1e-9)
    assert pca.score(rows) == pytest.approx(expected.mean())


def test_all_directions_give_the_covariance_of_the_rows(rows):
    pca = PCA().fit(rows)
    np.testing.assert_allclose(pca.get_covariance(), np.cov(rows.T), atol=1e-9)
    np.testing.assert_allclose(pca.get_precision() @ np.cov(rows.T), np.eye(8), atol=1e-7)
