"""Imputation: missing values filled with the mean, median or most frequent value of a column."""

from __future__ import annotations

import warnings
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from sklearn.impute import MissingIndicator

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.data.select import NamedColumns
from lookalike.data.source import Source, open_source
from lookalike.data.sources.arrays import kinds_of
from lookalike.data.sources.frames import like
from lookalike.decisions import Decisions
from lookalike.engines import Engine
from lookalike.errors import ParameterError, RepeatError, ShapeError, UnsupportedError
from lookalike.missing import is_missing
from lookalike.models.estimator import Transformer, check_is_fitted, feature_names, with_callbacks
from lookalike.models.inputs import as_floats, as_sample_weight, require_dense
from lookalike.models.linalg.magnitude import require_span
from lookalike.models.preprocessing.missing_cells import (
    are_cells,
    column_fills,
    fill_cells,
    indicator_of,
    mask_of,
    read_cells,
    require_castable,
    with_indicator,
)
from lookalike.reductions.categories import Categories
from lookalike.reductions.columns import Columns
from lookalike.reductions.quantiles import N_DIGITS, DigitCounts, extend, start, unsortable
from lookalike.reductions.wrappers import Checked
from lookalike.typing import AnyArray, Array, Rows, TableLike
from lookalike.validation import check_choice, is_function

IMPUTER_STRATEGIES = ("mean", "median", "most_frequent", "constant")
NUMERIC_TYPES = ("number", "boolean")


class SimpleImputer(Transformer):
    """Fill missing values with a statistic of their column [LUMS].

    Strategies, attributes and results are those of scikit-learn's ``SimpleImputer``; missing are
    NaN, and null in a data frame. Of a data frame with columns of several kinds, categories are
    filled with the most frequent one whatever the statistic of numbers; text and dates are left
    as they are. The median is exact on every engine: it is found digit by digit, in six passes
    over the rows, with bounded memory.

    Parameters
    ----------
    strategy : {"mean", "median", "most_frequent", "constant"} or function, default="mean"
        What a missing number becomes. Of values equally frequent, the smallest. A function is
        given the values of a column of an array.
    missing_values : number, str, NaN or None, default=NaN
        What stands for a missing value, in arrays and frames in memory. None, NaN and a null of a
        data frame are alike.
    fill_value : number or str, optional
        With ``strategy="constant"``, what fills numbers or categories, whichever it is one of:
        0 and "missing_value" where None.
    copy : bool, default=True
        For scikit-learn's signature; the input is never changed.
    add_indicator : bool, default=False
        Whether the result has a column for each one that had missing values in `fit`, 1 where the
        value was missing; for rows in memory.
    keep_empty_features : bool, default=False
        Whether a column without any value is kept and filled with 0 (or `fill_value`); else it
        is dropped.
    engine, n_jobs
        As in :class:`lookalike.StandardScaler`.

    Attributes
    ----------
    statistics_ : ndarray of shape (n_features,)
        The fill value of each column, NaN for a column that is dropped.
    indicator_ : MissingIndicator or None
        The columns that `add_indicator` adds.
    decisions_ : Decisions
        Choices made in `fit`, and why.

    Examples
    --------
    >>> from lookalike import SimpleImputer
    >>> SimpleImputer().fit_transform([[1.0, 5.0], [float("nan"), 7.0], [3.0, 9.0]])
    array([[1., 5.],
           [2., 7.],
           [3., 9.]])
    """

    _missing_values = True
    _sparse_rows = True
    missing_values: Any = np.nan  # these are absent from files of earlier models
    copy: bool = True
    add_indicator: bool = False
    _seen_missing: Rows
    statistics_: AnyArray
    decisions_: Decisions

    def __init__(
        self,
        strategy: Any = "mean",
        *,
        missing_values: Any = np.nan,
        fill_value: Any = None,
        copy: bool = True,
        add_indicator: bool = False,
        keep_empty_features: bool = False,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.strategy = strategy
        self.missing_values = missing_values
        self.fill_value = fill_value
        self.copy = copy
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None, sample_weight: object = None) -> Self:
        """Learn the fill value of each column of `X`, any table, whose rows `sample_weight` weighs.

        `y` is ignored.
        """
        if not is_function(self.strategy):
            check_choice("strategy", self.strategy, IMPUTER_STRATEGIES)
        if are_cells(X, self):
            return self._fit_cells(X, sample_weight)
        self._fill_dtype: np.dtype | None = None
        decisions = Decisions()
        source = self._open(X, sample_weight=sample_weight)
        engine = self._engine(source, decisions)
        fills: dict[str, object] = dict.fromkeys(column.name for column in source.columns)
        numbers = [column.name for column in source.columns if column.kind in NUMERIC_TYPES]
        if len(numbers) == source.n_features:
            fills |= zip(numbers, self._numbers(engine, source), strict=True)
        elif numbers:
            part = open_source(X, weight=sample_weight, columns=numbers)
            fills |= zip(numbers, self._numbers(engine, part), strict=True)
        categories = [column.name for column in source.columns if column.kind == "category"]
        if categories:
            try:
                modes = _modes(engine, NamedColumns(source, categories))
            except TypeError as error:  # numbers and text, which have no order
                raise ParameterError(
                    f"Cannot use {self.strategy} strategy with non-numeric data:\ncould not "
                    f"convert string to float: a column mixes kinds, {error}. Give text alone."
                ) from None
            fills |= zip(categories, map(self._category, modes), strict=True)
        self._set(list(fills.values()), source.columns, decisions)
        return self

    def transform(self, X: object) -> TableLike:
        """Return `X` with its missing values filled."""
        check_is_fitted(self)
        self._warn_of_dropped()
        if getattr(self, "_fill_dtype", None) is not None or are_cells(X, self):
            return self._transform_cells(X)
        source = self._reopen(X)
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            return self._map_rows(self._filled, X, self.get_feature_names_out())
        names = frame.columns  # of pandas not always text, as those of a source are
        for name, column, value in zip(names, source.columns, self.statistics_, strict=True):
            if column.kind in NUMERIC_TYPES and not is_missing(value):
                frame = frame.with_columns(_fill_number(frame.get_column(name), float(value)))
            elif column.kind == "category" and value is not None:
                frame = frame.with_columns(_fill_category(frame.get_column(name), value))
        return nw.to_native(frame.drop([names[place] for place in self._dropped]))

    def get_feature_names_out(self, input_features: object = None) -> AnyArray:
        """Return the names of the columns that are kept."""
        check_is_fitted(self)
        names: AnyArray = feature_names(self, input_features)
        kept = np.delete(names, list(self._dropped))
        if not self.add_indicator:
            return kept
        flags = [f"missingindicator_{name}" for name in names[self._seen_missing]]
        return np.concatenate([kept, np.array(flags, dtype=object)])

    def inverse_transform(self, X: object) -> AnyArray:
        """Return the rows that have the values and indicators `X`: filled cells are missing again.

        Columns that were dropped are zero, or missing where an indicator says so.
        """
        check_is_fitted(self)
        if not self.add_indicator:
            raise ParameterError(
                "'inverse_transform' works only when 'SimpleImputer' is instantiated with "
                f"'add_indicator=True'. Got 'add_indicator={self.add_indicator}' instead."
            )
        rows = np.asarray(X)
        n_kept = self.n_features_in_ - len(self._dropped)
        if rows.ndim != 2 or rows.shape[1] != n_kept + len(self._seen_missing):
            raise ShapeError(
                f"X has shape {rows.shape}, and transform returns "
                f"{n_kept + len(self._seen_missing)} columns. Give what it returned."
            )
        original = np.zeros((len(rows), self.n_features_in_), rows.dtype)
        original[:, np.delete(np.arange(self.n_features_in_), list(self._dropped))] = rows[
            :, :n_kept
        ]
        row, flag = np.nonzero(rows[:, n_kept:].astype(bool))
        original[row, self._seen_missing[flag]] = self.missing_values
        return original

    @property
    def indicator_(self) -> MissingIndicator | None:
        """Return scikit-learn's indicator of the columns that had missing values in `fit`."""
        check_is_fitted(self)
        return indicator_of(self) if self.add_indicator else None

    def _fit_cells(self, X: object, sample_weight: object) -> Self:
        """Learn the fill value of each column of an array, a sparse matrix or a frame."""
        weight = as_sample_weight(sample_weight)
        if weight is not None and is_function(self.strategy):
            raise UnsupportedError(
                "sample_weight does not reach the function that strategy= gives. Leave it out."
            )
        cells = read_cells(X, self, None)
        self._note_columns(X, open_source(np.empty((1, cells.shape[1]))), reset=True)
        if weight is not None and len(weight) != cells.shape[0]:
            raise ShapeError(
                f"sample_weight has {len(weight)} weights for {cells.shape[0]} rows. Give one for "
                "each."
            )
        mask = mask_of(cells, self.missing_values)
        self.statistics_, self._fill_dtype = column_fills(cells, self, weight), cells.dtype
        empty = [column for column, fill in enumerate(self.statistics_) if is_missing(fill)]
        self._dropped = () if self.keep_empty_features else tuple(empty)
        self._seen_missing = np.flatnonzero(np.asarray(mask.sum(axis=0)).ravel())
        self.decisions_ = Decisions()
        for column in self._dropped:
            self.decisions_.add(f"x{column}", "dropped", "every value is missing")
        return self

    def _transform_cells(self, X: Any) -> TableLike:
        fitted = getattr(self, "_fill_dtype", None)
        cells = read_cells(X, self, fitted)
        self._note_columns(X, open_source(np.empty((1, cells.shape[1]))), reset=False)
        if self.strategy == "constant" and fitted is not None:
            require_castable(fitted, cells.dtype)
        mask = mask_of(cells, self.missing_values)
        kept = np.delete(np.arange(cells.shape[1]), list(self._dropped))
        filled = fill_cells(cells, mask, self.statistics_, kept)
        if self.add_indicator:
            filled = with_indicator(filled, mask, self._seen_missing)
        if sp.issparse(filled):
            return filled.asformat(X.format) if sp.issparse(X) else filled
        return like(X, filled, list(self.get_feature_names_out()))

    def _warn_of_dropped(self) -> None:
        if self._dropped:
            names: AnyArray = np.array(self._dropped)
            if hasattr(self, "feature_names_in_"):
                names = self.feature_names_in_[names]
            warnings.warn(
                f"Skipping features without any observed values: {names}. At least one non-missing "
                f"value is needed for imputation with strategy='{self.strategy}'.",
                UserWarning,
                stacklevel=4,
            )

    def _filled(self, columns: tuple[Column, ...], chunk: Chunk) -> AnyArray:
        require_dense(chunk.X, "missing values are replaced in all cells")
        require_finite(chunk.X, chunk.offset, columns, allow_nan=True)
        X = as_floats(chunk.X)
        filled = np.where(np.isnan(X), self.statistics_.astype(X.dtype), X)
        return np.delete(filled, self._dropped, axis=1) if self._dropped else filled

    def _set(self, fills: list[object], columns: tuple[Column, ...], decisions: Decisions) -> None:
        """Set the fill values; a column without a value is dropped or filled, with a warning."""
        dropped = []
        for index, column in enumerate(columns):
            if column.kind in ("text", "date", "id"):
                decisions.add(column.name, "not imputed", f"it holds {column.kind}")
            elif is_missing(fills[index]):
                if not self.keep_empty_features:
                    dropped.append(index)
                    decisions.add(column.name, "dropped", "every value is missing")
                    continue
                if column.kind == "category" and self.strategy == "constant":
                    fills[index] = self._category("")
                    done = f"filled with {fills[index]!r}"
                elif column.kind == "category":
                    done = "left as it is"
                else:
                    fills[index] = self._constant() if self.strategy == "constant" else 0.0
                    done = f"filled with {fills[index]:g}"
                decisions.add(column.name, done, "every value is missing")
                warnings.warn(
                    f"Column {column.name!r} has no value at all: it is {done}.",
                    UserWarning,
                    stacklevel=4,
                )
        numeric = kinds_of(columns) <= set(NUMERIC_TYPES)
        self._seen_missing = np.empty(0, int)
        self.statistics_ = np.array(fills, dtype=np.float64 if numeric else object)
        self._dropped = tuple(dropped)
        self.decisions_ = decisions

    def _constant(self) -> float:
        of_categories = self.fill_value is None or isinstance(self.fill_value, str)
        return 0.0 if of_categories else float(self.fill_value)

    def _category(self, mode: object) -> object:
        """Return what fills a column of categories of which `mode` is the most frequent."""
        if self.strategy != "constant" or mode is None:
            return mode
        return self.fill_value if isinstance(self.fill_value, str) else "missing_value"

    def _numbers(self, engine: Engine, source: Source) -> Array:
        """Return the fill value of each column of numbers, NaN where none is present."""
        columns = engine.reduce(Checked(Columns(), source.columns, allow_nan=True), source)
        if self.strategy == "mean":
            require_span(columns.least, columns.most, source)
            return columns.mean
        if self.strategy == "constant":
            return np.where(columns.count > 0, self._constant(), np.nan)
        if not source.repeatable:
            raise RepeatError(
                f"strategy={self.strategy!r} reads the rows more than once, and these can be read "
                "only once. Give a function that returns a new iterator, or strategy='mean'."
            )
        if self.strategy == "median":
            return _medians(engine, source, columns.count)
        return np.array(_modes(engine, source), dtype=np.float64)


def _medians(engine: Engine, source: Source, weight: Array) -> Array:
    """Return the value in the middle of each column, or between the two in the middle."""
    half = weight / 2
    ranks = np.stack([np.nextafter(half, 0.0), half])  # the weights below the lower and upper one
    prefix = start(2, source.n_features)
    for _ in range(N_DIGITS):
        prefix = extend(prefix, engine.reduce(DigitCounts(prefix), source), ranks)
    lower, upper = unsortable(prefix[0])
    return np.where(weight > 0, lower + (upper - lower) / 2, np.nan)


def _modes(engine: Engine, source: Source) -> list[object]:
    """Return the most frequent value of each column, None where none is present."""
    counts = engine.reduce(Categories(), source)
    return [max(column, key=column.__getitem__, default=None) for column in counts]


def _fill_number(series: nw.Series[Any], value: float) -> nw.Series[Any]:
    """Return `series` with neither null nor NaN; a column without gaps keeps its type."""
    values = series.to_numpy() if series.dtype.is_float() else None
    if not series.is_null().any() and (values is None or not np.isnan(values).any()):
        return series
    numbers = series.cast(nw.Float64) if not series.dtype.is_float() else series
    return numbers.fill_null(value).fill_nan(value)


def _fill_category(series: nw.Series[Any], value: Any) -> nw.Series[Any]:
    """Return `series` without null, among whose categories is what fills it."""
    native = nw.to_native(series)
    if hasattr(getattr(native, "cat", None), "add_categories"):  # pandas
        if value not in native.cat.categories:
            series = nw.from_native(native.cat.add_categories([value]), series_only=True)
    elif series.dtype == nw.Enum and value not in series.cat.get_categories().to_list():
        series = series.cast(nw.String)
    return series.fill_null(value)
