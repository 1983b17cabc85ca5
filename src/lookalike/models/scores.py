"""The scores of classifiers and regressors, as scikit-learn's, of targets that are checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import r2_score

from lookalike.data.targets import as_finite
from lookalike.errors import ShapeError
from lookalike.models.inputs import as_sample_weight
from lookalike.models.labels import join_label_arrays, read_labels
from lookalike.models.sklearn_bases import ClassifierMixin, RegressorMixin
from lookalike.typing import AnyArray, Array, TableLike


def accuracy(self: Any, X: TableLike, y: object, sample_weight: object = None) -> float:
    """Return the accuracy of `predict` on the rows of `X`, of which `y` are the classes.

    Of several outputs all must be right. `sample_weight` says how much each row counts.
    """
    labels, predicted = read_labels(y), np.asarray(self.predict(X))
    true = labels.named(labels.codes)
    weight = _check(true, predicted, sample_weight)
    join_label_arrays(predicted, true)  # raises where they are of different types
    right = predicted == true
    return float(np.average(right if right.ndim == 1 else right.all(axis=1), weights=weight))


def coefficient_of_determination(
    self: Any, X: TableLike, y: object, sample_weight: object = None
) -> float:
    """Return R² of `predict` on the rows of `X`, of which `y` are the targets.

    It is the mean of several outputs. `sample_weight` says how much each row counts.
    """
    true, predicted = as_finite(y), np.asarray(self.predict(X))
    true = true.reshape(predicted.shape) if true.shape == (*predicted.shape, 1) else true
    weight = _check(true, predicted, sample_weight)
    as_finite(predicted, "the prediction", "Leave the row out, or give a larger radius.")
    return float(r2_score(true, predicted, sample_weight=weight))


class AccuracyMixin(ClassifierMixin):
    """Gives classifiers their score, the share of rows whose class is predicted."""

    score = accuracy


class R2Mixin(RegressorMixin):
    """Gives regressors their score, the coefficient of determination."""

    score = coefficient_of_determination


def _check(true: AnyArray, predicted: AnyArray, sample_weight: object) -> Array | None:
    """Return the weights; raise unless targets and predictions have the same shape."""
    if true.shape != predicted.shape:
        raise ShapeError(
            f"y has shape {true.shape}, the predictions {predicted.shape}. Give one entry of y a "
            "row of X, and as many outputs as in fit."
        )
    weight = as_sample_weight(sample_weight)
    if weight is not None and weight.shape != true.shape[:1]:
        raise ShapeError(
            f"sample_weight has shape {weight.shape}, X has {len(true)} rows. Give one per row."
        )
    return weight
