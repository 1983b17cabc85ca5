"""The plain scan: every row is compared with every query, under any dissimilarity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypedDict, Unpack

import numpy as np

from lookalike import _core
from lookalike.errors import ParameterError
from lookalike.kernels.metrics.base import Metric
from lookalike.kernels.metrics.rows import MetricRows, SparseRows, keep_rows
from lookalike.kernels.radius import starts_of
from lookalike.typing import Array, Rows


class ScanOptions(TypedDict, total=False):
    """Options of a scan."""

    exclude: Rows | None  # a row for each query that is not compared with it
    scale: float  # what rows and queries are multiplied by first, 1 where absent
    threads: int  # 0, or absent: the setting


def scan_nearest(
    metric: Metric, Q: MetricRows, X: MetricRows, k: int, **options: Unpack[ScanOptions]
) -> tuple[Array, Rows]:
    """Return the `k` smallest keys of every query and their rows, equal keys by row number.

    `Q` and `X` come from ``metric.rows``; `k` is at most the rows left when one is excluded.
    """
    key, row = np.empty((Q.shape[0], k)), np.empty((Q.shape[0], k), np.int64)
    for part, pairs, shared in _batches(metric, Q, X, **options):
        with _as_parameter_error():
            pairs.nearest(**shared, key=key[part], row=row[part])
    return key, row


def scan_keys(
    metric: Metric, Q: MetricRows, X: MetricRows, **options: Unpack[ScanOptions]
) -> Array:
    """Return the key of every query and row."""
    key = np.empty((Q.shape[0], X.shape[0]))
    for part, pairs, shared in _batches(metric, Q, X, **options):
        with _as_parameter_error():
            pairs.keys(threads=shared["threads"], key=key[part])
    return key


def scan_within(
    metric: Metric, Q: MetricRows, X: MetricRows, most: Array, **options: Unpack[ScanOptions]
) -> tuple[Array, Rows, Rows]:
    """Return keys and rows of all rows whose key is at most `most` of the query, and the starts.

    Nearest first, as `scan_nearest` orders them; those of query i lie at start[i]:start[i + 1].
    """
    parts = []
    for part, pairs, shared in _batches(metric, Q, X, **options):
        with _as_parameter_error():
            parts.append(pairs.within(**shared, most=most[part]))
    if len(parts) == 1:
        key, row, start = parts[0]
        return key, row, start
    counts = [np.diff(start) for _, _, start in parts]
    return (
        np.concatenate([np.empty(0), *(key for key, _, _ in parts)]),
        np.concatenate([np.empty(0, np.int64), *(row for _, row, _ in parts)]),
        starts_of(np.concatenate([np.empty(0, np.int64), *counts])),
    )


def rows_between(rows: MetricRows, part: slice) -> MetricRows:
    """Return some rows that follow each other."""
    if not isinstance(rows, SparseRows):
        return rows[part]
    keep = np.zeros(rows.shape[0], bool)
    keep[part] = True
    return keep_rows(rows, keep)


class _as_parameter_error:  # noqa: N801 - reads as a phrase
    """Raise an error of the user's function in the native scan as a ParameterError."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        if isinstance(error, ValueError):
            raise ParameterError(str(error)) from error


def _batches(
    metric: Metric,
    Q: MetricRows,
    X: MetricRows,
    *,
    exclude: Rows | None = None,
    scale: float = 1.0,
    threads: int = 0,
) -> Iterator[tuple[slice, _core.Pairs, dict[str, Any]]]:
    """Give the queries that are compared at a time, their pairs, and what both scans take."""
    size = metric.most_queries or max(Q.shape[0], 1)
    excluded = np.empty(0, np.int64) if exclude is None else exclude
    for start in range(0, Q.shape[0], size):
        part = slice(start, start + size)
        whole = isinstance(Q, SparseRows) and size >= Q.shape[0]
        queries = Q if whole else rows_between(Q, part)
        yield part, metric.pairs(queries, X, scale), {"exclude": excluded[part], "threads": threads}
