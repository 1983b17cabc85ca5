"""The reader of targets: class labels or numbers, one per row, none missing, and their task.

A target is classification where it holds text or booleans, and regression where it holds
fractions. Integers are ambiguous; :func:`infer_task` holds the rule for them, and ``task=``
overrides it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lookalike.data.source import open_source
from lookalike.data.targets import as_finite, one_a_row
from lookalike.decisions import Decisions
from lookalike.errors import (
    MagnitudeError,
    ParameterError,
    RepeatError,
    ShapeError,
)
from lookalike.models.inputs import is_sklearn_table
from lookalike.models.labels import as_labels, read_labels, warn_column
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice

TASK_CHOICES = ("auto", "classification", "regression")
MAX_DISTINCT_FOR_CLASSES = 20  # distinct integers up to which they are classes
MIN_MEAN_ROWS_PER_CLASS = 3  # with fewer, there are too many integers to be classes
MIN_ROWS_OF_RAREST_CODE = 5  # rows of the rarest value where more integers are codes
MIN_SHARE_OF_RANGE_COUNTED = 0.5  # part of their range that counts (ages, years) fill
MAX_COUNTED_RANGE = 10_000  # range within which integers are counted without sorting


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
    if _has_fractions(y):
        return "regression", "y holds fractions"
    if y.dtype.kind not in "fiu":
        return "classification", f"y holds {'booleans' if y.dtype.kind == 'b' else 'text'}"
    values, counts = _distinct(y)
    task, why = _integer_task(values, counts)
    other = "regression" if task == "classification" else "classification"
    override = f"if that is wrong, give task={other!r} (--task {other})"
    return task, f"y holds {len(values)} distinct integers, {why}; {override}"


def classes_without_fractions(y: object) -> tuple[str, str]:
    """Return the task where whole numbers are classes, however many, and the reason.

    Examples
    --------
    >>> classes_without_fractions([3, 5, 8])
    ('classification', "y holds no fractions; for numbers give task='regression'")
    """
    if _has_fractions(_flat_values(y)):
        return "regression", "y holds fractions"
    return "classification", "y holds no fractions; for numbers give task='regression'"


def _has_fractions(y: AnyArray) -> bool:
    return y.dtype.kind == "f" and not np.array_equal(y, np.floor(y))


def _integer_task(values: AnyArray, counts: Rows) -> tuple[str, str]:
    n_values, n_rows = len(values), int(counts.sum())
    if n_values <= 2:
        return "classification", "no more than a class needs"
    if n_values <= MAX_DISTINCT_FOR_CLASSES:
        if n_rows >= MIN_MEAN_ROWS_PER_CLASS * n_values:
            return (
                "classification",
                f"at most {MAX_DISTINCT_FOR_CLASSES}, in {n_rows / n_values:.3g} rows each",
            )
        return "regression", f"in {n_rows / n_values:.2g} rows each, too few for classes"
    steps = np.diff(values.astype(np.float64))
    unit = np.gcd.reduce(steps[steps < 2**62].astype(np.int64)) or 1
    if n_values >= MIN_SHARE_OF_RANGE_COUNTED * float(steps.sum() / unit + 1):
        return "regression", "which fill their range as counts, ages or years do"
    if counts.min() >= MIN_ROWS_OF_RAREST_CODE:
        return "classification", f"scattered like codes, each in {counts.min()} rows or more"
    return "regression", f"more than {MAX_DISTINCT_FOR_CLASSES}, some in few rows"


def read_target(
    asker: str,
    X: object,
    y: object,
    task: str,
    decisions: Decisions,
    *,
    infer: Callable[[object], tuple[str, str]] | None = None,
) -> tuple[AnyArray | None, str]:
    """Return the target given with `X`, None where the source brings it, and the task.

    ``task="auto"`` goes by `infer`, or by :func:`infer_task`.
    """
    check_choice("task", task, TASK_CHOICES)
    if y is None and is_sklearn_table(X):
        raise missing_target(asker, "the class or the number of each row")
    if task == "auto":
        task, why = (infer or infer_task)(_first_targets(X) if y is None else y)
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
    check_choice("task", task, TASK_CHOICES)
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


def given_labels(model: object, X: object, y: object) -> AnyArray | None:
    """Return the labels given with `X`; None where `X` is a source that may bring its own."""
    if y is not None:
        return as_labels(y)
    if is_sklearn_table(X):
        raise missing_target(type(model).__name__, "the class of each row")
    return None


def missing_target(asker: str, what: str = "y") -> ShapeError:
    """Return the error of a model that is fitted without targets."""
    return ShapeError(f"{asker} requires y to be passed, but the target y is None. Give {what}.")


def as_numbers(y: object) -> AnyArray:
    """Return targets as float64, one per row, all of them finite."""
    numbers = as_finite(y, remedy="Correct or drop the row, or give task='classification'.")
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        warn_column()
        return numbers[:, 0]
    if numbers.ndim != 1:
        raise ShapeError(f"y should be a 1d array, got an array of shape {numbers.shape} instead.")
    return numbers


class RegressionTargets(NamedTuple):
    """Targets that are numbers."""

    values: Array  # (rows, outputs)
    flat: bool  # whether y was one number per row

    def shaped(self, values: Array) -> Array:
        """Return values (rows, outputs) shaped as y was."""
        return values[:, 0] if self.flat else values

    def check(self) -> None:
        """Raise unless there is a row of outputs for every target."""
        if self.values.ndim != 2:
            raise ShapeError(f"targets have shape {self.values.shape}. Fit the model again.")


def read_numbers(y: object) -> RegressionTargets:
    """Return targets that are numbers, one per row or several."""
    values = as_finite(y)
    if values.ndim not in (1, 2):
        raise ShapeError(f"y should be a 1d array, got an array of shape {values.shape} instead.")
    return RegressionTargets(values.reshape(len(values), -1), values.ndim == 1)


def require_sums(targets: Array, largest: float | None = None) -> None:
    """Raise where targets are beyond `largest`, by default where sums of squares overflow."""
    if largest is None:
        largest = float(np.sqrt(np.finfo(np.float64).max / (4.0 * max(len(targets), 1))))
    if np.abs(targets).max(initial=0.0) > largest:
        cell = int(np.abs(targets).argmax())
        row = cell // (targets.size // len(targets))
        raise MagnitudeError(
            f"y holds {targets.flat[cell]:.3g} at row {row}, and sums of targets beyond "
            f"{largest:.3g} overflow float64. Divide y by a number."
        )


def _require_one_a_row(y: object, n_rows: int) -> None:
    shape = one_a_row(y).shape
    if shape != (n_rows,):
        raise ShapeError(f"y has shape {shape}, X has {n_rows} rows. Give one per row.")


def _flat_values(y: object) -> AnyArray:
    values = one_a_row(y).ravel()
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
    if not float(high) - float(low) < MAX_COUNTED_RANGE:
        return np.unique(y, return_counts=True)
    counts = np.bincount((y - low).astype(np.int64))
    return np.flatnonzero(counts) + low, counts[counts > 0]
