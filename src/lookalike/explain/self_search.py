"""The neighbors of every row among the others, searched once for audit, curves and bounds."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.index.base import Neighbors
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.typing import Array, Rows
from lookalike.validation import check_int, typed


class SelfSearch:
    """The nearest rows of every row, itself left out by its number; made by `self_search`.

    Attributes
    ----------
    model : NearestNeighbors
        The fitted search.
    distance, row : ndarray of shape (n_rows, k)
        Nearest first, equal distances by row number: k neighbors are the first of k + 1. k is 0
        before any search.
    """

    distance: Array
    row: Rows

    def __init__(self, model: NearestNeighbors, found: Neighbors | None = None) -> None:
        self.model = model
        if found is None:
            shape = (model.n_samples_fit_, 0)
            found = Neighbors(np.empty(shape), np.empty(shape, np.int64))
        self.distance, self.row = found

    @property
    def n_rows(self) -> int:
        """How many rows were searched."""
        return len(self.row)

    @property
    def n_features(self) -> int:
        """How many columns they have."""
        return int(self.model.n_features_in_)

    @property
    def decisions(self) -> Decisions:
        """What the search decided."""
        return Decisions(self.model.decisions_)

    def first(self, k: int) -> Neighbors:
        """Return the `k` nearest of every row, searching again only where there are fewer."""
        k = check_int("k", k, least=1)
        if k <= self.row.shape[1]:
            return Neighbors(self.distance[:, :k], self.row[:, :k])
        distance, row = self.model.kneighbors(None, k)
        return Neighbors(np.asarray(distance, np.float64), np.asarray(row))

    def of(self, part: Rows, k: int) -> Neighbors:
        """Return the `k` nearest of some rows by number, from the same index."""
        if k <= self.row.shape[1]:
            return Neighbors(self.distance[part, :k], self.row[part, :k])
        space = self.model.space_
        queries = _safe_indexing(space.queries(None), part)
        return space.nearest(queries, k, exclude=part, n_jobs=self.model.n_jobs)


@typed
def self_search(X: object, k: int = 10, *, search: NearestNeighbors | None = None) -> SelfSearch:
    """Find the `k` nearest rows of every row of `X`, for `audit` and others.

    Parameters
    ----------
    X : table or SelfSearch
        Anything that :func:`lookalike.data.open_source` takes. A search that was made before is
        returned, widened where it holds fewer than `k`.
    k : int, default=10
        Neighbors of each row.
    search : NearestNeighbors, optional
        How to search, such as ``NearestNeighbors(metric="cosine", engine="stream")``.

    Examples
    --------
    >>> neighbors = self_search([[0.0], [1.0], [3.0]], k=1)
    >>> neighbors.row.ravel()
    array([1, 0, 1])
    """
    searched = X if isinstance(X, SelfSearch) and search is None else unsearched(X, search)
    if k <= searched.row.shape[1]:
        return searched
    return SelfSearch(searched.model, searched.first(k))


def unsearched(X: object, search: NearestNeighbors | None) -> SelfSearch:
    """Return the rows of `X` indexed for search, with no neighbors yet."""
    if isinstance(X, SelfSearch):
        raise ParameterError("X was searched already, so search= would have no effect. Drop one.")
    model = NearestNeighbors() if search is None else search
    if not isinstance(model, NearestNeighbors):
        raise ParameterTypeError(
            f"search={search!r} is not a NearestNeighbors. Give one, not fitted."
        )
    return SelfSearch(clone(model).fit(X))
