"""Cross-validated scores, of whole groups where there are any."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.studies.evaluate.metrics import cross_validated
from lookalike.studies.scoring import scoring_for
from lookalike.studies.task import CLASSIFICATION


def test_the_cross_validated_error_is_that_of_scikit_learn():
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB

    X, y = load_iris(return_X_y=True)
    score = cross_validated(GaussianNB, X, y, CLASSIFICATION)
    assert score.value == pytest.approx(0.05, abs=0.02)
    assert score.interval[0] < score.value < score.interval[1]


def test_rows_of_one_group_are_never_validated_on_each_other():
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), rng.integers(2, size=100)
    X, y, groups = np.repeat(X, 2, axis=0), np.repeat(y, 2), np.repeat(np.arange(100), 2)
    order = rng.permutation(200)
    X, y, groups = X[order], y[order], groups[order]
    nearest = KNeighborsClassifier(1)
    together = cross_validated(lambda: nearest, X, y, CLASSIFICATION, groups=groups)
    apart = cross_validated(lambda: nearest, X, y, CLASSIFICATION)
    assert together.value > 0.35  # the labels are random
    assert apart.value < 0.15


@pytest.mark.parametrize("name", ["balanced_accuracy", "f1", "auc", "log_loss"])
def test_the_score_that_models_are_compared_by_is_that_of_scikit_learn(name):
    from sklearn import metrics
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.preprocessing import scale

    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    fold = CLASSIFICATION.folds(y, 5)
    splits = [(np.flatnonzero(fold != one), np.flatnonzero(fold == one)) for one in range(5)]
    shares = cross_val_predict(LogisticRegression(), X, y, cv=splits, method="predict_proba")
    score = cross_validated(
        LogisticRegression, X, y, CLASSIFICATION, scoring=scoring_for(name, CLASSIFICATION)
    )
    reference = {
        "balanced_accuracy": lambda: metrics.balanced_accuracy_score(y, shares.argmax(axis=1)),
        "f1": lambda: metrics.f1_score(y, shares.argmax(axis=1), average="macro"),
        "auc": lambda: metrics.roc_auc_score(y, shares[:, 1]),
        "log_loss": lambda: metrics.log_loss(y, shares),
    }
    assert score.scored == pytest.approx(reference[name]())
