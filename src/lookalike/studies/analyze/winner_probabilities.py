"""Out-of-fold class probabilities of the selected model, for the audit of labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifierCV
from sklearn.pipeline import Pipeline

from lookalike.explain.audit.out_of_fold import out_of_fold_probabilities
from lookalike.models.neighbors.kernel_classifier import SoftNeighborsClassifier
from lookalike.models.rbf.classifier import RBFNetworkClassifier
from lookalike.studies.load.dataset import Dataset
from lookalike.typing import Array

NEIGHBORS = ("nearest", "knn", "knn_weighted", "tfidf_knn")  # which the audit has of its own


def winner_probabilities(model: Pipeline, dataset: Dataset, seed: int) -> Array:
    """Return the class probabilities of every row by the winner, fitted on the other folds.

    Preprocessing and hyperparameters are those that were selected.
    """
    rows = model[:1].transform(dataset.source())
    rows = rows if hasattr(rows, "tocsr") else np.asarray(rows)
    steps = [(name, with_selected_hyperparameters(step)) for name, step in model.steps[1:]]
    return out_of_fold_probabilities(Pipeline(steps), rows, dataset.y, seed=seed)


def with_selected_hyperparameters(model: Any) -> Any:
    """Return a model that is not fitted, with the hyperparameters that `model` selected.

    Examples
    --------
    >>> fitted = RidgeClassifierCV(alphas=(0.1, 1e5)).fit([[0.0], [1.0], [2.0]], [0, 0, 1])
    >>> with_selected_hyperparameters(fitted).alphas
    [0.1]
    """
    if isinstance(model, RidgeClassifierCV):
        return RidgeClassifierCV(alphas=[float(model.alpha_)])
    if isinstance(model, SoftNeighborsClassifier):
        return clone(model).set_params(bandwidth=model.bandwidth_)
    if isinstance(model, RBFNetworkClassifier):
        chosen = {"n_centers": len(model.centers_), "width": float(model.width_)}
        return clone(model).set_params(**chosen)
    return clone(model)
