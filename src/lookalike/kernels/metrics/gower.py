"""Rows of mixed columns, numbers and categories, with missing values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lookalike.errors import ColumnError, MissingValueError, ParameterError
from lookalike.kernels.metrics.base import (
    METRIC,
    SEMIMETRIC,
    Metric,
    MetricForm,
    check_columns,
    check_weight,
)
from lookalike.kernels.metrics.columns import are_categories, columns_of, has_missing
from lookalike.kernels.metrics.rows import MetricRows
from lookalike.kernels.native_arrays import NativeRows
from lookalike.typing import AnyArray, Array


class NumberColumn(NamedTuple):
    """A column of numbers, measured against the range of the training rows."""

    name: Hashable
    least: float
    range: float

    def encode(self, values: AnyArray) -> Array:
        """Return values in units of the range, NaN where missing."""
        gap = values.astype(np.float64) - self.least
        return gap / self.range if self.range > 0 else np.sign(gap)  # another value: one unit away


class CategoryColumn(NamedTuple):
    """A column of categories, numbered as they were met in the training rows."""

    name: Hashable
    codes: dict[Hashable, int] | None  # None: the values are codes already

    def encode(self, values: AnyArray) -> Array:
        """Return codes, NaN where missing; a category not met before equals none of those met."""
        if self.codes is None:
            return values.astype(np.float64)
        new = len(self.codes)
        return np.array(
            [np.nan if value is None else self.codes.get(value, new) for value in values]
        )


class Gower(Metric):
    r"""The mean dissimilarity of the columns that both rows have, each from 0 to 1.

    .. math:: d(x, y) = \frac{\sum_{j \in P} w_j\, d_j(x_j, y_j)}{\sum_{j \in P} w_j}, \qquad
              d_j = \min\Big(1, \frac{|x_j - y_j|}{r_j}\Big) \text{ or } [x_j \ne y_j]

    [Gower71]. Ranges :math:`r_j` and categories are those of the training rows. `P` are the
    columns present in both rows; where there is none the distance is 1. Missing values cost
    identity and the triangle inequality.

    Parameters
    ----------
    X : data frame or matrix
        The training rows. Numbers are measured, all else (text, booleans, dates) are
        categories; a matrix without names has columns 0, 1, ...
    w : sequence or mapping, optional
        Weight of every column, or of the columns named; the others then weigh 1.
    categorical : sequence, optional
        Names of columns of numbers that are codes of categories.
    """

    name = "gower"
    form = MetricForm.GOWER

    def __init__(
        self,
        X: object,
        w: Sequence[float] | Mapping[Hashable, float] | None = None,
        categorical: Sequence[Hashable] = (),
    ) -> None:
        columns = columns_of(X, what="X", categorical=categorical)
        self.columns = [_learn(name, values) for name, values in columns.items()]
        names = [column.name for column in self.columns]
        unknown = [name for name in categorical if name not in names]
        if unknown:
            raise ColumnError(f"categorical names {unknown}, X has {names}. Name columns of X.")
        self.w: Array = check_weight(_weights(w, names))
        check_columns(len(names), self.w, "X", "w")
        self.categorical = tuple(
            column.name for column in self.columns if isinstance(column, CategoryColumn)
        )
        whole = self.w.all() and not any(has_missing(values) for values in columns.values())
        self.axioms = METRIC if whole else SEMIMETRIC

    @classmethod
    def of_codes(
        cls,
        names: Sequence[str],
        ends: Array,
        categorical: Sequence[int],
        w: Sequence[float] | Array,
        *,
        whole: bool,
    ) -> Gower:
        """Return the metric of a matrix whose categories are numbers already.

        Parameters
        ----------
        names : sequence of str
            Names of the columns.
        ends : array of shape (2, n_columns)
            The least and the largest value of every column, NaN where none is present.
        categorical : sequence of int
            Places of the columns of categories.
        w : sequence
            Weight of every column.
        whole : bool
            Whether no value is missing.
        """
        made = cls.__new__(cls)
        least, most = np.nan_to_num(ends)
        made.columns = [
            CategoryColumn(name, None)
            if place in categorical
            else NumberColumn(name, float(least[place]), float(most[place] - least[place]))
            for place, name in enumerate(names)
        ]
        made.w = check_weight(w)
        check_columns(len(names), made.w, "X", "w")
        made.categorical = tuple(names[place] for place in categorical)
        made.axioms = METRIC if whole and made.w.all() else SEMIMETRIC
        return made

    def _of_matrix(self, X: AnyArray, what: str) -> MetricRows:
        """Return the rows of a matrix of numbers and codes."""
        check_columns(X.shape[1], self.columns, what, "gower")
        if np.isinf(X).any():
            row, place = np.argwhere(np.isinf(X))[0]
            raise MissingValueError(
                f"{what} is infinite at row {row}, column {self.columns[place].name!r}. Drop it."
            )
        columns = [column.encode(X[:, place]) for place, column in enumerate(self.columns)]
        return np.column_stack(columns)

    def rows(self, X: object, *, what: str = "X") -> MetricRows:
        """Return one float64 column per column of `X`, in the order of the training rows."""
        X = X.values if isinstance(X, NativeRows) else X
        coded = all(getattr(column, "codes", None) is None for column in self.columns)
        if coded and isinstance(X, np.ndarray) and X.dtype.kind in "fiub" and X.ndim == 2:
            return self._of_matrix(X, what)
        given = columns_of(X, what=what, categorical=self.categorical)
        names = [column.name for column in self.columns]
        if set(given) != set(names):
            absent = [name for name in names if name not in given]
            extra = [name for name in given if name not in names]
            raise ColumnError(
                f"{what} lacks columns {absent} and has others {extra}. "
                "Give those of the training rows."
            )
        encoded = np.empty((len(next(iter(given.values()))), len(names)))
        for place, column in enumerate(self.columns):
            values = given[column.name]
            categories = are_categories(values)
            if isinstance(column, NumberColumn) == categories:
                kinds = ("numbers", "categories")
                raise ColumnError(
                    f"Column {column.name!r} of {what} holds {kinds[categories]}, "
                    f"in the training rows {kinds[not categories]}. Convert it."
                )
            encoded[:, place] = column.encode(values)
        return encoded


def _learn(name: Hashable, values: AnyArray) -> NumberColumn | CategoryColumn:
    if are_categories(values):
        met = dict.fromkeys(value for value in values if value is not None)
        return CategoryColumn(name, {value: code for code, value in enumerate(met)})
    present = values[~np.isnan(values)]
    if not present.size:
        return NumberColumn(name, 0.0, 0.0)
    least = float(present.min())
    return NumberColumn(name, least, float(present.max()) - least)


def _weights(w: object, names: list[Hashable]) -> Any:
    if w is None:
        return np.ones(len(names))
    if not isinstance(w, Mapping):
        return w
    unknown = [name for name in w if name not in names]
    if unknown:
        raise ParameterError(f"w names columns {unknown}, X has {names}. Name columns of X.")
    return [w.get(name, 1.0) for name in names]
