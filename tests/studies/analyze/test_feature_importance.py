"""Univariate scores of columns."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.studies.analyze.feature_importance import univariate_scores
from lookalike.studies.task import CLASSIFICATION, REGRESSION


def test_univariate_scores_are_shares_of_variance():
    rng = np.random.default_rng(0)
    y = np.array(["a", "b"] * 50)
    Z = np.column_stack([(y == "a").astype(float), rng.normal(size=100), np.ones(100)])
    scores = univariate_scores(Z, y, CLASSIFICATION)
    assert scores[0] == pytest.approx(1)
    assert scores[1] < 0.1
    assert scores[2] == 0
    assert univariate_scores(Z, Z[:, 1], REGRESSION)[1] == pytest.approx(1)


def test_empty_columns_and_a_single_class_score_0():
    Z = np.column_stack([np.arange(6.0), np.full(6, np.nan)])
    assert univariate_scores(Z, np.array(list("ababab")), CLASSIFICATION)[1] == 0
    assert univariate_scores(Z, np.array(["a"] * 6), CLASSIFICATION).tolist() == [0, 0]
