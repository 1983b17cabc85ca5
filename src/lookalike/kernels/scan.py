"""The plain scan: every row is compared with every query, under any dissimilarity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lookalike.errors import ParameterError
from lookalike.kernels.metrics.base import Metric
from lookalike.kernels.metrics.rows import NativeRows, SparseRows
from lookalike.typing import Array, Rows


class Found(NamedTuple):
    """Keys and rows of every query, one after the other: those of i at start[i]:start[i + 1]."""

    key: Array
    row: Rows
    start: Rows


def scan_nearest(
    metric: Metric,
    Q: NativeRows,
    X: NativeRows,
    k: int,
    *,
    exclude: Rows | None = None,
    scale: float = 1.0,
    threads: int = 0,
) -> tuple[Array, Rows]:
    """Return the `k` smallest keys of every query and their rows, equal keys by row number.

    `Q` and `X` come from ``metric.rows``; `k` is at most the rows left when one is excluded.
    """
    key, row = np.empty((Q.shape[0], k)), np.empty((Q.shape[0], k), np.int64)
    for part in _batches(metric, Q):
        pairs = metric.pairs(_some(Q, part), X, scale)
        with _as_parameter_error():
            pairs.nearest(_excluded(exclude, part), threads, key[part], row[part])
    return key, row


def scan_within(
    metric: Metric,
    Q: NativeRows,
    X: NativeRows,
    most: Array,
    *,
    exclude: Rows | None = None,
    scale: float = 1.0,
    threads: int = 0,
) -> Found:
    """Return all rows whose key is at most `most` of the query, in the order of `scan_nearest`."""
    found = []
    for part in _batches(metric, Q):
        pairs = metric.pairs(_some(Q, part), X, scale)
        with _as_parameter_error():
            found.append(Found(*pairs.within(most[part], _excluded(exclude, part), threads)))
    if len(found) == 1:
        return found[0]
    counts = [np.diff(piece.start) for piece in found]
    return Found(
        np.concatenate([np.empty(0), *(piece.key for piece in found)]),
        np.concatenate([np.empty(0, np.int64), *(piece.row for piece in found)]),
        np.concatenate([[0], *counts]).cumsum(dtype=np.int64),
    )


class _as_parameter_error:  # noqa: N801 - reads as a phrase
    """Turn what the native scan finds wrong with a user's function into our error."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        if isinstance(error, ValueError):
            raise ParameterError(str(error)) from error


def _batches(metric: Metric, Q: NativeRows) -> Iterator[slice]:
    size = metric.most_queries or max(Q.shape[0], 1)
    for start in range(0, Q.shape[0], size):
        yield slice(start, start + size)


def _some(Q: NativeRows, part: slice) -> NativeRows:
    return Q if isinstance(Q, SparseRows) else Q[part]


def _excluded(exclude: Rows | None, part: slice) -> Rows:
    return exclude[part] if exclude is not None and exclude.size else np.empty(0, np.int64)
