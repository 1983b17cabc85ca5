"""Leakage over all rows: columns whose linear combination leaves little of a numeric target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.reductions.covariance import Covariance
from lookalike.reductions.wrappers import OnHost
from lookalike.studies.analyze.leakage import (
    MOST_SUMMED,
    PAIR_LOSS_SHARE,
    SHARE_OF_BETTER_LOSS,
    SHARE_OF_OTHERS_LOSS,
    SUM_LOSS_SHARE,
)
from lookalike.typing import AnyArray, Array, Rows

# Of a covariance, gathered in addition to what each column has alone.
MAX_COLUMNS_OF_COVARIANCE = 256
LEAST_SHARE = 1e-10  # of the largest eigenvalue, below which columns repeat each other


class LinearScreen:
    """Columns of numbers whose sum, each with a coefficient, nearly gives the target in all rows.

    Least squares by the covariance of columns and target. Missing values are those of the mean in
    the sample.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        The rows of the sample, as the pass over all rows reads them.
    kinds : mapping
        Name and kind of each column.
    """

    def __init__(self, X: AnyArray, kinds: Mapping[str, str]) -> None:
        numbers = [j for j, kind in enumerate(kinds.values()) if kind not in ("category", "text")]
        known = np.isfinite(X[:, numbers])
        count = np.maximum(known.sum(axis=0), 1)
        self._fill: Array = np.where(known, X[:, numbers], 0.0).sum(axis=0) / count
        self._places = numbers if len(numbers) <= MAX_COLUMNS_OF_COVARIANCE else []
        self._fill = self._fill[: len(self._places)]

    def reduction(self) -> ColumnsWithTarget:
        """Return what gathers the covariance of the columns and the target."""
        return ColumnsWithTarget(self._places, self._fill)

    def determining(self, covariance: Array, without: tuple[int, ...] = ()) -> list[int]:
        """Return the places of the pair, or of the fewest columns, that determine the target.

        A pair leaves at most 2% of the variance, and much less than each of the two; a sum of more
        at most 0.5%, and much less than all other columns. Columns `without` are not among them.
        """
        deviation = np.sqrt(np.diag(covariance))
        used = np.flatnonzero(deviation[:-1] > 0)
        used = np.array([j for j in used if self._places[j] not in without], np.int64)
        if len(used) < 2 or not deviation[-1] > 0:
            return []
        everything = np.append(used, len(deviation) - 1)
        scale = np.outer(deviation[everything], deviation[everything])
        related = covariance[np.ix_(everything, everything)] / scale
        chosen = _pair(related) or _sum(related)
        return [self._places[used[j]] for j in chosen]


class ColumnsWithTarget(OnHost[Any, Any]):
    """The covariance of some columns, with the target as the last."""

    places: list[int]
    fill: Array

    def __init__(self, places: list[int], fill: Array) -> None:
        super().__init__(Covariance())
        self.places, self.fill = places, fill

    def init(self, n_features: int) -> object:  # noqa: ARG002 - the columns chosen set the width
        """Return the moments of no rows."""
        return self.reduction.init(len(self.places) + 1)

    def update(self, state: object, chunk: Chunk) -> object:
        """Add the rows of `chunk`."""
        X: Array = np.asarray(chunk.X[:, self.places], np.float64)
        known = np.isfinite(X)
        if not known.all():
            X = np.where(known, X, self.fill)
        y = np.asarray(chunk.y, np.float64)
        return self.reduction.update(state, Chunk(np.column_stack([X, y])))

    def finalize(self, state: object) -> Array:
        """Return the covariance."""
        covariance: Array = self.reduction.finalize(state)[2]
        return covariance


def _pair(related: Array) -> list[int]:
    """Return the pair that leaves least, where that is little enough; correlations are given."""
    along, between = related[:-1, -1], related[:-1, :-1]
    first, second = np.triu_indices(len(along), 1)
    a, b, both = along[first], along[second], between[first, second]
    free = 1 - both**2
    explained = np.divide(
        a**2 + b**2 - 2 * a * b * both, free, out=np.zeros(len(a)), where=free > LEAST_SHARE
    )
    left = np.maximum(1 - explained, 0.0)
    alone = 1 - np.maximum(a**2, b**2)
    left = np.where(left <= np.minimum(PAIR_LOSS_SHARE, SHARE_OF_BETTER_LOSS * alone), left, np.inf)
    best = int(np.argmin(left))
    return [int(first[best]), int(second[best])] if np.isfinite(left[best]) else []


def _sum(related: Array) -> list[int]:
    """Return three columns or more, chosen one by one, where they leave little enough."""
    n_columns = len(related) - 1
    if _unexplained(related, np.arange(n_columns)) > SUM_LOSS_SHARE:
        return []
    chosen: list[int] = []
    left = 1.0
    while left > SUM_LOSS_SHARE and len(chosen) < min(MOST_SUMMED, n_columns):
        rest = [j for j in range(n_columns) if j not in chosen]
        tried = [_unexplained(related, np.array([*chosen, j])) for j in rest]
        best = int(np.argmin(tried))
        chosen, left = [*chosen, rest[best]], tried[best]
    others = np.array([j for j in range(n_columns) if j not in chosen], np.int64)
    if (
        left > SUM_LOSS_SHARE
        or len(chosen) < 3
        or left > SHARE_OF_OTHERS_LOSS * _unexplained(related, others)
    ):
        return []
    return chosen


def _unexplained(related: Array, columns: Rows) -> float:
    """Return the share of the variance of the target that least squares on some columns leaves."""
    if not len(columns):
        return 1.0
    size, axes = np.linalg.eigh(related[np.ix_(columns, columns)])
    kept = size > LEAST_SHARE * size[-1]
    along = axes[:, kept].T @ related[columns, -1]
    return max(1.0 - float((along**2 / size[kept]).sum()), 0.0)
