"""A study in progress: the rows, what is to be told of them, and what was settled so far."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.studies.load.columns import recognize
from lookalike.studies.load.open import Opened, open_data
from lookalike.studies.load.read import Reading, read, split_off
from lookalike.studies.load.target import StudyTarget, recognize_target
from lookalike.studies.results import ColumnDescription
from lookalike.studies.select.budget import Budget
from lookalike.studies.select.preparation import used_columns
from lookalike.typing import AnyArray

LEAST_ROWS = 3


@dataclass(frozen=True)
class Asked:
    """What the user asked for, beside the rows."""

    task: str = "auto"
    test: Any = None
    split: str | None = None
    metric: str = "auto"
    seed: int = 0
    engine: str = "auto"
    dialect: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Case:
    """Rows in memory with their target, how rows are held out, and the columns that are used."""

    asked: Asked
    reading: Reading
    target: StudyTarget
    tests: AnyArray | None  # which rows are for testing, where a column says so
    apart: tuple[Reading, AnyArray] | None  # rows of a test file, and their targets
    facts: tuple[ColumnDescription, ...]
    columns: dict[str, str]
    budget: Budget
    decisions: Decisions

    @property
    def classify(self) -> bool:
        """Whether the task is classification."""
        return self.target.task == "classification"

    @property
    def classes(self) -> AnyArray | None:
        """The class of every row, where classes are to be told."""
        return self.target.values if self.target.task == "classification" else None


def take_up(opened: Opened, asked: Asked, budget: Budget) -> Case:
    """Read the rows, recognize their columns and the target."""
    decisions = Decisions(getattr(opened.source, "decisions", ()))
    reading = read(opened.source, decisions, seed=asked.seed, text=opened.text)
    if len(reading) < LEAST_ROWS:
        raise ShapeError(f"There are {len(reading)} rows. Give at least {LEAST_ROWS}.")
    tests = None
    if asked.split is not None:
        reading, tests = split_off(reading, asked.split)
    target = recognize_target(reading.y, opened.target, asked.task, decisions)
    apart = None
    if asked.test is not None or (opened.test is not None and target.values is not None):
        apart = _read_test(opened, asked, target, decisions)
    facts = tuple(recognize(reading.material, decisions))
    columns = used_columns(facts, reading.material)
    return Case(asked, reading, target, tests, apart, facts, columns, budget, decisions)


def _read_test(
    opened: Opened, asked: Asked, target: StudyTarget, decisions: Decisions
) -> tuple[Reading, AnyArray]:
    if target.values is None:
        raise ParameterError("test rows judge a model, and there is no target. Give one.")
    test = opened.test if asked.test is None else asked.test
    rows, y = test if isinstance(test, tuple) else (test, None)
    name = None if y is not None or opened.brought else opened.target
    dialect = asked.dialect if isinstance(rows, (str, os.PathLike)) else None
    found = open_data(rows, y, target=name, text=opened.text, dialect=dialect)
    reading = read(found.source, decisions, seed=asked.seed, text=found.text)
    if reading.y is None:
        raise ShapeError("The test rows have no target. Give it, or its column.")
    decisions.add("held out", f"{len(reading)} rows", "given for testing")
    return reading, target.read(reading.y)
