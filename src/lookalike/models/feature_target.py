"""What a table's features are judged by: classes, or numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
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
from lookalike.models.targets import as_labels
from lookalike.typing import AnyArray
from lookalike.validation import check_choice

TASKS = ("auto", "classification", "regression")
FEW = 20  # so many distinct whole numbers are classes, however few the rows
CLOSE = 10_000
ROWS_EACH = 10  # rows that a class has on average where there are more


def read_target(
    asker: str, X: Any, y: Any, task: str, decisions: Decisions
) -> tuple[AnyArray | None, str]:
    """Return the target given beside `X`, None where the source brings it, and what it is.

    Text and truth values are classes, as are whole numbers of which each has ten rows or which
    are twenty at most; all others are numbers. `task` says otherwise.
    """
    check_choice("task", task, TASKS)
    if y is None and is_sklearn_table(X):
        raise ShapeError(
            f"{asker} requires y to be passed, but the target y is None. Give the class or the "
            "number of each row."
        )
    if task == "auto":
        task, why = task_of(_first_targets(X) if y is None else y)
        decisions.add("task", task, why)
    if y is None:
        return None, task
    return (as_labels(y) if task == "classification" else as_numbers(y)), task


def task_of(y: Any) -> tuple[str, str]:
    """Return the task that targets suggest by the rule of `read_target`, and why."""
    y = _one_a_row(y)
    if y.dtype.kind not in "fiu":
        return "classification", f"y holds {'truth values' if y.dtype.kind == 'b' else 'names'}"
    if y.dtype.kind == "f" and not np.array_equal(y, np.floor(y)):
        return "regression", "y holds fractions"
    distinct = _distinct(y)
    few = distinct <= max(FEW, len(y) // ROWS_EACH)
    return ("classification" if few else "regression"), f"y holds {distinct} distinct whole numbers"


def as_numbers(y: Any) -> AnyArray:
    """Return targets as float64, one a row, all of them finite."""
    values = column_or_1d(y, warn=True)
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ParameterTypeError(
            "y holds other things than numbers. Give numbers, or task='classification'."
        ) from None
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        raise MissingValueError(
            f"y holds NaN or inf at row {bad[0]} ({numbers[bad[0]]}). Drop the row."
        )
    return numbers


def _one_a_row(y: Any) -> AnyArray:
    values = np.asarray(y)
    if values.dtype.kind == "c":
        raise ParameterError(f"Complex data not supported: y is {values.dtype}. Give y.real.")
    return values.ravel()


def _first_targets(X: Any) -> AnyArray:
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


def _distinct(y: AnyArray) -> int:
    """Return how many different whole numbers there are; without sorting where they lie close."""
    low, high = y.min(), y.max()
    if not float(high) - float(low) < CLOSE:
        return len(np.unique(y))
    return int(np.count_nonzero(np.bincount((y - low).astype(np.int64))))
