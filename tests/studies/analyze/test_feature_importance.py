"""Permutation importance on held-out rows, and univariate scores of columns."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import Pipeline

from lookalike import KNeighborsClassifier
from lookalike.decisions import Decisions
from lookalike.models.preprocessing.table import TablePreprocessor
from lookalike.studies.analyze.feature_importance import permutation_importance, univariate_scores
from lookalike.studies.load.dataset import Dataset
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


def fitted(classifier, dataset, **options):
    """Return a pipeline of a table, fitted as those of a study."""
    preprocessor = TablePreprocessor(dict(dataset.kinds), **options)
    Z = preprocessor.fit_transform(dataset.source())
    return Pipeline([("prepare", preprocessor), ("model", classifier.fit(Z, dataset.y))])


def test_importance_is_that_of_rows_which_the_model_was_not_fitted_on():
    rng = np.random.default_rng(0)
    y = np.array(["a", "b"] * 100)
    rows = {"x": (y == "a") + 0.4 * rng.normal(size=200), "noise": rng.normal(size=200)}
    dataset = Dataset(rows, dict.fromkeys(rows, "number"), np.arange(200), y)
    halves = [np.arange(100), np.arange(100, 200)]
    models = [
        (fitted(KNeighborsClassifier(1), dataset.take(train)), held_out)
        for train, held_out in (halves, halves[::-1])
    ]
    x, noise = permutation_importance(models, dataset, CLASSIFICATION, 0, Decisions())
    assert x.name == "x"
    assert x.interval[0] > 0.1
    assert noise.interval[0] < 0  # of its training rows, 1-NN needs both columns
    memorized = [(models[0][0], halves[0])]
    assert all(
        one.interval[0] > 0
        for one in permutation_importance(memorized, dataset, CLASSIFICATION, 0, Decisions())
    )


def test_columns_of_sparse_features_are_shuffled_together():
    rng = np.random.default_rng(0)
    y = np.array(["a", "b"] * 60)
    words = {"a": ["red", "round"], "b": ["blue", "flat"]}
    text = np.array([f"{rng.choice(words[one])} thing number {i}" for i, one in enumerate(y)])
    rows = {"text": text.astype(object), "x": rng.normal(size=120)}
    dataset = Dataset(rows, {"text": "text", "x": "number"}, np.arange(120), y)
    model = fitted(RidgeClassifier(), dataset.take(np.arange(80)), text="terms")
    found = permutation_importance(
        [(model, np.arange(80, 120))], dataset, CLASSIFICATION, 0, Decisions()
    )
    assert found[0].name == "text"
    assert found[0].importance == pytest.approx(0.5, abs=0.15)
    assert abs(found[1].importance) < 0.05
