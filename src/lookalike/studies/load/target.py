"""The target of a study: its task, inferred or requested, and its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.models.labels import as_labels
from lookalike.models.targets import as_numbers, infer_task
from lookalike.studies.load.similar_labels import note_similar_labels
from lookalike.studies.results import ColumnDescription, TargetSummary
from lookalike.typing import AnyArray
from lookalike.validation import check_choice

TARGET_NAMES = (
    "target",
    "class",
    "label",
    "labels",
    "y",
    "outcome",
    "response",
    "diagnosis",
    "species",
)
MAX_CLASSES_OF_LAST_COLUMN = 20  # distinct values of a last column that may be classes
MIN_ROWS_PER_CLASS = 5  # rows that each of them has on average, at least
STUDY_TASK_CHOICES = ("auto", "classification", "regression", "exploratory")


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
        distinct = len(np.unique(self.values))
        return TargetSummary(self.name, mean=mean, std=std, distinct=distinct)


def likely_target(names: Sequence[str]) -> str | None:
    """Return the column that is probably the one to predict, by its name; None: none is.

    Examples
    --------
    >>> likely_target(["x0", "Class"]), likely_target(["a", "b"])
    ('Class', None)
    """
    known = {name.strip().lower(): name for name in names}
    return next((known[name] for name in TARGET_NAMES if name in known), None)


def suggest_target(columns: Sequence[ColumnDescription], n_rows: int) -> tuple[str, str] | None:
    """Return a column that may be the target and why: its name, or a last column of few values.

    It is a suggestion: many tables have the target last, but a last column may be anything.
    """
    if len(columns) < 2:
        return None
    if likely := likely_target([column.name for column in columns]):
        return likely, "by its name"
    last = columns[-1]
    classes = last.kind in ("category", "boolean", "ordinal") and not last.missing
    if classes and last.distinct <= min(MAX_CLASSES_OF_LAST_COLUMN, n_rows // MIN_ROWS_PER_CLASS):
        return last.name, f"the last column, with {last.distinct} distinct values"
    return None


def recognize_target(y: AnyArray | None, name: str, task: str, decisions: Decisions) -> StudyTarget:
    """Return the target and the task: the one requested, or the one that the values suggest."""
    check_choice("task", task, STUDY_TASK_CHOICES)
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
    if task == "regression":
        return StudyTarget(task, name, as_numbers(y))
    labels = _labels(y)
    note_similar_labels(name, labels, decisions)
    return StudyTarget(task, name, labels)


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
