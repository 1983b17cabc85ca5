"""Cross-validated scores and bootstrap intervals."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.studies.evaluate.metrics import bootstrap, cross_validated
from lookalike.studies.task import CLASSIFICATION


def test_the_cross_validated_error_is_that_of_scikit_learn():
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB

    X, y = load_iris(return_X_y=True)
    score = cross_validated(GaussianNB, X, y, CLASSIFICATION)
    assert score.value == pytest.approx(0.05, abs=0.02)
    assert score.interval[0] < score.value < score.interval[1]


def test_the_bootstrap_interval_of_a_mean_is_that_of_its_deviation():
    values = np.random.default_rng(0).normal(size=400)
    low, high = bootstrap(lambda rows: float(values[rows].mean()), 400, seed=0)
    assert (high - low) / 2 == pytest.approx(1.96 * values.std() / 20, rel=0.1)
