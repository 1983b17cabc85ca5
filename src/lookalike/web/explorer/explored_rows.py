"""The rows of an exploration: their labels, split, cells, audit and predictions, by position."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from lookalike.explain.audit.table import AuditTable
from lookalike.missing import is_missing
from lookalike.studies.load.dataset import Dataset
from lookalike.typing import AnyArray, Array, Rows


class ExploredRows:
    """All rows of the data, in their order; a row is known by its position.

    Parameters
    ----------
    name : str
        Of the data.
    task : {"classification", "regression", "exploratory"}
        What is predicted.
    dataset : Dataset
        The rows with their targets.
    target : str
        The name of the target.
    classes : ndarray, optional
        All classes in sorted order, where a model knows more than the rows have.
    cluster : ndarray, optional
        The cluster of every row.
    """

    name: str
    task: str
    dataset: Dataset
    target: str
    classes: AnyArray

    def __init__(
        self,
        name: str,
        task: str,
        dataset: Dataset,
        *,
        target: str = "",
        classes: AnyArray | None = None,
        cluster: Rows | None = None,
    ) -> None:
        self.name, self.task, self.dataset, self.target = name, task, dataset, target
        self.classes = np.array([])  # in sorted order; empty of numbers
        self.code: Rows | None = None  # the class of every row, -1 where unknown
        self.number: Array | None = None  # the target of a regression, NaN where unknown
        if task == "classification":
            y = np.asarray(dataset.y)
            self.classes = np.unique(y) if classes is None else classes
            self.code = np.searchsorted(self.classes, y).astype(np.int64)
        elif task == "regression":
            self.number = np.asarray(dataset.y, np.float64)
        self.is_test: AnyArray = np.zeros(len(dataset), bool)
        self.cluster = cluster
        self.header: tuple[str, ...] = ()  # all columns of a csv file, the target among them
        self.audit: AuditTable | None = None  # of every row; NaN and empty where not audited
        self.predicted: AnyArray | None = None  # codes, -1 where unknown, or numbers, NaN there
        self.probability: Array | None = None  # (rows, classes)
        self.predicted_by = ""  # which model, in one sentence

    def __len__(self) -> int:
        return len(self.dataset)

    @property
    def class_names(self) -> list[str]:
        """The classes as text."""
        return [str(label) for label in self.classes.tolist()]

    @property
    def numbers_differ(self) -> bool:
        """Whether rows of the data were left out, so that positions are not row numbers."""
        return not np.array_equal(self.dataset.row, np.arange(len(self)))

    @property
    def strangest(self) -> int | None:
        """The row with the largest outlier score; None where none was audited."""
        score = None if self.audit is None else self.audit.scores.get("outlier_score")
        if score is None or not np.isfinite(score).any():
            return None
        return int(np.argmax(np.where(np.isfinite(score), score, -np.inf)))

    @property
    def truth(self) -> AnyArray:
        """The class codes or targets of all rows."""
        values = self.code if self.code is not None else self.number
        assert values is not None
        return values

    @property
    def is_predicted(self) -> AnyArray:
        """For every row, whether `predicted` knows it."""
        assert self.predicted is not None
        known: AnyArray = ~np.isnan(self.predicted) if self.code is None else self.predicted >= 0
        return known

    @property
    def key(self) -> str:
        """The SHA-256 of row numbers and labels: what corrections of them are about."""
        digest = hashlib.sha256(np.ascontiguousarray(self.dataset.row, "<i8").tobytes())
        if self.number is not None:
            digest.update(np.ascontiguousarray(self.number, "<f8").tobytes())
        if self.code is not None:
            digest.update(json.dumps(self.class_names).encode())
            digest.update(np.ascontiguousarray(self.code, "<i8").tobytes())
        return digest.hexdigest()

    def label(self, row: int) -> str | float | None:
        """Return the label of a row as text, or its target; None where there is none."""
        if self.code is not None:
            return None if self.code[row] < 0 else str(self.classes[self.code[row]])
        if self.number is not None:
            return None if np.isnan(self.number[row]) else float(self.number[row])
        return None

    def relabeled(self, row: int, code: Any) -> ExploredRows:
        """Return the rows where one has another class code or number; these stay as they are."""
        other = copy.copy(self)
        if self.code is not None:
            other.code = self.code.copy()
            other.code[row] = code
        elif self.number is not None:
            other.number = self.number.copy()
            other.number[row] = code
        return other

    def class_name(self, code: int) -> str | None:
        """Return a class as text; None for -1."""
        return None if code < 0 else str(self.classes[code])

    def cells(self, row: int) -> list[dict[str, object]]:
        """Return the cells of a row: numbers as numbers, all else as text, missing ones as None."""
        if self.dataset.image_shape is not None or self.dataset.text is not None:
            named: Sequence[str] = [n for n in self.dataset.names if n != self.dataset.text]
            named = [] if self.dataset.image_shape is not None else named
        else:
            named = self.dataset.names
        return [{"name": name, "value": cell(self.dataset.column(name)[row])} for name in named]

    def text(self, row: int) -> str | None:
        """Return the document of a row; None where rows are not documents."""
        if self.dataset.text is None:
            return None
        value = self.dataset.column(self.dataset.text)[row]
        return "" if is_missing(value) else str(value)

    def positions(self, numbers: Rows) -> Rows:
        """Return the positions of rows by their numbers in the data, -1 where there is none."""
        order = self.dataset.row
        if len(order) == 0 or np.any(np.diff(order) < 0):
            position_of = {int(number): place for place, number in enumerate(order)}
            return np.array([position_of.get(int(number), -1) for number in numbers], np.int64)
        place = np.minimum(np.searchsorted(order, numbers), len(order) - 1)
        return np.where(order[place] == numbers, place, -1)


def cell(value: object) -> float | int | str | bool | None:
    """Return a cell as JSON holds it."""
    if is_missing(value):
        return None
    plain = value.item() if isinstance(value, np.generic) else value
    return plain if isinstance(plain, (bool, int, float, str)) else str(plain)


def flag_detail(kind: str, row: int, audit: AuditTable) -> str:
    """Return what the audit says of a row that it flags, in one sentence."""

    def score(name: str) -> float:
        return float(audit.scores[name][row]) if name in audit.scores else float("nan")

    if kind == "mislabel" and "mislabel_probability" in audit.scores:
        suggested = (
            audit.scores["suggested_label"][row] if "suggested_label" in audit.scores else ""
        )
        other = f"; other rows suggest {suggested}" if suggested else ""
        return f"Estimated probability of a wrong label {score('mislabel_probability'):.3g}{other}."
    if kind == "mislabel" and "deviation" in audit.scores:
        return f"The target is {score('deviation'):.3g} robust deviations from its neighbors'."
    if kind == "outlier":
        return f"Outlier score {score('outlier_score'):.3g}: low local density."
    if kind == "hub":
        return f"It is among the neighbors of {score('k_occurrences'):.0f} rows."
    first = {"duplicate": "duplicate_of", "near_duplicate": "near_duplicate_of"}.get(kind)
    if first is not None and score(first) >= 0:
        return f"The first of these rows is {score(first):.0f}."
    return kind.replace("_", " ")
