"""How near the nearest row is, compared with the distances among training rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp

from lookalike.explain.prediction.table_model import without_name_warnings
from lookalike.models.neighbors.training_rows import training_rows
from lookalike.typing import Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

SAMPLED_REFERENCE_ROWS = 1_000  # training rows at most whose own nearest distance is compared
NO_SIMILAR_CASE = 0.99  # percentile from which on a row has no similar case

_distances_of_space: WeakKeyDictionary[object, Array] = WeakKeyDictionary()


class DistancePercentile(NamedTuple):
    """The share of training rows that are nearer to their nearest row than a query is to its."""

    share: float
    n_rows: int  # training rows that were compared

    @property
    def no_similar_case(self) -> bool:
        """Whether nearly all training rows have a nearer row than the query has."""
        return self.share >= NO_SIMILAR_CASE


def distance_percentile(model: BaseEstimator, nearest: float) -> DistancePercentile | None:
    """Return the percentile of a distance among those of training rows; None if they are unknown.

    At most 1,000 training rows are compared, evenly spaced in their order.
    """
    known = nearest_distances(model)
    if known is None:
        return None
    share = int(np.searchsorted(known, nearest, side="left")) / len(known)
    return DistancePercentile(share, len(known))


def nearest_distances(model: BaseEstimator) -> Array | None:
    """Return the distance of training rows to their nearest other row, sorted.

    None if the rows are not in memory, or if the model measures no distances between them. The
    distances of a search space are computed once.
    """
    rows, space = training_rows(model), getattr(model, "space_", None)
    in_memory = isinstance(rows, np.ndarray) or sp.issparse(rows)
    if not in_memory or rows.shape[0] < 2 or _metric(model) in ("", "precomputed"):
        return None
    sampled = min(rows.shape[0], SAMPLED_REFERENCE_ROWS)
    part = np.linspace(0, rows.shape[0] - 1, sampled).round().astype(np.int64)
    if space is None:
        return np.sort(_without_space(model, rows[part], part))
    if space not in _distances_of_space:
        nearest = space.nearest(rows[part], 1, exclude=part, n_jobs=model.n_jobs)
        _distances_of_space[space] = np.sort(np.asarray(nearest.distance[:, 0], np.float64))
    return _distances_of_space[space]


def _metric(model: BaseEstimator) -> object:
    return getattr(model, "effective_metric_", "")


def _without_space(model: BaseEstimator, rows: object, part: Rows) -> Array:
    """Return the distances by scikit-learn's search, which finds the row itself too."""
    with without_name_warnings():
        distance, row = model.kneighbors(rows, 2)
    nearest = np.where(row[:, 0] == part, distance[:, 1], distance[:, 0])
    return np.asarray(nearest, np.float64)
