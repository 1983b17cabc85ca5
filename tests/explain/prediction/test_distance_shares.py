"""Shares of features in a distance sum to one, and are those of the formula of the metric."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lookalike import KNeighborsClassifier, explain_prediction
from lookalike.kernels.metrics.gower import Gower


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_terms_of_a_cosine_add_up_to_the_distance(make):
    rng = np.random.default_rng(0)
    X = rng.random((20, 6)) * (rng.random((20, 6)) > 0.4)
    X[:, 0] += 0.1
    model = KNeighborsClassifier(3, metric="cosine").fit(make(X), np.arange(20) % 2)
    evidence = explain_prediction(model, make(X[:1]), leave_out=0)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    terms = (unit[evidence.rows] - unit[0]) ** 2 / 2
    assert terms.sum(axis=1) == pytest.approx(evidence.distances)
    assert evidence.feature_shares == pytest.approx(terms / evidence.distances[:, None])


def test_columns_of_gower_add_up_to_the_distance():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(30, 2)), rng.integers(0, 3, 30)])
    X[rng.random(X.shape) < 0.1] = np.nan
    model = KNeighborsClassifier(
        4, metric="gower", metric_params={"categorical": [2]}, missing="present"
    ).fit(X, np.arange(30) % 2)
    evidence = explain_prediction(model, X[:1], leave_out=0)
    span = np.nanmax(X, axis=0) - np.nanmin(X, axis=0)
    expected = Gower(X, categorical=[2]).expected
    for row, distance, shares in zip(
        evidence.rows, evidence.distances, evidence.feature_shares, strict=True
    ):
        gap = np.abs(X[row] - X[0]) / span
        gap[2] = X[row, 2] != X[0, 2]
        lacking = np.isnan(X[row]) | np.isnan(X[0])
        gap = np.where(lacking, expected, gap)
        assert gap.mean() == pytest.approx(distance)
        assert shares == pytest.approx(gap / gap.sum())
