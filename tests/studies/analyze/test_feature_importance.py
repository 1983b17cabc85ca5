"""Permutation importance on held-out rows, and univariate scores of columns."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier

from lookalike import KNeighborsClassifier
from lookalike.decisions import Decisions
from lookalike.models.preprocessing.table import TablePreprocessor
from lookalike.studies.analyze.feature_importance import permutation_importance, univariate_scores
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.task import CLASSIFICATION_TASK, REGRESSION_TASK


def test_univariate_scores_are_shares_of_variance():
    rng = np.random.default_rng(0)
    y = np.array(["a", "b"] * 50)
    Z = np.column_stack([(y == "a").astype(float), rng.normal(size=100), np.ones(100)])
    scores = univariate_scores(Z, y, CLASSIFICATION_TASK)
    assert scores[0] == pytest.approx(1)
    assert scores[1] < 0.1
    assert scores[2] == 0
    assert univariate_scores(Z, Z[:, 1], REGRESSION_TASK)[1] == pytest.approx(1)


def test_empty_columns_and_a_single_class_score_0():
    Z = np.column_stack([np.arange(6.0), np.full(6, np.nan)])
    assert univariate_scores(Z, np.array(list("ababab")), CLASSIFICATION_TASK)[1] == 0
    assert univariate_scores(Z, np.array(["a"] * 6), CLASSIFICATION_TASK).tolist() == [0, 0]


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
    x, noise = permutation_importance(models, dataset, CLASSIFICATION_TASK, 0, Decisions())
    assert x.name == "x"
    assert x.interval[0] > 0.1
    assert noise.interval[0] < 0  # of its training rows, 1-NN needs both columns
    memorized = [(models[0][0], halves[0])]
    assert all(
        one.interval[0] > 0
        for one in permutation_importance(memorized, dataset, CLASSIFICATION_TASK, 0, Decisions())
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
        [(model, np.arange(80, 120))], dataset, CLASSIFICATION_TASK, 0, Decisions()
    )
    assert found[0].name == "text"
    assert found[0].importance == pytest.approx(0.5, abs=0.15)
    assert abs(found[1].importance) < 0.05


def in_folds(classifier, dataset, n_folds=5):
    """Return the models of folds, each with the places of the rows that it was not fitted on."""
    fold = np.arange(len(dataset)) % n_folds
    return [
        (fitted(clone(classifier), dataset.take(np.flatnonzero(fold != one))), places)
        for one in range(n_folds)
        for places in [np.flatnonzero(fold == one)]
    ]


def columns_of(X, y):
    """Return the columns of X as a table."""
    rows = {f"x{j}": column for j, column in enumerate(X.T)}
    return Dataset(rows, dict.fromkeys(rows, "number"), np.arange(len(y)), y)


@pytest.mark.parametrize(
    "model", [GaussianNB(), DecisionTreeClassifier(max_depth=3, random_state=0)]
)
def test_on_pure_noise_no_column_of_20_is_significant_in_95_percent_of_studies(model):
    named, narrow = 0, 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        dataset = columns_of(rng.normal(size=(200, 20)), rng.integers(2, size=200))
        found = permutation_importance(
            in_folds(model, dataset), dataset, CLASSIFICATION_TASK, seed, Decisions()
        )
        named += any(one.is_significant for one in found)
        narrow += any(one.interval[0] > 0 for one in found)
    assert named <= 1
    assert narrow > named  # intervals of single columns do not allow for their number


def test_numbers_of_heavy_tails_name_no_column_of_noise():
    named = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        dataset = columns_of(rng.normal(size=(200, 10)), rng.lognormal(0, 1.5, 200))
        models = in_folds(Ridge(), dataset)
        found = permutation_importance(models, dataset, REGRESSION_TASK, seed, Decisions())
        named += any(one.is_significant for one in found)
    assert named <= 1


def test_a_column_that_matters_is_significant_among_30():
    found_it = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(600, 30))
        dataset = columns_of(X, (X[:, 3] + 0.5 * rng.normal(size=600) > 0).astype(int))
        models = in_folds(GaussianNB(), dataset)
        found = permutation_importance(models, dataset, CLASSIFICATION_TASK, seed, Decisions())
        assert {one.name for one in found if one.is_significant} <= {"x3"}
        found_it += found[0].is_significant
    assert found_it == 10


def test_terms_that_chance_explains_are_not_significant():
    rng = np.random.default_rng(0)
    words = np.array([f"word{j}" for j in range(60)])
    texts = [" ".join(rng.choice(words, 6)) for _ in range(120)]
    y = np.array(["a", "b"] * 60)

    def importance(texts):
        rows = {"text": np.array(texts, object)}
        dataset = Dataset(rows, {"text": "text"}, np.arange(120), y, text="text")
        return permutation_importance([], dataset, CLASSIFICATION_TASK, 0, Decisions())

    assert not any(one.is_significant for one in importance(texts))
    told = importance([text + " yes" * (one == "a") for text, one in zip(texts, y, strict=True)])
    assert [one.name for one in told if one.is_significant] == ["yes"]
