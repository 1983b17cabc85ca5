"""Missing values filled with what is usual in their column."""

from __future__ import annotations

import warnings
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.data.select import ObjectColumns
from lookalike.data.source import Source, open_source
from lookalike.decisions import Decisions
from lookalike.engines import Engine
from lookalike.errors import ParameterTypeError, RepeatError
from lookalike.models.estimator import Model, as_floats, with_callbacks
from lookalike.reductions.categories import Categories
from lookalike.reductions.columns import Columns
from lookalike.reductions.quantiles import N_DIGITS, DigitCounts, extend, start, unsortable
from lookalike.reductions.wrappers import Checked
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice

STRATEGIES = ("mean", "median", "most_frequent")


class SimpleImputer(OneToOneFeatureMixin, TransformerMixin, Model):  # type: ignore[misc]
    """Fill missing values with the mean, median or most frequent value of their column [LUMS].

    Categories of a data frame are filled with the most frequent one whatever the strategy;
    text and dates are left as they are. The median is exact on every engine: it is found digit by
    digit, in six passes over the rows, without keeping them.

    Parameters
    ----------
    strategy : {"mean", "median", "most_frequent"}, default="mean"
        What a missing number becomes. Of values equally frequent, the smallest.
    engine : {"auto", "memory", "stream", "dask"}, default="auto"
        Where the rows are gone through.
    n_jobs : int, optional
        Threads; None means the setting of :func:`lookalike.config`.

    Attributes
    ----------
    statistics_ : ndarray of shape (n_features,)
        What each column is filled with.
    decisions_ : Decisions
        What was settled on the way, and why.

    Examples
    --------
    >>> from lookalike import SimpleImputer
    >>> SimpleImputer().fit_transform([[1.0, 5.0], [float("nan"), 7.0], [3.0, 9.0]])
    array([[1., 5.],
           [2., 7.],
           [3., 9.]])
    """

    def __init__(
        self, strategy: str = "mean", *, engine: str = "auto", n_jobs: int | None = None
    ) -> None:
        self.strategy = strategy
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Learn what is usual in each column.

        Parameters
        ----------
        X : table
            Anything that :func:`lookalike.data.open_source` takes.
        y : ignored
            There for scikit-learn's pipelines.
        sample_weight : array of shape (n_rows,), optional
            How much each row counts.
        """
        check_choice("strategy", self.strategy, STRATEGIES)
        if sp.issparse(X):
            raise ParameterTypeError("X is sparse, where what is absent is zero. Give X.toarray().")
        decisions = Decisions()
        source = self._open(X, sample_weight=sample_weight)
        engine = self._engine(source, decisions)
        usual: dict[str, Any] = dict.fromkeys(column.name for column in source.columns)
        numbers = [c.name for c in source.columns if c.kind in ("number", "boolean")]
        if len(numbers) == source.n_features:
            usual |= zip(numbers, self._numbers(engine, source), strict=True)
        elif numbers:
            part = open_source(X, weight=sample_weight, columns=numbers)
            usual |= zip(numbers, self._numbers(engine, part), strict=True)
        categories = [column.name for column in source.columns if column.kind == "category"]
        if categories:
            modes = _modes(engine, ObjectColumns(source, categories))
            usual |= zip(categories, modes, strict=True)
        self.statistics_ = _settled(usual, source.columns, decisions)
        self.decisions_ = decisions
        return self

    def transform(self, X: Any) -> Any:
        """Return `X` with its missing values filled."""
        check_is_fitted(self)
        source = self._reopen(X)
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            return self._map_rows(self._filled, X, self.get_feature_names_out())
        names = frame.columns  # of pandas not always text, as those of a source are
        for name, column, value in zip(names, source.columns, self.statistics_, strict=True):
            if column.kind in ("number", "boolean"):
                frame = frame.with_columns(_fill_number(frame.get_column(name), float(value)))
            elif column.kind == "category" and value is not None:
                frame = frame.with_columns(frame.get_column(name).fill_null(value))
        return nw.to_native(frame)

    def _filled(self, source: Source, chunk: Chunk) -> AnyArray:
        require_finite(chunk.X, chunk.offset, source.columns, allow_nan=True)
        X = as_floats(chunk.X)
        return np.where(np.isnan(X), self.statistics_.astype(X.dtype), X)

    def _numbers(self, engine: Engine, source: Source) -> Array:
        """Return the usual value of each column of numbers, NaN where none is present."""
        columns = engine.reduce(Checked(Columns(), source.columns, allow_nan=True), source)
        if self.strategy == "mean":
            return columns.mean
        if not source.repeatable:
            raise RepeatError(
                f"strategy={self.strategy!r} reads the rows more than once, and these can be read "
                "only once. Give a function that returns a new iterator, or strategy='mean'."
            )
        if self.strategy == "median":
            return _medians(engine, source, columns.count)
        return np.array(_modes(engine, source), dtype=np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _medians(engine: Engine, source: Source, weight: Array) -> Array:
    """Return the value in the middle of each column, or between the two in the middle."""
    half = weight / 2
    ranks = np.stack([np.nextafter(half, 0.0), half])  # the weights below the lower and upper one
    prefix = start(2, source.n_features)
    for _ in range(N_DIGITS):
        prefix = extend(prefix, engine.reduce(DigitCounts(prefix), source), ranks)
    lower, upper = unsortable(prefix.key)
    return np.where(weight > 0, lower + (upper - lower) / 2, np.nan)


def _modes(engine: Engine, source: Source) -> list[Any]:
    """Return the most frequent value of each column, None where none is present."""
    counts = engine.reduce(Categories(), source)
    return [max(column, key=column.__getitem__, default=None) for column in counts]


def _settled(usual: dict[str, Any], columns: tuple[Column, ...], decisions: Decisions) -> AnyArray:
    """Return the fill of each column; where nothing is known, zero and a warning."""
    fills = list(usual.values())
    for place, column in enumerate(columns):
        if column.kind in ("text", "date"):
            decisions.add(column.name, "left as it is", f"nothing is usual in a {column.kind}")
        elif fills[place] is None or fills[place] != fills[place]:
            fills[place] = 0.0 if column.kind in ("number", "boolean") else None
            done = "filled with 0" if fills[place] == 0.0 else "left as it is"
            decisions.add(column.name, done, "every value is missing")
            warnings.warn(
                f"Column {column.name!r} has no value at all: it is {done}. Drop it.",
                UserWarning,
                stacklevel=4,
            )
    numeric = all(column.kind in ("number", "boolean") for column in columns)
    return np.array(fills, dtype=np.float64 if numeric else object)


def _fill_number(series: nw.Series[Any], value: float) -> nw.Series[Any]:
    """Return `series` with neither null nor NaN; a column without gaps keeps its type."""
    values = series.to_numpy() if series.dtype.is_float() else None
    if not series.is_null().any() and (values is None or not np.isnan(values).any()):
        return series
    numbers = series.cast(nw.Float64) if not series.dtype.is_float() else series
    return numbers.fill_null(value).fill_nan(value)
