"""Targets and parameters of a fitted neighbor model of lookalike or scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import ParameterTypeError, ShapeError
from lookalike.models.estimator import check_is_fitted
from lookalike.models.neighbors.training_rows import training_targets
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def class_codes(model: BaseEstimator) -> Rows:
    """Return the class of every training row, as its place in `classes_`."""
    check_is_fitted(model)
    if not (hasattr(model, "classes_") and _searches(model)):
        raise ParameterTypeError(
            f"{type(model).__name__} is not a classifier by neighbors. Give a fitted one."
        )
    return _single(_targets(model), model).astype(np.int64)


def numbers(model: BaseEstimator) -> Array:
    """Return the target of every training row of a regressor."""
    check_is_fitted(model)
    if hasattr(model, "classes_") or not _searches(model):
        raise ParameterTypeError(
            f"{type(model).__name__} is not a regressor by neighbors. Give a fitted one."
        )
    return _single(_targets(model), model).astype(np.float64)


def n_neighbors(model: BaseEstimator) -> int:
    """Return the number of neighbors of the model, given or selected."""
    return int(getattr(model, "n_neighbors_", model.n_neighbors))


def _searches(model: object) -> bool:
    """Tell whether a model predicts from neighbors, like those of lookalike or scikit-learn."""
    return hasattr(model, "kneighbors") or hasattr(model, "targets_")


def _targets(model: object) -> AnyArray:
    targets = training_targets(model)
    if targets is None:
        raise ParameterTypeError(f"{type(model).__name__} keeps no targets. Give a fitted model.")
    return targets


def _single(targets: AnyArray, model: object) -> AnyArray:
    if targets.ndim == 2 and targets.shape[1] > 1:
        raise ShapeError(
            f"{type(model).__name__} has {targets.shape[1]} outputs. Explain a model of each."
        )
    return targets.reshape(len(targets))
