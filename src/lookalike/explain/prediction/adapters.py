"""Targets and parameters of a fitted neighbor model of lookalike or scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import ParameterTypeError, ShapeError
from lookalike.models.estimator import check_is_fitted
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def class_codes(model: BaseEstimator) -> Rows:
    """Return the class of every training row, as its place in `classes_`."""
    check_is_fitted(model)
    if not (hasattr(model, "classes_") and _searches(model)):
        raise ParameterTypeError(
            f"{type(model).__name__} is no classifier by neighbors. Give a fitted one."
        )
    targets = getattr(model, "_targets", None)
    codes = np.asarray(model._y if targets is None else targets.codes)
    return _single(codes, model).astype(np.int64)


def numbers(model: BaseEstimator) -> Array:
    """Return the target of every training row of a regressor."""
    check_is_fitted(model)
    if hasattr(model, "classes_") or not _searches(model):
        raise ParameterTypeError(
            f"{type(model).__name__} is no regressor by neighbors. Give a fitted one."
        )
    targets = np.asarray(
        getattr(model, "_targets", None) if hasattr(model, "_targets") else model._y
    )
    return _single(targets, model).astype(np.float64)


def n_neighbors(model: BaseEstimator) -> int:
    """Return the number of neighbors of the model, given or selected."""
    return int(getattr(model, "n_neighbors_", model.n_neighbors))


def _searches(model: object) -> bool:
    """Tell whether a model predicts from neighbors, like those of lookalike or scikit-learn."""
    return hasattr(model, "_targets") or hasattr(model, "kneighbors")


def _single(targets: AnyArray, model: object) -> AnyArray:
    if targets.ndim == 2 and targets.shape[1] > 1:
        raise ShapeError(
            f"{type(model).__name__} has {targets.shape[1]} outputs. Explain a model of each."
        )
    return targets.reshape(len(targets))
