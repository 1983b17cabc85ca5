"""The neighbors of many queries written to a Parquet file, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from lookalike.data.arrays import ArraySource
from lookalike.data.atomic_write import replace_file
from lookalike.data.columns_source import NUMERIC, ColumnsSource
from lookalike.data.parquet_writer import write_columns
from lookalike.data.source import Source, open_source
from lookalike.errors import ExtraMissingError
from lookalike.index.base import Neighbors
from lookalike.index.cluster import ClusterIndex
from lookalike.models.estimator import check_is_fitted
from lookalike.models.neighbors.cluster_search import distance_type
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.typing import AnyArray
from lookalike.validation import check_path, typed

BLOCK_PAIRS = 1_000_000  # of a query and a neighbor that are in memory at once


@typed
def save_neighbors(
    model: NearestNeighbors,
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
    ...     lookalike.save_neighbors(model, f"{folder}/nearest.parquet")
    3
    """
    check_is_fitted(model)
    try:
        import pyarrow as pa  # noqa: F401
    except ImportError as missing:
        raise ExtraMissingError.of("pyarrow, which writes Parquet files,", "files") from missing
    k = model._check_k(model._default_k() if n_neighbors is None else n_neighbors, X is None)
    pieces = map(_columns, neighbor_blocks(model, X, k))
    written: list[int] = []
    replace_file(check_path("path", path), lambda file: written.append(write_columns(file, pieces)))
    return written[0] // k


def neighbor_blocks(
    model: NearestNeighbors, X: object, k: int
) -> Iterator[tuple[int, AnyArray, AnyArray]]:
    """Give the number of the first query of each block, and distances and rows of its neighbors."""
    rows = max(1, BLOCK_PAIRS // k)
    if X is None:
        yield from _own_blocks(model, k, rows)
        return
    for first, queries in _in_pieces(open_source(X), rows):
        yield first, *model.kneighbors(queries, k)


def _in_pieces(source: Source, rows: int) -> Iterator[tuple[int, Source]]:
    """Give the number of the first row of each piece of a table, and the piece."""
    names = [column.name for column in source.columns] if source.named else None
    if all(column.kind in NUMERIC for column in source.columns):
        for chunk in source.chunks(rows):
            yield chunk.offset, ArraySource(chunk.X, names=names)
        return
    kinds = {column.name: column.kind for column in source.columns}
    for table in source.tables(rows):
        yield table.offset, ColumnsSource(table.values, kinds)


def _columns(block: tuple[int, AnyArray, AnyArray]) -> dict[str, AnyArray]:
    first, distance, row = block
    n_queries, k = row.shape
    return {
        "row": np.repeat(np.arange(first, first + n_queries), k),
        "rank": np.tile(np.arange(1, k + 1), n_queries),
        "neighbor": row.ravel(),
        "distance": distance.ravel(),
    }


def _own_blocks(
    model: NearestNeighbors, k: int, rows: int
) -> Iterator[tuple[int, AnyArray, AnyArray]]:
    index = model._index
    if isinstance(index, ClusterIndex):
        first = 0
        for found in index.query_self(k):
            yield first, found.distance.astype(distance_type(index.dtype), copy=False), found.row
            first += len(found.row)
        return
    queries, _ = model._queries(None)
    own = np.arange(queries.shape[0])
    for first in range(0, queries.shape[0], rows):
        some = slice(first, first + rows)
        near: Neighbors = index.query(
            queries[some], k, exclude=own[some], threads=model._query_threads()
        )
        dtype = distance_type(getattr(queries, "dtype", None))
        yield first, near.distance.astype(dtype, copy=False), near.row
