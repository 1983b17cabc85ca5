"""Neighbors of rows on a cluster: Dask arrays that are computed there when they are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.engines.dask_parts import is_collection, lazy_results, pieces_of
from lookalike.index.cluster import ClusterIndex
from lookalike.index.validate import check_where
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from lookalike.models.neighbors.neighbors_model import NeighborsModel


def lazy_neighbors(
    model: NeighborsModel, X: object, k: int, allowed: AnyArray | None = None
) -> tuple[Any, Any] | None:
    """Return Dask arrays of distances and row numbers, or None where arrays are returned at once.

    Dask in, Dask out: where the queries are a Dask collection, or are the training rows and these
    were one. Each block of queries is searched on the cluster when it is computed, among the rows
    that are `allowed`.
    """
    index = model.space_.index
    if not isinstance(index, ClusterIndex):
        return None
    if X is None and index.of_collection:
        mask = check_where(allowed, index.n_rows)
        blocks = index.own_blocks(k, mask)
        lengths: list[float] = [stop - first for _, first, stop in blocks]
        dtype = distance_type(index.dtype)
        function = _OwnNeighbors(index, k, mask, dtype)
        return _pair(lazy_results(function, blocks, lengths, _widths(k, dtype)))
    if X is None or not is_collection(X):
        return None
    pieces, lengths = pieces_of(X)
    dtype = distance_type(getattr(X, "dtype", None))
    return _pair(
        lazy_results(_NeighborsOf(model, k, allowed, dtype), pieces, lengths, _widths(k, dtype))
    )


class _NeighborsOf:
    """The neighbors of one partition of queries, on a worker."""

    def __init__(
        self, model: NeighborsModel, k: int, allowed: AnyArray | None, dtype: DTypeLike
    ) -> None:
        self.model, self.k, self.allowed, self.dtype = model, k, allowed, dtype

    def __call__(self, X: Any) -> tuple[AnyArray, AnyArray]:
        if not X.shape[0]:
            return np.empty((0, self.k), self.dtype), np.empty((0, self.k), np.int64)
        distance, row = self.model.kneighbors(X, self.k, where=self.allowed)
        return distance.astype(self.dtype, copy=False), row


class _OwnNeighbors:
    """The neighbors of a block of training rows, on a worker."""

    def __init__(self, index: ClusterIndex, k: int, allowed: AnyArray, dtype: DTypeLike) -> None:
        self.index, self.k, self.allowed, self.dtype = index, k, allowed, dtype

    def __call__(self, block: tuple[int, int, int]) -> tuple[AnyArray, AnyArray]:
        distance, row = self.index.query_own(block, self.k, self.allowed)
        return distance.astype(self.dtype, copy=False), row


def distance_type(dtype: object) -> type[np.floating[Any]]:
    """Return the type of distances from queries of some type, of arrays or of tensors."""
    if isinstance(dtype, np.dtype):
        return np.float32 if dtype.type is np.float32 else np.float64
    return np.float32 if str(dtype).endswith("float32") else np.float64


def _widths(k: int, dtype: DTypeLike) -> list[tuple[int, object]]:
    return [(k, dtype), (k, np.int64)]


def _pair(arrays: tuple[object, ...]) -> tuple[object, object]:
    distance, row = arrays
    return distance, row
