"""Rows of mixed columns, numbers and categories, with missing values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lookalike.errors import ColumnError, MissingValueError, ParameterError
from lookalike.kernels.metrics.base import (
    METRIC_AXIOMS,
    SEMIMETRIC_AXIOMS,
    Metric,
    MetricForm,
    check_columns,
    check_weight,
)
from lookalike.kernels.metrics.columns import are_categories, columns_of, has_missing
from lookalike.kernels.metrics.expected_difference import (
    category_difference,
    count_categories,
    count_numbers,
    number_difference,
)
from lookalike.kernels.metrics.rows import MetricRows
from lookalike.kernels.native_arrays import NativeRows
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import shown


class NumberColumn(NamedTuple):
    """A column of numbers, measured against the range of the training rows."""

    name: Hashable
    least: float
    range: float

    def encode(self, values: AnyArray) -> Array:
        """Return values in units of the range, NaN where missing."""
        difference = values.astype(np.float64) - self.least
        return (
            difference / self.range if self.range > 0 else np.sign(difference)
        )  # another value: one unit away


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
    r"""The mean dissimilarity of the columns, each from 0 to 1; a missing cell is never equal.

    .. math:: d(x, y) = \frac{\sum_{j \in P} w_j\, d_j(x_j, y_j)
              + \sum_{j \notin P} w_j\, e_j}{\sum_j w_j}, \qquad
              d_j = \min\Big(1, \frac{|x_j - y_j|}{r_j}\Big) \text{ or } [x_j \ne y_j]

    [Gower71]. Ranges :math:`r_j` and categories are those of the training rows. `P` are the
    columns present in both rows. Any other column adds its expected difference :math:`e_j`, the
    mean of :math:`d_j` over all pairs of training rows that have it: the mean absolute difference
    of numbers in units of their range, :math:`1 - \sum_c p_c^2` of categories. Where `P` is empty,
    or weighs less than `min_shared`, the distance is 1. A row that lacks a cell is not at distance
    0 of itself: missing values cost identity and the triangle inequality, and leave symmetry.

    Parameters
    ----------
    X : data frame or matrix
        The training rows. Numbers are measured, all else (text, booleans, dates) are
        categories; a matrix without names has columns 0, 1, ...
    w : sequence or mapping, optional
        Weight of every column, or of the columns named; the others then weigh 1.
    categorical : sequence, optional
        Names of columns of numbers that are codes of categories.
    min_shared : float, default=0
        From 0 to 1: rows are at distance 1 where the columns that both have are less than this
        share of all weights.

    Attributes
    ----------
    expected : ndarray or None
        Expected difference of every column. None in metrics of model files that were written
        before there was any: missing cells are left out of both sums, as they were.

    Examples
    --------
    >>> metric = Gower(np.array([[0.0, 1.0], [1.0, np.nan], [1.0, 3.0]]))
    >>> metric.expected.round(2).tolist()
    [0.44, 0.5]
    """

    columns: list[NumberColumn | CategoryColumn]

    name = "gower"
    form = MetricForm.GOWER
    expected: Array | None = None
    min_shared: float = 0.0

    def __init__(
        self,
        X: object,
        w: Sequence[float] | Mapping[Hashable, float] | None = None,
        categorical: Sequence[Hashable] = (),
        min_shared: object = 0.0,
    ) -> None:
        columns = columns_of(X, what="X", categorical=categorical)
        self.columns = [_learn(name, values) for name, values in columns.items()]
        names = [column.name for column in self.columns]
        unknown = [name for name in categorical if name not in names]
        if unknown:
            raise ColumnError(f"categorical names {unknown}, X has {names}. Name columns of X.")
        self.w: Array = check_weight(_weights(w, names))
        check_columns(len(names), self.w, "X", "w")
        self.categorical: tuple[Hashable, ...] = tuple(
            column.name for column in self.columns if isinstance(column, CategoryColumn)
        )
        self.min_shared = _check_share(min_shared)
        whole = self.w.all() and not any(has_missing(values) for values in columns.values())
        self.axioms: frozenset[str] = METRIC_AXIOMS if whole else SEMIMETRIC_AXIOMS
        self.expect(self.cell_counts(X))

    @classmethod
    def of_codes(
        cls,
        names: Sequence[str],
        ends: Array,
        categorical: Sequence[int],
        w: Sequence[float] | Array,
        *,
        whole: bool,
        min_shared: object = 0.0,
    ) -> Gower:
        """Return the metric of a matrix whose categories are numbers already.

        It has no expected differences until :meth:`expect` is called.

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
        min_shared : float
            As in the class.
        """
        made = cls.__new__(cls)
        least, most = np.nan_to_num(ends)
        made.columns = [
            CategoryColumn(name, None)
            if column in categorical
            else NumberColumn(name, float(least[column]), float(most[column] - least[column]))
            for column, name in enumerate(names)
        ]
        made.w = check_weight(w)
        check_columns(len(names), made.w, "X", "w")
        made.categorical = tuple(names[column] for column in categorical)
        made.min_shared = _check_share(min_shared)
        made.axioms = METRIC_AXIOMS if whole and made.w.all() else SEMIMETRIC_AXIOMS
        return made

    def cell_counts(self, X: object) -> tuple[Rows, ...]:
        """Return how often the values of each column occur; counts of pieces add up."""
        encoded = np.asarray(self.rows(X)).T
        return tuple(
            count_numbers(values) if isinstance(column, NumberColumn) else count_categories(values)
            for column, values in zip(self.columns, encoded, strict=True)
        )

    def expect(self, counts: Sequence[AnyArray]) -> None:
        """Take the expected difference of every column from the counts of all training rows."""
        self.expected = np.array(
            [
                number_difference(column_counts)
                if isinstance(column, NumberColumn)
                else category_difference(column_counts)
                for column, column_counts in zip(self.columns, counts, strict=True)
            ]
        )

    def column_terms(self, Q: AnyArray, X: AnyArray) -> Array:
        """Return what each column adds to the distances of rows that :meth:`rows` gave."""
        difference = np.abs(np.asarray(Q, np.float64) - np.asarray(X, np.float64))
        absent = np.zeros_like(self.w) if self.expected is None else self.expected
        terms: Array = self.w * np.where(np.isnan(difference), absent, np.minimum(difference, 1.0))
        return terms

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
        for index, column in enumerate(self.columns):
            values = given[column.name]
            categories = are_categories(values)
            if isinstance(column, NumberColumn) == categories:
                kinds = ("numbers", "categories")
                raise ColumnError(
                    f"Column {column.name!r} of {what} holds {kinds[categories]}, "
                    f"in the training rows {kinds[not categories]}. Convert it."
                )
            encoded[:, index] = column.encode(values)
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


def _check_share(share: Any) -> float:
    number = isinstance(share, (int, float, np.integer, np.floating))
    if not number or share is True or share is False or not 0 <= share <= 1:
        raise ParameterError(
            f"min_shared={shown(share)}: it is the share of the weights of the columns that two "
            "rows must both have. Give a number from 0 to 1."
        )
    return float(share)


def _weights(w: object, names: list[Hashable]) -> Any:
    if w is None:
        return np.ones(len(names))
    if not isinstance(w, Mapping):
        return w
    unknown = [name for name in w if name not in names]
    if unknown:
        raise ParameterError(f"w names columns {unknown}, X has {names}. Name columns of X.")
    return [w.get(name, 1.0) for name in names]
