"""Class labels: one or several per row, none missing, sorted; or an error that names the row."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import DataConversionWarning

from lookalike.data.targets import one_a_row
from lookalike.errors import MissingValueError, ParameterError, ParameterTypeError, ShapeError
from lookalike.missing import is_missing
from lookalike.typing import AnyArray, Rows
from lookalike.validation import shown

LABEL_TYPE_NAMES = (
    "bool",
    "int",
    "float",
    "str",
    "bytes",
    "date",
    "datetime",
    "Timestamp",
    "Decimal",
)


class Labels(NamedTuple):
    """The classes of every output in sorted order, and the place of each row's label among them."""

    classes: tuple[AnyArray, ...]
    codes: Rows  # (rows, outputs)
    flat: bool  # whether y was one label per row

    def named(self, codes: Rows) -> AnyArray:
        """Return the labels that `codes` (rows, outputs) encode, shaped as y was."""
        columns = [classes[codes[:, j]] for j, classes in enumerate(self.classes)]
        return columns[0] if self.flat else np.column_stack(columns)

    def check(self) -> None:
        """Raise unless every code is the place of a class: loops trust them."""
        counts = np.array([len(classes) for classes in self.classes])
        if (
            self.codes.shape[1:] != counts.shape
            or not ((self.codes >= 0) & (self.codes < counts)).all()
        ):
            raise ShapeError(f"labels lie outside the {counts} classes. Fit the model again.")


def read_labels(y: object, known: Sequence[AnyArray] | None = None, *, name: str = "y") -> Labels:
    """Return the labels `y`, one per row or several; classes `known` stay even without a row.

    Examples
    --------
    >>> read_labels(["b", "a", "b"]).codes.ravel()
    array([1, 0, 1])
    """
    values = _as_array(y, name)
    flat = values.ndim == 1 or values.shape[1] == 1
    if flat and values.ndim == 2:
        warn_column()
    columns = values.reshape(len(values), -1)
    classes, codes = [], []
    for j in range(columns.shape[1]):
        column = _check(columns[:, j], name)
        labels = column if known is None else join_label_arrays(column, _check(known[j], "classes"))
        names, inverse = np.unique(labels, return_inverse=True)
        classes.append(names)
        codes.append(inverse.ravel()[: len(column)])
    return Labels(tuple(classes), np.column_stack(codes).astype(np.int64), flat)


def as_labels(y: Any) -> AnyArray:
    """Return `y` as one label per row, or raise an error that names the first that will not do.

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


def declared_classes(classes: object) -> AnyArray:
    """Return the classes that a user declares, in sorted order, or raise."""
    labels = read_labels(classes, name="classes")
    if not labels.flat:
        raise ShapeError("classes is not a list of labels. Give one list, or one for each output.")
    return labels.classes[0]


def join_labels(before: AnyArray, y: object) -> AnyArray:
    """Return labels with those of `y` appended, which must be of the same kind and outputs."""
    labels = read_labels(y)
    after = labels.named(labels.codes)
    if before.shape[1:] != after.shape[1:]:
        raise ShapeError(
            f"y has shape {after.shape}, that of the rows before {before.shape}. "
            "Give as many outputs."
        )
    return join_label_arrays(before, after)


def join_label_arrays(before: AnyArray, after: AnyArray) -> AnyArray:
    """Return both arrays of labels in one, or raise where text would meet numbers.

    Examples
    --------
    >>> join_label_arrays(np.array([1, 2]), np.array([2.0]))
    array([1, 2, 2])
    >>> join_label_arrays(np.array(["1"]), np.array([1]))
    Traceback (most recent call last):
    lookalike.errors.ParameterTypeError: y holds labels of type int, and the labels before are ...
    """
    kinds = [_label_kind(labels) for labels in (before, after)]
    if kinds[0] != kinds[1] and not {*kinds} <= {"int", "float"}:
        raise ParameterTypeError(
            f"y holds labels of type {kinds[1]}, and the labels before are of type {kinds[0]}. "
            "Give labels of one type."
        )
    if (
        kinds == ["int", "float"] and (np.abs(after.astype(float)) < 2**53).all()
    ):  # whole numbers, as checked
        after = after.astype(np.int64)
    return np.concatenate([before, after])


def require_two_classes(classes: AnyArray, remedy: str = "") -> None:
    """Raise where a classifier has rows of one class only; `remedy` is another thing to do."""
    if len(classes) < 2:
        raise ShapeError(
            f"y has 1 class, {classes.tolist()[0]!r}: a classifier needs two. "
            f"Give rows of two classes at least{remedy}."
        )


def _label_kind(labels: AnyArray) -> str:
    """Return the Python type of labels, which all have the same."""
    return _kind(labels.reshape(-1)[0]) if labels.size else "int"


def warn_column() -> None:
    """Warn that targets came as a column."""
    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. Give y.ravel().",
        DataConversionWarning,
        stacklevel=5,
    )


def _as_array(y: object, name: str) -> AnyArray:
    values = one_a_row(y, name)
    if values.dtype.kind == "f" and _has_only_ints(y):  # too large for any integer type
        values = np.array(y, dtype=object)
    if isinstance(y, (list, tuple)) and values.dtype.kind in "US" and not _of_one_kind(y, values):
        values = np.array(y, dtype=object)
    if values.ndim not in (1, 2):
        raise ShapeError(
            f"{name} should be a 1d array, got an array of shape {values.shape} instead. "
            "Give one label per row, or a row of labels."
        )
    return values


def _has_only_ints(y: object) -> bool:
    return isinstance(y, (list, tuple)) and all(isinstance(label, int) for label in y)


def _of_one_kind(y: Sequence[object], values: AnyArray) -> bool:
    kinds = (str, np.str_) if values.dtype.kind == "U" else (bytes, np.bytes_)
    return values.ndim == 2 or all(isinstance(label, kinds) for label in y)


def _check(column: AnyArray, name: str) -> AnyArray:
    """Return labels that can be compared and sorted, or raise."""
    kind = column.dtype.kind
    if kind == "O":
        return _check_objects(column, name)
    if kind == "c":
        raise ParameterError(
            f"Unknown label type: {column.dtype}. Complex data not supported. Give real labels."
        )
    if kind == "V":
        raise ParameterTypeError(f"{name} holds records of {column.dtype}. Give one label per row.")
    if kind in "mM" and np.isnat(column).any():
        raise MissingValueError(
            f"{name} is NaT at row {int(np.isnat(column).argmax())}. Drop or label the row."
        )
    if kind == "f":
        bad = np.flatnonzero(~np.isfinite(column))
        if len(bad):
            raise MissingValueError(
                f"{name} is {column[bad[0]]} at row {bad[0]}, which is no "
                "label. Drop or label the row."
            )
        broken = np.flatnonzero(column != np.floor(column))
        if len(broken):
            raise ParameterError(
                f"Unknown label type: continuous. {name} is {column[broken[0]]} at row "
                f"{broken[0]}; "
                "classes are integers or text. Use a regressor for quantities."
            )
    return column


def _check_objects(column: AnyArray, name: str) -> AnyArray:
    for row, label in enumerate(column):
        if is_missing(label):
            raise MissingValueError(f"{name} is {label} at row {row}. Drop or label the row.")
        if _kind(label) not in LABEL_TYPE_NAMES:
            raise ParameterTypeError(
                f"{name} holds {shown(label)} at row {row}, of type {type(label).__name__}, "
                "which is not a label. Give text, whole numbers or booleans."
            )
    kinds = {_kind(label) for label in column}
    if len(kinds) > 1:
        raise ParameterTypeError(
            f"{name} mixes labels of types {' and '.join(sorted(kinds))}, which have no common "
            "order. "
            "Make all of them text, or all of them numbers."
        )
    return _check(np.array(column.tolist()), name) if kinds in ({"float"}, {"str"}) else column


def _kind(label: object) -> str:
    kinds: dict[str, Any] = {
        "bool": (bool, np.bool_),
        "int": (int, np.integer),
        "float": (float, np.floating),
        "str": str,
        "bytes": bytes,
    }
    known = (name for name, kind in kinds.items() if isinstance(label, kind))
    return next(known, type(label).__name__)
