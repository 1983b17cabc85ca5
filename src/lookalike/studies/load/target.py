"""What is to be told of a row: a class or a number, recognized or asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.studies.results import TargetSummary
from lookalike.typing import AnyArray
from lookalike.validation import check_choice

TASKS = ("auto", "classification", "regression", "exploratory")
MOST_CLASSES = 50  # whole numbers of more values are quantities
ROWS_A_CLASS = 5  # on average, for whole numbers to be classes


@dataclass(frozen=True)
class Target:
    """The task, its name, and the targets: text of classes, or float64."""

    task: str
    name: str
    values: AnyArray | None = None

    @property
    def classify(self) -> bool:
        """Whether classes are to be told."""
        return self.task == "classification"

    def read(self, y: Any) -> AnyArray:
        """Return other targets in the same form."""
        return _as_text(np.asarray(y)) if self.classify else _as_numbers(np.asarray(y))

    def fact(self) -> TargetSummary | None:
        """Return what the report says of the target."""
        if self.values is None:
            return None
        if self.classify:
            classes, counts = np.unique(self.values, return_counts=True)
            return TargetSummary(
                self.name, tuple(map(str, classes.tolist())), tuple(map(int, counts.tolist()))
            )
        return TargetSummary(
            self.name, mean=float(self.values.mean()), std=float(self.values.std())
        )


def recognise_target(y: AnyArray | None, name: str, task: str, decisions: Decisions) -> Target:
    """Return the target and the task: the one asked for, or the one that the values suggest."""
    check_choice("task", task, TASKS)
    if task == "exploratory":
        if y is not None:
            decisions.add("target", "not used", "task='exploratory' was asked for")
        return Target("exploratory", name)
    if y is None:
        if task != "auto":
            raise ParameterError(f"task={task!r} needs a target. Give y, or target= a column.")
        decisions.add("task", "exploratory", "there is no target")
        return Target("exploratory", name)
    found = task
    if task == "auto":
        found, reason = _suggested(y)
        decisions.add("task", found, reason)
    values = _as_text(y) if found == "classification" else _as_numbers(y)
    return Target(found, name, values)


def kind_of(values: AnyArray) -> str:
    """Return the task of targets in the form of `Target.values`."""
    return "regression" if values.dtype.kind == "f" else "classification"


def _suggested(y: AnyArray) -> tuple[str, str]:
    if y.dtype.kind not in "fiu":
        return "classification", "the target holds names"
    distinct = len(np.unique(y))
    whole = bool((y == np.floor(y)).all())
    if whole and distinct <= MOST_CLASSES and len(y) >= ROWS_A_CLASS * distinct:
        return (
            "classification",
            f"the target has {distinct} whole numbers; --task regression takes them so",
        )
    what = "whole numbers" if whole else "numbers"
    return "regression", f"the target has {distinct} different {what}"


def _as_text(y: AnyArray) -> AnyArray:
    if y.dtype.kind == "f" and (y == np.floor(y)).all():
        y = y.astype(np.int64)
    return np.array([str(value) for value in y.tolist()])


def _as_numbers(y: AnyArray) -> AnyArray:
    try:
        return y.astype(np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            f"task='regression' needs numbers, and the target holds {str(y[0])!r}. "
            "Choose task='classification'."
        ) from None
