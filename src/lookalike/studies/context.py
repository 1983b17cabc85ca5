"""A study in progress: its options, the rows with their target, and the decisions so far."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lookalike.data.source import Source, open_source
from lookalike.data.tables import TableSource
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ShapeError
from lookalike.reductions.row_hashes import is_held_out
from lookalike.studies.all_rows.rows import dataset_chunk
from lookalike.studies.effort import Effort
from lookalike.studies.format import count
from lookalike.studies.load.columns import describe_columns, drop_columns, with_other_columns
from lookalike.studies.load.copies import find_copies
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.load.groups import duplicate_groups, given_groups, group_rows, take_groups
from lookalike.studies.load.near_copies import join_near_copies
from lookalike.studies.load.open import is_sample, open_data, target_name
from lookalike.studies.load.read import read, split_off
from lookalike.studies.load.target import StudyTarget, recognize_target, suggest_target
from lookalike.studies.load.time_order import TIME_SPLIT_PREFIX, TimeOrder, take_time
from lookalike.studies.results import ColumnDescription
from lookalike.studies.select.budget import Budget
from lookalike.studies.select.preparation import used_columns
from lookalike.studies.select.split import time_blocks
from lookalike.studies.task import TASKS_BY_NAME, Task
from lookalike.typing import AnyArray, Rows

MIN_ROWS_OF_STUDY = 3


@dataclass(frozen=True)
class StudyOptions:
    """The data of a study as they were given, and its options.

    `X` and `y` are as in :func:`lookalike.study`: a path, the name of a sample, or rows in memory.
    """

    X: Any = None
    y: object = None
    target: str | None = None
    text: str | None = None
    task: str = "auto"
    test: object = None
    split: str | None = None
    metric: str = "auto"
    seed: int = 0
    engine: str = "auto"
    dialect: Mapping[str, object] | None = None
    groups: object = None  # a column, or a value for every row
    scoring: str = "auto"
    drop: Sequence[str] = ()
    models: Sequence[str] = ()  # names of the candidates to compare; all when empty
    effort: Effort = field(default_factory=lambda: Effort.named(None))
    memory: int | None = None  # budget in bytes that rows were read with: those beyond are sampled


@dataclass(frozen=True)
class StudyContext:
    """Rows in memory with their target, how rows are held out, and the columns that are used."""

    options: StudyOptions
    source: Source  # the rows as they are read
    dataset: Dataset
    target: StudyTarget
    is_test: AnyArray | None  # which rows are for testing, where a column says so
    test: Dataset | None  # rows of a test file
    columns: tuple[ColumnDescription, ...]
    features: dict[str, str]  # columns that rows are described by, and how each is read
    budget: Budget
    decisions: Decisions
    original: Dataset  # with the columns that say how rows are held out
    identical: Rows | None = None  # numbers, equal for copies of a row; None where there are none
    time: TimeOrder | None = None  # where rows are split by time
    sampled: bool = False  # whether the source has more rows, which later passes go over

    @property
    def task(self) -> Task | None:
        """Classification or regression; None of an exploratory study."""
        return TASKS_BY_NAME.get(self.target.task)


def load_context(
    options: StudyOptions, budget: Budget, *, test_of_file: bool = True
) -> StudyContext:
    """Read the rows, describe their columns and infer the task from the target.

    Test rows in the same file are read too, unless `test_of_file` is false.
    """
    source, dataset, own_test, decisions = _read_rows(options)
    original, is_test, time, column = dataset, None, None, None
    if options.split is not None and options.split.startswith(TIME_SPLIT_PREFIX):
        dataset, time = take_time(dataset, options.split.removeprefix(TIME_SPLIT_PREFIX))
    elif options.split is not None:
        dataset, is_test = split_off(dataset, options.split)
    if isinstance(options.groups, str):
        dataset, column = take_groups(dataset, options.groups)
    elif options.groups is not None:
        column = given_groups(options.groups, dataset.row)
    name = target_name(options.X, options.target)
    target = recognize_target(dataset.y, name, options.task, decisions)
    given = options.test
    if given is None and test_of_file and target.values is not None:
        given = own_test
    test = None if given is None else _read_test(given, options, original, target, decisions)
    dataset = _with_unlabeled(with_other_columns(dataset, decisions), target, decisions)
    if test is not None:
        test = replace(test, text=dataset.text)
    odd_cells = getattr(source, "odd_cells", {})
    columns = tuple(describe_columns(dataset, decisions, odd_cells))
    likely = suggest_target(columns, len(dataset)) if dataset.y is None else None
    if likely is not None:
        decisions.add("target", "none", f"none was given; {likely[0]!r} may be it: {likely[1]}")
    features = used_columns(columns, dataset)
    plain = options.split is None and options.groups is None and test is None
    sampled = dataset.sampled and source.repeatable and dataset.data_kind == "table"
    sampled = sampled and "text" not in features.values()  # later passes read numbers, categories
    if sampled and plain and target.values is not None:
        is_test = is_held_out(dataset_chunk(dataset, features).X)
        reason = "a fifth of all rows, by a hash of their features, so that equal rows are together"
        decisions.add("held-out rows", f"{int(is_test.sum()):,} of {len(dataset):,} rows", reason)
    groups = identical = None
    if target.values is not None:
        identical, groups = _alike_rows(dataset, features, column, decisions)
        groups = groups if time is None else time_blocks(time[0])
    return StudyContext(
        options,
        source,
        replace(dataset, y=target.values, groups=groups),
        target,
        is_test,
        test,
        columns,
        features,
        budget,
        decisions,
        original,
        identical,
        time,
        sampled=sampled and plain,
    )


def _alike_rows(
    dataset: Dataset, features: dict[str, str], column: AnyArray | None, decisions: Decisions
) -> tuple[Rows | None, Rows | None]:
    """Return which rows are copies, and which are held out together; None where all are single."""
    identical = duplicate_groups(dataset, features)
    identical = find_copies(dataset, features, identical, decisions)
    copies = _repeated(join_near_copies(dataset, features, identical, decisions))
    return copies, _repeated(group_rows(copies, len(dataset), column, decisions))


def _read_rows(options: StudyOptions) -> tuple[Source, Dataset, Source | None, Decisions]:
    """Return the rows, in the source and in memory, test rows of the same file, and decisions."""
    source, text, own_test = open_data(
        options.X,
        options.y,
        target=options.target,
        text=options.text,
        drop=options.drop,
        dialect=options.dialect,
    )
    decisions = Decisions()
    dataset = read(source, decisions, seed=options.seed, text=text)
    decisions = Decisions([*getattr(source, "decisions", ()), *decisions])  # of all rows by now
    if len(dataset) < MIN_ROWS_OF_STUDY:
        raise ShapeError(
            f"{count(len(dataset), 'row')} cannot be studied. Give at least {MIN_ROWS_OF_STUDY}."
        )
    dataset = drop_columns(dataset, options.drop, decisions)
    return source, dataset, own_test, decisions


def _with_unlabeled(dataset: Dataset, target: StudyTarget, decisions: Decisions) -> Dataset:
    """Return the rows, and those without a target with the columns that are left by now."""
    if dataset.unlabeled is None:
        return dataset
    if target.task != "classification":
        return replace(dataset, unlabeled=None)
    kept = f"{len(dataset.unlabeled):,} shown to label spreading"
    decisions.add("rows without a target", kept, "to see whether they are of use")
    return replace(dataset, unlabeled=dataset.unlabeled.like(dataset))


def _repeated(groups: Rows | None) -> Rows | None:
    """Return the groups, None where every row is one of its own."""
    if groups is None or int(groups.max()) + 1 == len(groups):
        return None
    return groups


def _test_dialect(options: StudyOptions, dataset: Dataset, rows: object) -> dict[str, Any]:
    """Return how test rows are read: by the types of the training rows, as far as they have them.

    Rows in memory say their types, but for dates that are written.
    """
    given: Any = (options.dialect or {}).get("types") or {}
    types = {name: f"date:{order}" for name, order in dataset.date_orders.items()}
    if not isinstance(rows, (str, os.PathLike)) or is_sample(rows):
        return {"types": {**types, **given}} if types else {}
    dialect: dict[str, Any] = {
        n: value for n, value in (options.dialect or {}).items() if n != "types"
    }
    source = open_source(rows, **dialect)
    if not isinstance(source, TableSource):  # arrays and images are numbers anyway
        return dialect
    names = {column.name for column in source.columns}
    kinds = {name: kind for name, kind in dataset.kinds.items() if kind != "boolean"}
    known = {name: kind for name, kind in {**kinds, **types, **given}.items() if name in names}
    return {**dialect, "types": known} if known else dialect


def _read_test(
    test: object,
    options: StudyOptions,
    training: Dataset,
    target: StudyTarget,
    decisions: Decisions,
) -> Dataset:
    if target.values is None:
        raise ParameterError("test rows evaluate a model, and there is no target. Give one.")
    rows, y = test if isinstance(test, tuple) else (test, None)
    name = None if y is not None else options.target
    dialect = _test_dialect(options, training, rows)
    source, text, _ = open_data(rows, y, target=name, text=training.text, dialect=dialect)
    dataset = read(source, decisions, seed=options.seed, text=text)
    if dataset.y is None:
        raise ShapeError("The test rows have no target. Give it, or its column.")
    decisions.add("held-out rows", f"{len(dataset):,} rows", "given as test rows")
    return replace(dataset, y=target.read(dataset.y))
