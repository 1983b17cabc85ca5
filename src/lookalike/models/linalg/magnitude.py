"""Rows whose squares leave the range of float64: noticed by their moments, and brought near 1."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from lookalike.data.chunk import Chunk, Column, Table
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.engines import Engine
from lookalike.errors import MagnitudeError
from lookalike.index.rescale import UNSCALED_MAGNITUDES, scale_of, scales_of
from lookalike.reductions.columns import Columns, ColumnSummary
from lookalike.reductions.ranges import Ranges
from lookalike.typing import AnyArray, Array, to_host

USUAL_FLOAT32 = (1e-15, 1e15)  # of rows whose products are summed in float32
MIN_SQUARES_FLOAT64 = 1e-200  # sums of squares of rows of a usual size lie between
MIN_SQUARES_FLOAT32 = 1e-28
MAX_SQUARES_FLOAT64, MAX_SQUARES_FLOAT32 = 1e200, 1e30
LARGEST_HALF_SPAN = 2.0**1022
LEAST_WIDE_RANGE = 1e12  # of a column; narrower ones are not looked at for outliers
MOST_RANGE_SHARE = 2.0**45  # of the typical deviation: wider, the other rows are lost
CONSTANT_SHARE = 2.0**15  # times as much of the largest deviation, for columns that have none
SAMPLE_FOR_DEVIATION = 4096  # rows


def can_rescale(source: Source) -> bool:
    """Return whether rows can be read again, times a power of two."""
    return source.repeatable and source.home != "dask"


def require_range(
    scatter: Array, *, least: float = MIN_SQUARES_FLOAT64, most: float = np.inf
) -> None:
    """Raise where sums of squares, in an array or on its diagonal, left the range of numbers.

    Rows that do not vary at all raise too: only their magnitude tells the two apart. Where that
    does not matter, `least` is 0.
    """
    squares = np.diagonal(scatter) if scatter.ndim == 2 else scatter
    largest = squares.max(initial=0.0)
    if not np.isfinite(scatter).all() or not least <= largest <= most:
        raise MagnitudeError(
            "The values are so large or so small that their squares overflow or underflow float64. "
            "Rescale the rows, for example with StandardScaler."
        )


def require_span(least: Array, most: Array, source: Source) -> None:
    """Raise where the values of a column lie so far apart that their difference overflows."""
    half = most / 2 - least / 2
    if half.max(initial=0.0, where=np.isfinite(half)) > LARGEST_HALF_SPAN:  # inf is named later
        raise too_large(source, "the range of its column overflows float64")


def require_shared_magnitude(source: Source, largest: float, lost: str) -> None:
    """Raise where a value is so large that sums of squares with it lose the other rows.

    `largest` bounds how far values lie apart, and `lost` names what cannot be computed. Rows are
    read again only where `largest` is large, and not where they can be read once, or are sparse.
    """
    if largest < LEAST_WIDE_RANGE or not can_rescale(source):
        return
    rows = to_host(next(iter(source.chunks(SAMPLE_FOR_DEVIATION))).X)
    if sp.issparse(rows) or not len(rows):
        return
    rows = rows.astype(np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of columns of NaN, and of overflow
        deviation = np.nanmedian(np.abs(rows - np.nanmedian(rows, axis=0)), axis=0)
        ends = [_ends(to_host(chunk.X)) for chunk in source.chunks()]
        width = np.nanmax(ends, axis=(0, 1)) - np.nanmin(ends, axis=(0, 1))
        typical = np.where(deviation > 0, deviation, CONSTANT_SHARE * np.nanmax(deviation))
        exceeded = (typical > 0) & (width > MOST_RANGE_SHARE * typical)
    if exceeded.any():
        raise too_large(source, f"beside it {lost} cannot be computed")


def _ends(X: AnyArray) -> Array:
    """Return the least and the largest value of every column, as two rows."""
    return np.array([np.nanmin(X, axis=0), np.nanmax(X, axis=0)], np.float64)


def too_large(source: Source, why: str) -> MagnitudeError:
    """Return the error that names the value of largest magnitude, its row and its column.

    Rows that can be read once, or lie in a cluster, are not looked through: then no row is named.
    """
    advice = "Correct or drop the row, or divide all rows by a number."
    cell = largest_cell(source) if can_rescale(source) else None
    if cell is None:
        return MagnitudeError(f"X holds values that are too large: {why}. {advice}")
    row, column, value = cell
    name = source.columns[column].name
    return MagnitudeError(f"X holds {value:.3g} at row {row}, column {name!r}: {why}. {advice}")


def largest_cell(source: Source) -> tuple[int, int, float] | None:
    """Return row, column and value of the largest magnitude; None where nothing is finite."""
    largest: tuple[int, int, float] | None = None
    for chunk in source.chunks():
        X = sp.coo_array(to_host(chunk.X))
        size = np.abs(np.where(np.isfinite(X.data), X.data, 0.0))
        if not size.size or (largest is not None and size.max() <= abs(largest[2])):
            continue
        entry = int(size.argmax())
        row, column = (int(coordinate[entry]) for coordinate in X.coords)
        largest = chunk.offset + row, column, float(X.data[entry])
    return largest


class RescaledRows:
    """The rows of a source in float64 times a power of two, or one for each column: not rounded."""

    n_rows: int | None
    n_features: int
    repeatable: bool
    named: bool

    def __init__(self, source: Source, factor: float | Array) -> None:
        self._source, self._factor = source, factor
        self.n_rows, self.n_features = source.n_rows, source.n_features
        self.repeatable, self.home, self.named = source.repeatable, source.home, source.named
        self.dtype: np.dtype = np.dtype(np.float64)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the source."""
        return self._source.columns

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows in matrices of at most `rows` rows."""
        for chunk in self._source.chunks(rows):
            yield chunk._replace(X=times_power(chunk.X, self._factor))

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Refuse: what is rescaled is a matrix."""
        raise MagnitudeError(f"Rescaled rows are not a table of columns (rows={rows}).")


def brought_near_one(source: Source, engine: Engine, decisions: Decisions) -> tuple[Source, float]:
    """Return the rows times a power of two, and that; rows of a usual size as they are."""
    if not can_rescale(source):
        require_range(np.full(1, np.inf))
    with np.errstate(invalid="ignore"):
        extent = engine.reduce(Ranges(), source)
    require_span(extent.least, extent.most, source)
    ends = np.abs(np.concatenate([extent.least, extent.most]))
    largest = float(np.max(ends, initial=0.0, where=~np.isnan(ends)))
    scale = scale_of(largest, USUAL_FLOAT32 if source.dtype == np.float32 else UNSCALED_MAGNITUDES)
    if scale == 1.0:
        return source, scale
    decisions.add(
        "scale",
        f"rows multiplied by 2^{int(np.log2(scale))}",
        f"the largest magnitude is {largest:.3g}",
    )
    return RescaledRows(source, scale), scale


@np.errstate(over="ignore", invalid="ignore")
def column_deviations(
    summary: ColumnSummary, source: Source, engine: Engine | None, *, ddof: int = 0
) -> Array:
    """Return the deviation of every column, also where its square leaves the range of float64.

    Such columns are read again, each times a power of two; without an engine they are an error.
    """
    largest = np.fmax(np.abs(summary.least), np.abs(summary.most))
    scale = scales_of(np.nan_to_num(largest, nan=1.0))
    if not (scale != 1.0).any():
        return np.asarray(np.sqrt(summary.variance))
    if engine is None or not can_rescale(source):
        require_range(summary.variance, least=0.0)
        return np.asarray(np.sqrt(summary.variance))
    again = engine.reduce(Columns(ddof=ddof), RescaledRows(source, scale))
    return np.asarray(np.sqrt(again.variance) / scale)


def times_power(X: AnyArray, factor: float | Array) -> AnyArray:
    """Return `X`, dense or sparse, times a power of two, in float64."""
    values = X.astype(np.float64)
    product: AnyArray = values * factor
    return product if not sp.issparse(product) else sp.csr_array(product)


def squared_units(values: Array, scale: float) -> Array:
    """Return squares of rescaled rows in the units of the rows: infinite or zero beyond float64."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(values / scale / scale)
