"""The input of a univariate score: columns by type, the target, and the sums gathered of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from lookalike.data.chunk import Chunk, Column, Table
from lookalike.data.select import NamedColumns, select
from lookalike.data.source import Source
from lookalike.data.targets import one_a_row
from lookalike.engines import Engine, engine_for
from lookalike.errors import ColumnError, ParameterError, RepeatError, ShapeError
from lookalike.kernels.discretize import Discretizer, Levels
from lookalike.models.feature_selection.univariate_formulas import (
    FilterScores,
    jackknife_error,
    varies,
)
from lookalike.reductions.base import Reduction
from lookalike.reductions.categories import Categories
from lookalike.reductions.class_sums import ClassSumSummary
from lookalike.reductions.joint_counts import Coding, JointCounts, dense_column
from lookalike.reductions.sample import RandomSample
from lookalike.reductions.wrappers import Checked, Grouped, OfTarget, WithWeight
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice, shown, typed

SCORE_MISSING_CHOICES = ("error", "present")
BIN_SAMPLE_ROWS = 20_000  # of which the edges of the bins are taken


# The scores of all columns; their p-values, None where no test goes with the score; their standard
# errors, NaN where unknown; which columns vary.
ColumnScores: TypeAlias = tuple[Array, Array | None, Array, AnyArray]


class FilterOptions(TypedDict, total=False):
    """Options of every univariate score, explained by :func:`filter_rows`."""

    discrete_features: str | ArrayLike
    missing: str
    engine: str
    n_jobs: int | None


class FilterRows:
    """A source with its target, and how its columns are to be read.

    Parameters
    ----------
    source : Source
        Rows with a target.
    engine : Engine
        Where the sums are gathered.
    task : {"classification", "regression"}
        What the target is.
    discrete : sequence of bool
        Which columns hold categories, even where they are written as numbers.
    missing : {"error", "present"}
        Whether missing values are refused, or a column is scored by the rows that have it.
    n_groups : int
        Groups left out in turn for standard errors; 1 means none.
    n_jobs : int, optional
        Threads of what is not gathered by the engine.
    """

    source: Source
    engine: Engine
    task: str
    discrete: AnyArray
    missing: str
    n_groups: int

    def __init__(
        self,
        source: Source,
        engine: Engine,
        *,
        task: str,
        discrete: AnyArray,
        missing: str,
        n_groups: int = 1,
        n_jobs: int | None = None,
    ) -> None:
        self.source, self.engine, self.task = source, engine, task
        self.discrete, self.missing, self.n_groups = discrete, missing, n_groups
        self.threads: int = resolve_threads(n_jobs)
        odd = [column for column in source.columns if column.kind in ("text", "date")]
        if odd:
            raise ColumnError(
                f"column {odd[0].name!r} holds {odd[0].kind}, which no filter can score. "
                "Leave it out, or turn it into numbers or categories."
            )
        self.numeric: bool = all(c.kind in ("number", "boolean") for c in source.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Names and kinds of the columns."""
        return self.source.columns

    def require_numbers(self, score: str) -> None:
        """Raise where a column holds categories, which have no mean."""
        if not self.numeric:
            name = next(c.name for c in self.columns if c.kind not in ("number", "boolean"))
            raise ColumnError(
                f"column {name!r} holds categories, which have no mean, and score_func={score!r} "
                "needs one. Choose 'mutual_info', or 'chi2' for classes, or encode the column."
            )

    def score(
        self,
        reduction: Reduction[Any, Any],
        formula: Callable[[Any], FilterScores],
        source: Source | None = None,
        check: Callable[[Any], None] | None = None,
    ) -> ColumnScores:
        """Gather sums in groups and return the scores, with errors by leaving out each group.

        `check` may refuse the sums of all rows.
        """
        source = self.source if source is None else source
        gather = Checked(
            Grouped(reduction, self.n_groups), source.columns, allow_nan=self.missing == "present"
        )
        states = self.engine.reduce(gather, source)

        def joined(parts: Sequence[object]) -> object:
            return reduction.finalize(functools.reduce(reduction.merge, parts))

        total = joined(states)
        if check is not None:
            check(total)
        scores, pvalues = formula(total)
        error = np.full(len(scores), np.nan)
        enough = source.n_rows is None or source.n_rows >= 2 * self.n_groups
        if self.n_groups > 1 and enough:
            parts = [joined([*states[:g], *states[g + 1 :]]) for g in range(self.n_groups)]
            error = jackknife_error(np.stack([formula(part)[0] for part in parts]))
        return scores, pvalues, error, varies(total)

    def tables(self, codings: Sequence[Coding], target: Coding | int) -> JointCounts:
        """Return the reduction that counts pairs of values."""
        refuse = None if self.missing == "present" else self.columns
        return JointCounts(codings, target, refuse)

    @functools.cached_property
    def mixed(self) -> Source:
        """The rows as one matrix, of objects where some columns hold categories."""
        if self.numeric:
            return self.source
        return NamedColumns(self.source, [column.name for column in self.columns])

    def codings(self, bins: int | None) -> list[Coding]:
        """Return the discretization of each column: its categories, or bins of its numbers."""
        self.require_repeat("bins and categories")
        codings: list[Coding | None] = [None] * len(self.columns)
        named = np.flatnonzero(self.discrete)
        if len(named):
            names = [self.columns[j].name for j in named]
            part = select(self.source, columns=names) if self.numeric else None
            counts = self.engine.reduce(Categories(), part or NamedColumns(self.source, names))
            for j, column in zip(named, counts, strict=True):
                codings[j] = Levels(list(column))
        numbers = np.flatnonzero(~self.discrete)
        if len(numbers):
            drawn = self.engine.reduce(WithWeight(RandomSample(BIN_SAMPLE_ROWS)), self.mixed).X
            weight = dense_column(drawn, -1).astype(np.float64)
            for place in numbers.tolist():
                codings[place] = Discretizer.of_sample(dense_column(drawn, place), weight, bins)
        return [coding for coding in codings if coding is not None]

    def target_coding(self, bins: int | None) -> Coding:
        """Return the discretization of the target: its classes, or bins of its numbers."""
        if self.task == "regression":
            drawn = self.engine.reduce(
                OfTarget(WithWeight(RandomSample(BIN_SAMPLE_ROWS))), self.mixed
            ).X
            return Discretizer.of_sample(dense_column(drawn, 0), dense_column(drawn, 1), bins)
        (counts,) = self.engine.reduce(OfTarget(Categories()), self.mixed)
        require_classes(list(counts))
        return Levels(list(counts))

    def with_binned_target(self, bins: int | None) -> FilterRows:
        """Return these rows with classes for their numeric target: bins of about equal weight."""
        self.require_repeat("bins of the target")
        return FilterRows(
            BinnedTarget(self.source, self.target_coding(bins)),
            self.engine,
            task="classification",
            discrete=self.discrete,
            missing=self.missing,
            n_groups=self.n_groups,
            n_jobs=self.threads,
        )

    def require_repeat(self, what: str) -> None:
        """Raise where the rows can be read only once."""
        if not self.source.repeatable:
            raise RepeatError(
                f"{what} take passes of their own, and the rows can be read only once. "
                "Give a function that returns a new iterator, or a file."
            )


class BinnedTarget:
    """A source whose numeric target is given by the number of its bin."""

    columns: tuple[Column, ...]
    n_rows: int | None
    n_features: int
    dtype: np.dtype
    repeatable: bool
    named: bool

    def __init__(self, source: Source, coding: Coding) -> None:
        self._source, self._coding = source, coding
        self.columns, self.n_rows = source.columns, source.n_rows
        self.n_features, self.dtype = source.n_features, source.dtype
        self.repeatable, self.home, self.named = source.repeatable, source.home, source.named
        if hasattr(source, "partitions"):
            view = functools.partial(BinnedTarget, coding=coding)
            self.partitions = functools.partial(source.partitions, view=view)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows with the bins as y."""
        return (chunk._replace(y=self._bin(chunk.y)) for chunk in self._source.chunks(rows))

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the columns with the bins as y."""
        return (table._replace(y=self._bin(table.y)) for table in self._source.tables(rows))

    def _bin(self, y: AnyArray | None) -> AnyArray:
        if y is None:
            raise ShapeError("The rows have no target. Give y.")
        return self._coding(np.asarray(y))


def require_classes(classes: Sequence[object] | AnyArray) -> None:
    """Raise unless there are at least two classes."""
    if len(classes) < 2:
        raise ShapeError(
            f"y holds one class only, {np.asarray(classes).tolist()[0]!r}. Give rows of at least "
            "two classes."
        )


@typed
def filter_rows(
    source: Source,
    task: str,
    *,
    discrete_features: str | ArrayLike = "auto",
    missing: str = "error",
    engine: str = "auto",
    n_jobs: int | None = None,
) -> FilterRows:
    """Return how the columns of `source` are read by a univariate score.

    `discrete_features` are the columns of categories: those of such a type ("auto"), all (True),
    or also those of a mask or of numbers of columns. Missing values are an "error", or a column is
    scored by the rows that have it ("present").
    """
    check_choice("missing", missing, SCORE_MISSING_CHOICES)
    return FilterRows(
        source,
        engine_for(source, engine, n_jobs=n_jobs),
        task=task,
        discrete=discrete_columns(discrete_features, source.columns),
        missing=missing,
        n_jobs=n_jobs,
    )


def discrete_columns(discrete_features: str | ArrayLike, columns: Sequence[Column]) -> AnyArray:
    """Return which columns hold categories: by their type, by a mask, or by number."""
    categorical: AnyArray = np.array([c.kind in ("category", "boolean") for c in columns])
    if isinstance(discrete_features, str):
        check_choice("discrete_features", discrete_features, ("auto",))
        return categorical
    if isinstance(discrete_features, (bool, np.bool_)):
        return np.ones_like(categorical) if discrete_features else categorical
    n_features, given = len(categorical), one_a_row(discrete_features, "discrete_features")
    mask = np.zeros(n_features, bool)
    if given.dtype == bool and given.shape == mask.shape:
        mask |= given
        return categorical | mask
    if given.dtype.kind in "iu" and (np.abs(given + 0.5) < n_features).all():
        mask[given] = True
        return categorical | mask
    raise ParameterError(
        f"discrete_features={shown(discrete_features)} names no columns of {n_features}. "
        "Give 'auto', True, a mask, or numbers of columns."
    )


def require_counts(sums: ClassSumSummary, rows: FilterRows) -> None:
    """Raise where a column of numbers, taken as counts, holds a negative one."""
    below = np.flatnonzero(sums.least < 0)
    if len(below):
        raise ParameterError(
            f"Negative values in data passed to chi2, which takes numbers as counts: column "
            f"{rows.columns[below[0]].name!r} holds {sums.least[below[0]]:g}. Choose 'f', or "
            "shift the column."
        )
