"""The reader of targets: class labels or numbers, one per row, none missing, and their task.

A target is classification where it holds text or booleans, and regression where it holds
fractions. Integers are ambiguous; :func:`infer_task` holds the rule for them, and ``task=``
overrides it.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import column_or_1d

from lookalike.data.source import open_source
from lookalike.decisions import Decisions
from lookalike.errors import (
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    RepeatError,
    ShapeError,
)
from lookalike.models.estimator import is_sklearn_table
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice

TASKS = ("auto", "classification", "regression")
FEW = 20  # distinct integers up to which they are classes
ROWS_EACH = 3  # rows that each of them has on average, or there are too many to be classes
LEAST_ROWS = 5  # rows of the rarest value where more than FEW integers are codes
DENSE = 0.5  # part of their range that counts (ages, years) fill
CLOSE = 10_000  # range within which integers are counted without sorting


class Labels(NamedTuple):
    """The classes of every output in sorted order, and the place of each row's label among them."""

    classes: tuple[AnyArray, ...]
    codes: Rows  # (rows, outputs)
    flat: bool  # whether y was one label a row

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


def infer_task(y: object) -> tuple[str, str]:
    """Return "classification" or "regression" for the targets `y`, and why.

    ============================================  ==============
    text, booleans                                classification
    numbers with fractions                        regression
    1 or 2 distinct integers                      classification
    up to 20, with 3 rows each on average         classification
    up to 20, with fewer rows each                regression
    more than 20 that fill their range, by its    regression
    step: ages, years, ring counts
    more than 20 scattered ones, each in 5 rows   classification
    or more: zip codes, product numbers
    all others                                    regression
    ============================================  ==============

    Examples
    --------
    >>> infer_task([3, 10, 3, 3, 10, 10])[0], infer_task([0.5, 1.0])[0]
    ('classification', 'regression')
    """
    y = _flat_values(y)
    if y.dtype.kind not in "fiu":
        return "classification", f"y holds {'booleans' if y.dtype.kind == 'b' else 'text'}"
    if y.dtype.kind == "f" and not np.array_equal(y, np.floor(y)):
        return "regression", "y holds fractions"
    values, counts = _distinct(y)
    task, why = _integer_task(values, counts)
    other = "regression" if task == "classification" else "classification"
    override = f"otherwise give task={other!r} (--task {other})"
    return task, f"y holds {len(values)} distinct integers, {why}; {override}"


def _integer_task(values: AnyArray, counts: Rows) -> tuple[str, str]:
    n_values, n_rows = len(values), int(counts.sum())
    if n_values <= 2:
        return "classification", "no more than a class needs"
    if n_values <= FEW:
        if n_rows >= ROWS_EACH * n_values:
            return "classification", f"at most {FEW}, in {n_rows / n_values:.3g} rows each"
        return "regression", f"in {n_rows / n_values:.2g} rows each, too few for classes"
    steps = np.diff(values.astype(np.float64))
    unit = np.gcd.reduce(steps[steps < 2**62].astype(np.int64)) or 1
    if n_values >= DENSE * float(steps.sum() / unit + 1):
        return "regression", "which fill their range as counts, ages or years do"
    if counts.min() >= LEAST_ROWS:
        return "classification", f"scattered like codes, each in {counts.min()} rows or more"
    return "regression", f"more than {FEW}, some in few rows"


def read_target(
    asker: str, X: object, y: object, task: str, decisions: Decisions
) -> tuple[AnyArray | None, str]:
    """Return the target given with `X`, None where the source brings it, and the task.

    ``task="auto"`` goes by :func:`infer_task`.
    """
    check_choice("task", task, TASKS)
    if y is None and is_sklearn_table(X):
        raise ShapeError(
            f"{asker} requires y to be passed, but the target y is None. Give the class or the "
            "number of each row."
        )
    if task == "auto":
        task, why = infer_task(_first_targets(X) if y is None else y)
        decisions.add("task", task, why)
    if y is None:
        return None, task
    return (as_labels(y) if task == "classification" else as_numbers(y)), task


def coded_target(
    y: object, n_rows: int, task: str, decisions: Decisions
) -> tuple[AnyArray | None, AnyArray]:
    """Return sorted classes with the place of each row's among them, or None with its number.

    Which it is, is said by `task` or by :func:`infer_task`.
    """
    check_choice("task", task, TASKS)
    _require_one_a_row(y, n_rows)
    if task == "auto":
        task, why = infer_task(y)
        decisions.add("task", task, why)
    if task == "classification":
        return coded_labels(y, n_rows)
    return None, as_numbers(y)


def coded_labels(y: object, n_rows: int) -> tuple[AnyArray, Rows]:
    """Return the classes of `y` in sorted order, and the place of each row's label among them."""
    _require_one_a_row(y, n_rows)
    labels = read_labels(y)
    return labels.classes[0], labels.codes[:, 0]


def labels_of(model: object, X: object, y: object) -> AnyArray | None:
    """Return the labels given with `X`; None where `X` is a source that may bring its own."""
    if y is not None:
        return as_labels(y)
    if is_sklearn_table(X):
        raise ShapeError(
            f"{type(model).__name__} requires y to be passed, but the target y is None. "
            "Give the class of each row."
        )
    return None


def require_two_classes(classes: AnyArray, remedy: str = "") -> None:
    """Raise where a classifier has rows of one class only; `remedy` is another thing to do."""
    if len(classes) < 2:
        raise ShapeError(
            f"y has 1 class, {classes.tolist()[0]!r}: a classifier needs two. "
            f"Give rows of two classes at least{remedy}."
        )


def class_priors(priors: object, classes: AnyArray) -> Array | None:
    """Return the prior probability of each class, which add up to one; None where none is given.

    Parameters
    ----------
    priors : None, "balanced", mapping from label to number, or array
        An array is in the order of `classes`.
    classes : ndarray
        The labels in sorted order.
    """
    if priors is None:
        return None
    if isinstance(priors, str):
        check_choice("priors", priors, ("balanced",))
        return np.full(len(classes), 1 / len(classes))
    named = isinstance(priors, Mapping)
    if isinstance(priors, Mapping):
        absent = [label for label in classes.tolist() if label not in priors]
        unknown = [label for label in priors if label not in set(classes.tolist())]
        if absent or unknown:
            raise ParameterError(
                f"priors lack the classes {absent} and have {unknown}, which are none. "
                f"Give a number for each of {classes.tolist()}."
            )
        priors = [priors[label] for label in classes.tolist()]
    given = np.asarray(priors, dtype=np.float64)
    if given.shape != classes.shape:
        raise ShapeError(f"priors={priors} for {len(classes)} classes. Give one for each.")
    if not (given >= 0).all() or not np.isfinite(given).all():
        raise ParameterError(f"priors must be non-negative, and are {given.tolist()}.")
    total = given.sum()
    if total == 0:
        raise ParameterError("priors are all zero. Give one class a probability.")
    if not named and abs(total - 1) > 1e-5:
        warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=4)
    return np.asarray(given / total)


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


def as_numbers(y: object) -> AnyArray:
    """Return targets as float64, one per row, all of them finite."""
    values = column_or_1d(y, warn=True)
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ParameterTypeError(
            "task='regression' needs numbers, and y holds other things. "
            "Give numbers, or task='classification'."
        ) from None
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        raise MissingValueError(
            f"y holds NaN or inf at row {bad[0]} ({numbers[bad[0]]}). Drop the row."
        )
    return numbers


def read_labels(y: object, known: Sequence[AnyArray] | None = None) -> Labels:
    """Return the labels `y`, one per row or several; classes `known` stay even without a row.

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
        labels = column if known is None else np.concatenate([column, _checked(known[j])])
        names, place = np.unique(labels, return_inverse=True)
        classes.append(names)
        codes.append(place.ravel()[: len(column)])
    return Labels(tuple(classes), np.column_stack(codes).astype(np.int64), flat)


def _as_array(y: object) -> AnyArray:
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


def _has_only_ints(y: object) -> bool:
    return isinstance(y, (list, tuple)) and all(isinstance(label, int) for label in y)


def _of_one_kind(y: Sequence[object], values: AnyArray) -> bool:
    kinds = (str, np.str_) if values.dtype.kind == "U" else (bytes, np.bytes_)
    return values.ndim == 2 or all(isinstance(label, kinds) for label in y)


def _checked(column: AnyArray) -> AnyArray:
    """Return labels that can be compared and sorted, or raise."""
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
                "classes are integers or text. Use a regressor for quantities."
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


def _require_one_a_row(y: Any, n_rows: int) -> None:
    shape = np.shape(y)
    if shape != (n_rows,):
        raise ShapeError(f"y has shape {shape}, X has {n_rows} rows. Give one a row.")


def _flat_values(y: object) -> AnyArray:
    values = np.asarray(y).ravel()
    if values.dtype.kind == "O":
        as_they_are = np.array(values.tolist())
        values = as_they_are if as_they_are.dtype.kind in "fiub" else values
    if values.dtype.kind == "c":
        raise ParameterError(f"Complex data not supported: y is {values.dtype}. Give y.real.")
    return values


def _first_targets(X: object) -> AnyArray:
    source = open_source(X)
    if not source.repeatable:
        raise RepeatError(
            "task='auto' looks at y first, and the rows can be read only once. "
            "Give task='classification' or task='regression'."
        )
    y = next(source.tables()).y
    if y is None:
        raise ShapeError("The source brings no target. Give y, or open it with target=….")
    return np.asarray(y).ravel()


def _distinct(y: AnyArray) -> tuple[AnyArray, Rows]:
    """Return the distinct integers and their counts, without sorting where they are close."""
    low, high = y.min(), y.max()
    if not float(high) - float(low) < CLOSE:
        return np.unique(y, return_counts=True)
    counts = np.bincount((y - low).astype(np.int64))
    return np.flatnonzero(counts) + low, counts[counts > 0]
