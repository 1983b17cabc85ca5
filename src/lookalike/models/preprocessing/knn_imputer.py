"""K-nearest-neighbor imputation: missing values filled with the mean of the nearest rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from sklearn.impute import MissingIndicator
from sklearn.metrics import pairwise_distances

from lookalike.data.batches import gather
from lookalike.data.checks import require_finite
from lookalike.data.source import Source
from lookalike.data.sources.frames import like
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.index.rescale import (
    LARGEST_SCALED_QUERY,
    distance_scale,
    query_too_far,
    require_one_magnitude,
)
from lookalike.kernels.donors import (
    CellDonors,
    MissingCells,
    donors_of_distances,
    nearest_donors,
)
from lookalike.missing import is_missing
from lookalike.models.estimator import Transformer, check_is_fitted, feature_names, with_callbacks
from lookalike.models.inputs import as_floats, require_dense
from lookalike.models.preprocessing.missing_cells import indicator_of
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows, TableLike, to_host
from lookalike.validation import check_choice, check_int, is_float, is_function, shown

if TYPE_CHECKING:
    from sklearn.utils import Tags

DONOR_CELLS_AT_ONCE = 1 << 21  # missing cells times donors that are held at a time
DISTANCES_AT_ONCE = 1 << 22  # of a Python function


class Donors(NamedTuple):
    """Where the values of missing cells come from."""

    row: Rows  # (cells,) of the table that is filled
    column: Rows  # (cells,)
    donor: Rows  # (cells, n_neighbors), rows of fit, nearest first; -1 where there is none
    distance: Array  # (cells, n_neighbors)


class KNNImputer(Transformer):
    r"""Fill each missing value with the mean of the nearest rows that have its column.

    Parameters, attributes and results are those of scikit-learn's ``KNNImputer``, except that
    rows at equal distance go by row number. The distance is the Euclidean one over the columns
    that two rows share, scaled up to all columns. A cell none of whose possible donors shares a
    column with the row gets the mean of its column; a column without any value in `fit` is
    dropped.

    Parameters
    ----------
    missing_values : number, NaN or None, default=NaN
        What stands for a missing value. None, NaN and a null of a data frame are alike.
    n_neighbors : int, default=5
        Rows whose values are averaged.
    weights : {"uniform", "distance"} or function, default="uniform"
        What each of them counts: the same, the inverse of its distance, or what a function of
        the distances, nearest first, returns.
    metric : "nan_euclidean" or function, default="nan_euclidean"
        A function takes two rows and ``missing_values=``, and is called for every pair.
    copy : bool, default=True
        For scikit-learn's signature; the input is never changed.
    add_indicator : bool, default=False
        Whether the result has a column for each one that had missing values in `fit`, 1 where
        the value was missing.
    keep_empty_features : bool, default=False
        Whether a column without any value is kept, and filled with 0.
    engine, n_jobs
        As in :class:`lookalike.StandardScaler`; the rows of `fit` are held in memory.

    Attributes
    ----------
    indicator_ : MissingIndicator or None
        The columns that `add_indicator` adds.
    n_samples_fit_ : int
        Rows that can be donors.
    decisions_ : Decisions
        Choices made in `fit`, and why.

    Examples
    --------
    >>> from lookalike import KNNImputer
    >>> nan = float("nan")
    >>> rows = [[1.0, 2.0, nan], [3.0, 4.0, 3.0], [nan, 6.0, 5.0], [8.0, 8.0, 7.0]]
    >>> imputer = KNNImputer(n_neighbors=2)
    >>> imputer.fit_transform(rows)
    array([[1. , 2. , 4. ],
           [3. , 4. , 3. ],
           [5.5, 6. , 5. ],
           [8. , 8. , 7. ]])
    >>> imputer.donors(rows).donor
    array([[1, 2],
           [1, 3]])
    """

    _missing_values = True

    def __init__(
        self,
        *,
        missing_values: Any = np.nan,
        n_neighbors: int = 5,
        weights: Any = "uniform",
        metric: Any = "nan_euclidean",
        copy: bool = True,
        add_indicator: bool = False,
        keep_empty_features: bool = False,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.missing_values = missing_values
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.copy = copy
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features
        self.engine = engine
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: object, y: object = None) -> Self:
        """Hold the rows of `X`, any table, as donors; `y` is ignored."""
        self._check_parameters()
        source, decisions = self._open(X), Decisions()
        rows = self._read(source)
        present = ~np.isnan(rows)
        self._rows, self._valid = rows, present.any(axis=0)
        self.n_samples_fit_: int = len(rows)
        self._scale = distance_scale(float(np.nanmax(np.abs(rows), initial=0.0)))
        require_one_magnitude(rows, self._scale)
        with np.errstate(over="ignore"):
            total = np.where(present, rows, 0.0).sum(axis=0, dtype=np.float64)
        count = np.maximum(present.sum(axis=0), 1)
        safe = np.isfinite(total)
        shares = np.where(present, rows / count, 0.0).sum(axis=0, dtype=np.float64)
        self._mean = np.where(safe, total / count, shares)
        self._seen_missing = np.flatnonzero(~present.all(axis=0))
        for column in np.flatnonzero(~self._valid):
            done = "filled with 0" if self.keep_empty_features else "dropped"
            decisions.add(source.columns[column].name, done, "every value is missing")
        self.decisions_ = decisions
        return self

    def transform(self, X: object) -> TableLike:
        """Return `X` with its missing values filled."""
        check_is_fitted(self)
        rows = self._read(self._reopen(X))
        missing = np.isnan(rows)
        filled = rows.copy()
        for at, donors in self._batches(rows, missing & self._valid):
            filled[at.row, at.column] = self._values(at.column, donors)
        filled[:, ~self._valid] = 0.0
        kept = filled if self.keep_empty_features else filled[:, self._valid]
        if self.add_indicator:
            flags = missing[:, self._seen_missing].astype(kept.dtype)
            kept = np.concatenate([kept, flags], axis=1)
        return like(X, kept, list(self.get_feature_names_out()))

    def donors(self, X: object) -> Donors:
        """Return which rows of `fit` the values of the missing cells of `X` come from."""
        check_is_fitted(self)
        rows = self._read(self._reopen(X))
        k = self._n_donors()
        parts = [
            Donors(np.empty(0, int), np.empty(0, int), np.empty((0, k), int), np.empty((0, k)))
        ]
        for at, nearest in self._batches(rows, np.isnan(rows) & self._valid):
            parts.append(Donors(at.row, at.column, nearest.row, nearest.distance))
        return Donors(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def get_feature_names_out(self, input_features: object = None) -> AnyArray:
        """Return the names of the columns that are kept, then those of the indicators."""
        check_is_fitted(self)
        names: AnyArray = feature_names(self, input_features)
        kept = names if self.keep_empty_features else names[self._valid]
        if not self.add_indicator:
            return kept
        flags = [f"missingindicator_{name}" for name in names[self._seen_missing]]
        return np.concatenate([kept, np.array(flags, dtype=object)])

    @property
    def indicator_(self) -> MissingIndicator | None:
        """Return scikit-learn's indicator of the columns that had missing values in `fit`."""
        check_is_fitted(self)
        return indicator_of(self) if self.add_indicator else None

    def _read(self, source: Source) -> AnyArray:
        """Return the rows as floats, NaN where a value is missing."""
        chunk = gather(source)
        require_dense(chunk.X, "missing values are replaced in all cells")
        unmarked = is_missing(self.missing_values)
        require_finite(chunk.X, chunk.offset, source.columns, allow_nan=unmarked)
        rows = as_floats(to_host(chunk.X))
        if unmarked:
            return rows.copy()
        return np.where(rows == self.missing_values, np.nan, rows).astype(rows.dtype, copy=False)

    def _batches(self, rows: AnyArray, wanted: AnyArray) -> Iterator[tuple[Donors, CellDonors]]:
        """Give the missing cells a part at a time, with their donors."""
        k = self._n_donors()
        receivers = np.flatnonzero(wanted.any(axis=1))
        if self.metric == "nan_euclidean":
            held = np.cumsum(wanted[receivers].sum(axis=1)) * k // DONOR_CELLS_AT_ONCE
            given = (rows[receivers].astype(np.float64) * self._scale,)
            if given[0].size and np.nanmax(np.abs(given[0]), initial=0.0) > LARGEST_SCALED_QUERY:
                raise query_too_far(rows[receivers].astype(np.float64), self._scale, "X")
        else:
            held = np.arange(len(receivers)) * len(self._rows) // DISTANCES_AT_ONCE
        for part in np.split(receivers, np.flatnonzero(np.diff(held)) + 1):
            if not len(part):
                continue
            cells = MissingCells.of(wanted[part])
            row = np.repeat(part, np.diff(cells.start))
            nearest = self._nearest(rows[part], cells, k)
            yield Donors(row, cells.column, nearest.row, nearest.distance), nearest

    def _nearest(self, Q: AnyArray, cells: MissingCells, k: int) -> CellDonors:
        if self.metric == "nan_euclidean":
            scaled = np.asarray(Q, np.float64) * self._scale
            rows = np.asarray(self._rows, np.float64) * self._scale
            nearest = nearest_donors(scaled, rows, cells, k, threads=resolve_threads(self.n_jobs))
            return CellDonors(nearest.distance / self._scale, nearest.row)
        mark = np.nan if is_missing(self.missing_values) else self.missing_values
        Q, X = (np.where(np.isnan(part), mark, part) for part in (Q, self._rows))
        distance = pairwise_distances(
            Q, X, metric=self.metric, missing_values=mark, ensure_all_finite="allow-nan"
        )
        return donors_of_distances(distance, ~np.isnan(self._rows), cells, k)

    def _values(self, column: Rows, donors: CellDonors) -> Array:
        """Return the weighted mean of the donors of every cell, or the mean of its column."""
        value: Array = self._rows[donors.row, column[:, None]].astype(np.float64)
        weight = self._weights(donors, column)
        weight[donors.row < 0] = 0.0
        value[donors.row < 0] = 0.0
        total = weight.sum(axis=1)
        lonely = total == 0
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            mean: Array = (weight * value).sum(axis=1) / total
            large = ~np.isfinite(mean) & ~lonely
            mean[large] = (weight[large] / total[large, None] * value[large]).sum(axis=1)
        mean[lonely] = self._mean[column[lonely]]
        return mean

    def _weights(self, donors: CellDonors, column: Rows) -> Array:
        """Return what each donor counts."""
        if self.weights is None or self.weights == "uniform":
            return np.ones_like(donors.distance)
        distance = np.where(donors.row < 0, np.nan, donors.distance)
        if self.weights == "distance":
            with np.errstate(divide="ignore"):
                weight = 1.0 / distance
            at_zero = np.isinf(weight)
            any_zero = at_zero.any(axis=1)
            weight[any_zero] = at_zero[any_zero]
        else:
            weight = np.empty_like(distance)
            for cell in np.unique(column):  # a call for each column, as in scikit-learn
                cells = column == cell
                weight[cells] = self._called(distance[cells])
        weight[np.isnan(weight)] = 0.0
        return weight

    def _called(self, distance: Array) -> Array:
        result = self.weights(distance)
        weight = np.ones_like(distance) if result is None else np.array(result, np.float64)
        if weight.shape != distance.shape:
            raise ParameterError(
                f"weights returned shape {weight.shape} for distances of shape {distance.shape}. "
                "Return one weight for each distance."
            )
        return weight

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = is_missing(self.missing_values)
        return tags

    def _n_donors(self) -> int:
        return min(int(self.n_neighbors), len(self._rows))

    def _check_parameters(self) -> None:
        check_int("n_neighbors", self.n_neighbors, least=1)
        if self.weights is not None and not is_function(self.weights):
            check_choice("weights", self.weights, ("uniform", "distance"))
        if not is_function(self.metric):
            check_choice("metric", self.metric, ("nan_euclidean",))
        if not is_missing(self.missing_values) and not is_float(self.missing_values):
            raise ParameterTypeError(
                f"missing_values={shown(self.missing_values)} is not a number. "
                "Give a number or NaN."
            )
