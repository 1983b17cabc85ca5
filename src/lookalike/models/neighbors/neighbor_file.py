"""The neighbors of many queries written to a Parquet file, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from lookalike.data.chunk import default_chunk_rows
from lookalike.data.predicate import Where
from lookalike.data.source import Source, open_source
from lookalike.data.sources.pieces import chunks_ahead, source_pieces
from lookalike.data.write.atomic_write import replace_file
from lookalike.data.write.parquet import write_columns
from lookalike.index.base import Neighbors
from lookalike.index.chunked import ChunkedIndex
from lookalike.index.cluster import ClusterIndex
from lookalike.models.estimator import check_is_fitted
from lookalike.models.neighbors.cluster_search import distance_type
from lookalike.models.neighbors.neighbors_model import NeighborsModel
from lookalike.settings import settings
from lookalike.typing import AnyArray
from lookalike.validation import check_path, typed

QUERY_CHUNKS_PER_BUDGET = 16  # of the memory budget, that queries of rows in files take at once
NEIGHBOR_FILE_PAIRS = 1_000_000  # of a query and a neighbor that are in memory at once
Block: TypeAlias = tuple[int, AnyArray, AnyArray]  # first query; distances; rows of neighbors


@typed
def save_neighbors(
    model: NeighborsModel,
    path: str | Path,
    X: object = None,
    n_neighbors: int | None = None,
) -> int:
    """Write the nearest rows of every query to a Parquet file; return how many queries there were.

    Columns are ``row`` (of the query), ``rank`` from 1 on, ``neighbor`` and ``distance``. No more
    than a block of queries and their neighbors is in memory at once, whatever the number of rows;
    the file is written completely or not at all.

    Parameters
    ----------
    model : NearestNeighbors
        A fitted model; its rows may lie in memory, in files or on a cluster.
    path : path
        The file to write.
    X : table, optional
        The queries, read in chunks; None means the training rows, each without itself.
    n_neighbors : int, optional
        Neighbors of each query; that of the model when None.

    Examples
    --------
    >>> import lookalike, tempfile
    >>> model = lookalike.NearestNeighbors(1).fit([[0.0], [1.0], [3.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lookalike.neighbors.save_neighbors(model, f"{folder}/nearest.parquet")
    3
    """
    check_is_fitted(model)
    k = model._default_k() if n_neighbors is None else n_neighbors
    pieces = map(neighbor_columns, neighbor_blocks(model, X, k))
    written: list[int] = []
    replace_file(check_path("path", path), lambda file: written.append(write_columns(file, pieces)))
    return written[0] // k


def neighbor_blocks(
    model: NeighborsModel,
    X: object,
    k: int,
    where: Where = None,
    prepare: Callable[[Source], object] = lambda rows: rows,
) -> Iterator[Block]:
    """Give the number of the first query of each block, and distances and rows of its neighbors.

    `prepare` makes queries of the rows of X, a piece at a time.
    """
    k = model._check_k(k, X is None)
    allowed = model.space_.allowed(where)
    if X is None:
        yield from _own_blocks(model, k, allowed)
        return
    source = open_source(X)
    for first, queries in source_pieces(source, _block_rows(model, source, k)):
        yield first, *model.kneighbors(prepare(queries), k, where=allowed)


def neighbor_columns(block: Block) -> dict[str, AnyArray]:
    """Return a block of neighbors as columns: a line for every query and rank."""
    first, distance, row = block
    n_queries, k = row.shape
    return {
        "row": np.repeat(np.arange(first, first + n_queries), k),
        "rank": np.tile(np.arange(1, k + 1), n_queries),
        "neighbor": row.ravel(),
        "distance": distance.ravel(),
    }


def _block_rows(model: NeighborsModel, source: Source, k: int) -> int:
    """Return how many queries are searched at once: many where each search reads all rows."""
    size = max(1, source.n_features * source.dtype.itemsize)
    rows = default_chunk_rows(source.n_features, source.dtype.itemsize)
    if isinstance(model.space_.index, ChunkedIndex):
        rows = max(rows, settings().memory // QUERY_CHUNKS_PER_BUDGET // size)
    return max(1, min(rows, NEIGHBOR_FILE_PAIRS // k))


def _own_blocks(model: NeighborsModel, k: int, allowed: AnyArray | None) -> Iterator[Block]:
    index = model.space_.index
    if isinstance(index, ClusterIndex):
        first = 0
        for nearest in index.query_self(k, allowed):
            yield (
                first,
                nearest.distance.astype(distance_type(index.dtype), copy=False),
                nearest.row,
            )
            first += len(nearest.row)
        return
    for first, queries in _own_rows(model, k):
        self_rows = np.arange(first, first + queries.shape[0])
        near: Neighbors = model.space_.nearest(
            queries, k, exclude=self_rows, where=allowed, n_jobs=model.n_jobs
        )
        dtype = distance_type(getattr(queries, "dtype", None))
        yield first, near.distance.astype(dtype, copy=False), near.row


def _own_rows(model: NeighborsModel, k: int) -> Iterator[tuple[int, Any]]:
    """Give the training rows in blocks: read again where they are not in memory."""
    index = model.space_.index
    if isinstance(index, ChunkedIndex):
        for chunk in chunks_ahead(index.source, _block_rows(model, index.source, k)):
            yield chunk.offset, chunk.X
        return
    queries = model.space_.queries(None)
    rows = max(1, NEIGHBOR_FILE_PAIRS // k)
    for first in range(0, queries.shape[0], rows):
        yield first, queries[first : first + rows]
