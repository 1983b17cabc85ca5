"""The plain scan: every row is compared with every query, under any dissimilarity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lookalike.errors import ParameterError
from lookalike.kernels.metrics.base import Metric
from lookalike.kernels.metrics.rows import MetricRows, SparseRows
from lookalike.kernels.radius import starts_of
from lookalike.typing import Array, Rows


def scan_nearest(
    metric: Metric,
    Q: MetricRows,
    X: MetricRows,
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
            pairs.nearest(
                exclude=_excluded(exclude, part), threads=threads, key=key[part], row=row[part]
            )
    return key, row


def scan_within(
    metric: Metric,
    Q: MetricRows,
    X: MetricRows,
    most: Array,
    *,
    exclude: Rows | None = None,
    scale: float = 1.0,
    threads: int = 0,
) -> tuple[Array, Rows, Rows]:
    """Return keys and rows of all rows whose key is at most `most` of the query, and the starts.

    Nearest first, as `scan_nearest` orders them; those of query i lie at start[i]:start[i + 1].
    """
    parts = []
    for part in _batches(metric, Q):
        pairs = metric.pairs(_some(Q, part), X, scale)
        with _as_parameter_error():
            parts.append(
                pairs.within(most=most[part], exclude=_excluded(exclude, part), threads=threads)
            )
    if len(parts) == 1:
        key, row, start = parts[0]
        return key, row, start
    counts = [np.diff(start) for _, _, start in parts]
    return (
        np.concatenate([np.empty(0), *(key for key, _, _ in parts)]),
        np.concatenate([np.empty(0, np.int64), *(row for _, row, _ in parts)]),
        starts_of(np.concatenate([np.empty(0, np.int64), *counts])),
    )


class _as_parameter_error:  # noqa: N801 - reads as a phrase
    """Raise an error of the user's function in the native scan as a ParameterError."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        if isinstance(error, ValueError):
            raise ParameterError(str(error)) from error


def _batches(metric: Metric, Q: MetricRows) -> Iterator[slice]:
    size = metric.most_queries or max(Q.shape[0], 1)
    for start in range(0, Q.shape[0], size):
        yield slice(start, start + size)


def _some(Q: MetricRows, part: slice) -> MetricRows:
    return Q if isinstance(Q, SparseRows) else Q[part]


def _excluded(exclude: Rows | None, part: slice) -> Rows:
    return exclude[part] if exclude is not None and exclude.size else np.empty(0, np.int64)
