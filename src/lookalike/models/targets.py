"""Class labels as classifiers need them: one a row, of one kind, none missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.errors import ShapeError
from lookalike.models.estimator import is_sklearn_table
from lookalike.models.labels import read_labels
from lookalike.typing import AnyArray


def as_labels(y: Any) -> AnyArray:
    """Return `y` as one label a row, or raise an error that names the first that will not do.

    Examples
    --------
    >>> as_labels(["cat", 1])
    Traceback (most recent call last):
    lookalike.errors.ParameterTypeError: y mixes labels of types int and str, which have no ...
    """
    labels = read_labels(y)
    if not labels.flat:
        raise ShapeError(f"y should be a 1d array, got an array of shape {np.shape(y)} instead.")
    return labels.named(labels.codes)


def labels_of(model: Any, X: Any, y: Any) -> AnyArray | None:
    """Return the labels given beside `X`; None where `X` is a source that may bring its own."""
    if y is not None:
        return as_labels(y)
    if is_sklearn_table(X):
        raise ShapeError(
            f"{type(model).__name__} requires y to be passed, but the target y is None. "
            "Give the class of each row."
        )
    return None
