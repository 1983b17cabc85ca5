"""Labels of any one kind become numbers from zero, and numbers become labels again."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import DataConversionWarning

from lookalike.errors import MissingValueError, ParameterError, ParameterTypeError, ShapeError
from lookalike.typing import AnyArray, Rows


class Labels(NamedTuple):
    """The classes of every output in sorted order, and the place of each row's label among them."""

    classes: tuple[AnyArray, ...]
    codes: Rows  # (rows, outputs)
    flat: bool  # whether y was one label a row

    def named(self, codes: Rows) -> AnyArray:
        """Return the labels that `codes` (rows, outputs) stand for, shaped as y was."""
        columns = [classes[codes[:, j]] for j, classes in enumerate(self.classes)]
        return columns[0] if self.flat else np.column_stack(columns)

    def check(self) -> None:
        """Raise unless every code is the place of a class: loops trust them."""
        counts = np.array([len(classes) for classes in self.classes])
        if (
            self.codes.shape[1:] != counts.shape
            or not ((self.codes >= 0) & (self.codes < counts)).all()
        ):
            raise ShapeError(f"labels lie outside the {counts} classes. Fit the model anew.")


def read_labels(y: Any, known: Sequence[AnyArray] | None = None) -> Labels:
    """Return the labels `y`, one a row or several; classes `known` stay even without a row.

    Examples
    --------
    >>> read_labels(["b", "a", "b"]).codes.ravel()
    array([1, 0, 1])
    """
    values = _as_array(y)
    flat = values.ndim == 1 or values.shape[1] == 1
    if flat and values.ndim == 2:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Give y.ravel().",
            DataConversionWarning,
            stacklevel=4,
        )
    columns = values.reshape(len(values), -1)
    classes, codes = [], []
    for j in range(columns.shape[1]):
        column = _checked(columns[:, j])
        told = column if known is None else np.concatenate([column, _checked(known[j])])
        names, place = np.unique(told, return_inverse=True)
        classes.append(names)
        codes.append(place.ravel()[: len(column)])
    return Labels(tuple(classes), np.column_stack(codes).astype(np.int64), flat)


def _as_array(y: Any) -> AnyArray:
    values = np.asarray(y)
    if values.dtype.kind == "f" and _has_only_ints(y):  # too large for any integer type
        values = np.array(y, dtype=object)
    if isinstance(y, (list, tuple)) and values.dtype.kind in "US" and not _of_one_kind(y, values):
        values = np.array(y, dtype=object)
    if values.ndim not in (1, 2):
        raise ShapeError(
            f"y should be a 1d array, got an array of shape {values.shape} instead. "
            "Give one label a row, or a row of labels."
        )
    return values


def _has_only_ints(y: Any) -> bool:
    return isinstance(y, (list, tuple)) and all(isinstance(label, int) for label in y)


def _of_one_kind(y: Sequence[Any], values: AnyArray) -> bool:
    kinds = (str, np.str_) if values.dtype.kind == "U" else (bytes, np.bytes_)
    return values.ndim == 2 or all(isinstance(label, kinds) for label in y)


def _checked(column: AnyArray) -> AnyArray:
    """Return labels that can be told apart and sorted, or raise."""
    kind = column.dtype.kind
    if kind == "O":
        return _checked_objects(column)
    if kind == "c":
        raise ParameterError(
            f"Unknown label type: {column.dtype}. Complex data not supported. Give real labels."
        )
    if kind == "f":
        bad = np.flatnonzero(~np.isfinite(column))
        if len(bad):
            raise MissingValueError(
                f"y is {column[bad[0]]} at row {bad[0]}, which is no label. Drop or label the row."
            )
        broken = np.flatnonzero(column != np.floor(column))
        if len(broken):
            raise ParameterError(
                f"Unknown label type: continuous. y is {column[broken[0]]} at row {broken[0]}; "
                "classes are whole numbers or names. Use a regressor for quantities."
            )
    return column


def _checked_objects(column: AnyArray) -> AnyArray:
    for row, label in enumerate(column):
        if label is None or not label == label:  # noqa: PLR0124 - NaN and NaT are not
            raise MissingValueError(f"y is {label} at row {row}. Drop or label the row.")
    kinds = {_kind(label) for label in column}
    if len(kinds) > 1:
        raise ParameterTypeError(
            f"y mixes labels of types {' and '.join(sorted(kinds))}, which have no common order. "
            "Make all of them text, or all of them numbers."
        )
    return _checked(np.array(column.tolist())) if kinds in ({"float"}, {"str"}) else column


def _kind(label: Any) -> str:
    kinds: dict[str, Any] = {
        "bool": (bool, np.bool_),
        "int": (int, np.integer),
        "float": (float, np.floating),
        "str": str,
        "bytes": bytes,
    }
    known = (name for name, kind in kinds.items() if isinstance(label, kind))
    return next(known, type(label).__name__)
