"""The target of a study: its task, inferred or requested, and its values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.models.labels import as_labels
from lookalike.models.targets import as_numbers, infer_task
from lookalike.studies.results import TargetSummary
from lookalike.typing import AnyArray
from lookalike.validation import check_choice

TASKS = ("auto", "classification", "regression", "exploratory")


@dataclass(frozen=True)
class StudyTarget:
    """The task, the name of the target column, and its values: labels as they came, or float64."""

    task: str
    name: str
    values: AnyArray | None = None

    def read(self, y: AnyArray) -> AnyArray:
        """Return targets of other rows in the same form."""
        if self.task == "regression" or self.values is None:
            return as_numbers(y)
        return _labels(y, like=self.values)

    def summary(self) -> TargetSummary | None:
        """Return what the report says of the target."""
        if self.values is None:
            return None
        if self.task == "classification":
            classes, counts = np.unique(self.values, return_counts=True)
            return TargetSummary(self.name, tuple(classes.tolist()), tuple(counts.tolist()))
        mean, std = float(self.values.mean()), float(self.values.std())
        return TargetSummary(self.name, mean=mean, std=std)


def recognize_target(y: AnyArray | None, name: str, task: str, decisions: Decisions) -> StudyTarget:
    """Return the target and the task: the one requested, or the one that the values suggest."""
    check_choice("task", task, TASKS)
    if task == "exploratory":
        if y is not None:
            decisions.add("target", "not used", "task='exploratory' was requested")
        return StudyTarget("exploratory", name)
    if y is None:
        if task != "auto":
            raise ParameterError(f"task={task!r} needs a target. Give y, or target= a column.")
        decisions.add("task", "exploratory", "there is no target")
        return StudyTarget("exploratory", name)
    if task == "auto":
        task, reason = infer_task(y)
        decisions.add("task", task, reason)
    return StudyTarget(task, name, _labels(y) if task == "classification" else as_numbers(y))


def _labels(y: AnyArray, like: AnyArray | None = None) -> AnyArray:
    """Return class labels as they came; whole numbers of a file, read as float64, are integers."""
    labels = as_labels(y)
    if labels.dtype.kind == "f":
        labels = labels.astype(np.int64)
    if like is None or (labels.dtype.kind in "iu") == (like.dtype.kind in "iu"):
        return labels
    try:
        return np.asarray(labels, str if like.dtype.kind == "U" else like.dtype)
    except ValueError:
        raise ParameterError(
            f"The test rows have the target {labels.tolist()[0]!r}, and training rows "
            f"{like.tolist()[0]!r}. Give labels of one type."
        ) from None
