"""A survey of all rows in one pass: profile, duplicates, and how columns go with the target."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.data.source import Source
from lookalike.engines import engine_for
from lookalike.models.feature_selection.univariate_formulas import (
    correlation_of_classes,
    correlation_of_numbers,
)
from lookalike.reductions.by_class import ClassColumns
from lookalike.reductions.columns import Columns, ColumnSummary
from lookalike.reductions.row_hashes import DuplicateRows
from lookalike.reductions.several import Several
from lookalike.reductions.target_columns import TargetColumns
from lookalike.reductions.wrappers import Wrapped
from lookalike.studies.all_rows.leak_screens import LeakScreen
from lookalike.studies.all_rows.linear_leaks import LinearScreen
from lookalike.studies.all_rows.rows import FeatureChunks, dataset_chunk, target_of
from lookalike.studies.all_rows.text_copies import TextCopies
from lookalike.studies.analysis_results import ColumnOfAllRows
from lookalike.studies.analyze.leakage import filled_for_one_class
from lookalike.studies.context import StudyContext
from lookalike.studies.load.target import StudyTarget
from lookalike.studies.task import CLASSIFICATION_TASK
from lookalike.typing import Array

# Rows of the sample, at least, whose texts are compared with their class.
MIN_TEXTS_COMPARED = 2_000
DETERMINING_VARIANCE = 0.99  # of the variance, that a column must share with the target to be named


class SurveyResult:
    """What one pass over all rows found."""

    n_rows: int
    n_duplicates: int
    share_counted: float

    def __init__(
        self,
        context: StudyContext,
        rows: FeatureChunks,
        screen: LeakScreen | None,
        linear: LinearScreen | None,
        gathered: tuple[Any, ...],
    ) -> None:
        (columns, duplicates, against, tables, covariance), copies = gathered
        self.n_rows, self.n_duplicates, self.share_counted = duplicates
        self.classes: tuple[object, ...] = ()
        self.counts: tuple[int, ...] = ()
        self.filled: tuple[str, ...] = ()
        names_of = list(rows.features)
        score = np.full(len(rows.features), np.nan)
        if context.task is CLASSIFICATION_TASK:
            known = np.unique(np.asarray(context.dataset.y)).tolist()
            names = [*known, "other classes"]
            self.classes = tuple(names[int(code)] for code in against.classes)
            self.counts = tuple(int(n) for n in against.count.max(axis=1))
            score = correlation_of_classes(against)[0] ** 2
            total = tables[-1][0][np.asarray(against.classes, np.int64)]
            self.filled = tuple(names_of[j] for j in filled_for_one_class(against.count, total))
        elif context.task is not None:
            score = correlation_of_numbers(against)[0] ** 2
        self.profile: tuple[ColumnOfAllRows, ...] = tuple(
            _profile(column, j, columns, self.n_rows, score)
            for j, column in enumerate(rows.features.items())
        )
        suspects = set() if screen is None else {names_of[j] for j in screen.determining(tables)}
        suspects |= {*copies}
        suspects |= {
            one.name for one in self.profile if (one.univariate_score or 0) >= DETERMINING_VARIANCE
        }
        self.determining: tuple[str, ...] = tuple(name for name in names_of if name in suspects)
        alone = tuple(names_of.index(name) for name in self.determining)
        summed = [] if linear is None else linear.determining(covariance, alone)
        self.summed: tuple[str, ...] = tuple(names_of[j] for j in sorted(summed))


def survey_all_rows(context: StudyContext, source: Source) -> SurveyResult:
    """Return profile, duplicates and univariate scores of all rows, in one pass on the engine."""
    rows = study_rows(context, source)
    classes = context.task is CLASSIFICATION_TASK
    against: Any = Several([])  # nothing to go with
    screen: LeakScreen | None = None
    linear: LinearScreen | None = None
    tables: Any = Several([])
    covariance: Any = Several([])
    if context.task is not None:
        against = ClassColumns() if classes else TargetColumns()
        screen = _screen(context, rows)
        tables = screen.reduction()
    if context.task is not None and not classes:
        linear = LinearScreen(dataset_chunk(context.dataset, rows.features).X, rows.features)
        covariance = linear.reduction()
    numbers = WithTarget(Several([Columns(ddof=1), DuplicateRows(), against, tables, covariance]))
    engine = engine_for(rows, engine_name_of(context))
    gathered = engine.reduce(Several([numbers, _copies(context, rows)]), rows)
    return SurveyResult(context, rows, screen, linear, gathered)


def _copies(context: StudyContext, rows: FeatureChunks) -> TextCopies:
    """Return what counts the texts that name their class; documents are not such a column."""
    if context.task is not CLASSIFICATION_TASK:
        return TextCopies({}, [], np.empty(0))
    classes, y = np.unique(np.asarray(context.dataset.y), return_inverse=True)
    texts = [name for name, kind in rows.features.items() if kind in ("category", "text")]
    sample = slice(None, None, max(1, len(y) // MIN_TEXTS_COMPARED))
    columns = {name: context.dataset.column(name)[sample] for name in texts}
    documents = context.dataset.text
    return TextCopies(columns, classes.tolist(), y[sample].astype(np.float64), documents)


def _screen(context: StudyContext, rows: FeatureChunks) -> LeakScreen:
    """Return the screen for leaks, by the columns of the sample."""
    y = np.asarray(context.dataset.y)
    X = dataset_chunk(context.dataset, rows.features).X
    if context.task is not CLASSIFICATION_TASK:
        return LeakScreen(X, y.astype(np.float64), rows.features, None)
    classes, codes = np.unique(y, return_inverse=True)
    return LeakScreen(X, codes.astype(np.float64), rows.features, len(classes) + 1)


def reader_of(context: StudyContext) -> StudyTarget | None:
    """Return what reads targets as those of the sample were read; without their values."""
    values = context.target.values
    if values is None:
        return None
    sample = np.unique(values) if context.task is CLASSIFICATION_TASK else values[:1]
    return replace(context.target, values=sample)


def study_rows(context: StudyContext, source: Source) -> FeatureChunks:
    """Return the features of all rows, as the study reads them."""
    kinds = {column.name: column.kind for column in source.columns}
    features = {name: kinds[name] for name in context.features}
    return FeatureChunks(source, features, source.named, reader_of(context))


class WithTarget(Wrapped[Any, Any]):
    """Another reduction, of numbers with their targets; no rows are not news."""

    def update(self, state: object, chunk: Chunk) -> object:
        """Add the rows of `chunk`."""
        if not len(chunk.X):
            return state
        y = None if chunk.y is None else target_of(chunk)
        return self.reduction.update(state, Chunk(chunk.X, y, None, chunk.offset))


def engine_name_of(context: StudyContext) -> str:
    """Return the engine of passes over all rows."""
    return context.options.engine if context.options.engine == "dask" else "auto"


def _profile(
    column: tuple[str, str], j: int, columns: ColumnSummary, n_rows: int, score: Array
) -> ColumnOfAllRows:
    name, kind = column
    numbers = kind not in ("category", "text")

    def cell(values: Array) -> float | None:
        return float(values[j]) if numbers and np.isfinite(values[j]) else None

    return ColumnOfAllRows(
        name,
        kind,
        n_rows - int(columns.count[j]),
        cell(columns.mean),
        cell(np.sqrt(columns.variance)),
        cell(columns.least),
        cell(columns.most),
        cell(score),
    )
