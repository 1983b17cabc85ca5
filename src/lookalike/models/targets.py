"""Class labels as classifiers need them: one a row, of one kind, none missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from lookalike.data.kinds import is_missing
from lookalike.errors import MissingValueError, ParameterError, ParameterTypeError, ShapeError
from lookalike.models.base import _is_known_to_sklearn
from lookalike.typing import AnyArray


def as_labels(y: Any) -> AnyArray:
    """Return `y` as one label a row, or raise an error that names the first that will not do.

    Examples
    --------
    >>> as_labels(["cat", 1])
    Traceback (most recent call last):
    lookalike.errors.ParameterTypeError: y mixes labels of several kinds: 'cat' at row 0, 1 at ...
    """
    labels: AnyArray = column_or_1d(y, warn=True)
    if labels.dtype.kind in "OUS":
        objects = np.asarray(y, dtype=object).ravel()
        _require_one_kind(objects)
        labels = np.array(objects.tolist())
    elif labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise MissingValueError(f"y holds NaN or inf at row {row} ({labels[row]}). Give a label.")
    try:
        check_classification_targets(labels)
    except ValueError as error:
        raise ParameterError(f"y holds no classes. {error}") from error
    return labels


def labels_of(model: Any, X: Any, y: Any) -> AnyArray | None:
    """Return the labels given beside `X`; None where `X` is a source that may bring its own."""
    if y is not None:
        return as_labels(y)
    if _is_known_to_sklearn(X):
        raise ShapeError(
            f"{type(model).__name__} requires y to be passed, but the target y is None. "
            "Give the class of each row."
        )
    return None


def _require_one_kind(labels: AnyArray) -> None:
    first: tuple[str, Any] | None = None
    for row, label in enumerate(labels):
        if is_missing(label):
            raise MissingValueError(
                f"y holds no label at row {row} ({label!r}). Drop the row or label it."
            )
        kind = type(label).__name__ if isinstance(label, str | bytes) else "number"
        if first is None:
            first = kind, label
        elif first[0] != kind:
            raise ParameterTypeError(
                f"y mixes labels of several kinds: {first[1]!r} at row 0, {label!r} at row {row}. "
                "Give all as text or all as numbers."
            )
