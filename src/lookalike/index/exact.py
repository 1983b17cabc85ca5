"""Exact Euclidean neighbors: codes rule rows out by a proven bound, float64 decides the rest."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self

import numpy as np

from lookalike.decisions import Decisions
from lookalike.index.base import ArrayIndex, Neighbors, SearchStats
from lookalike.index.coded_rows import CodedRows
from lookalike.index.filter_plan import cycles_without_filter
from lookalike.index.subset import without
from lookalike.index.tiny_distances import MIN_SAFE_DISTANCE, require_distances, settle_tiny
from lookalike.index.validate import index_rows, rows_left
from lookalike.kernels.exact import NO_MASK, nearest, within
from lookalike.kernels.native_arrays import NativeRows, RowsLike
from lookalike.kernels.radius import RadiusResult
from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_choice

if TYPE_CHECKING:
    from lookalike.index.disk.index import DiskIndex

FILTER_KINDS = ("auto", "prefix", "full", "none")
NO_ROWS = np.empty(0, np.int64)
CODE_CYCLES_PER_ROW = 2.0  # smaller subsets are compared row by row


class ExactIndex(ArrayIndex):
    r"""Rows whose nearest neighbors are found exactly, faster than by comparing all.

    .. math:: d(q, x) = \sqrt{\sum_j (q_j - x_j)^2}

    in float64, direct differences, one order of summation, ties by row number: whatever the
    filter, the number of threads or the batch, the result is the same bits.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        float32, float64, uint8 or int8 rows are kept by reference; other numbers are converted.
        Do not change them afterwards.
    threads : int, optional
        Threads that build; None means the setting.
    filter : {"auto", "prefix", "full", "none"}
        Which codes rule rows out: of leading directions and what they leave over, of all
        columns, or none at all. "auto" measures a sample, and builds codes once as many queries
        have come as pay for that; a code that is named is built at once. The environment
        variable ``LOOKALIKE_OPTIMIZE=0`` means "none".

    Examples
    --------
    >>> import numpy as np
    >>> from lookalike.index.exact import ExactIndex
    >>> index = ExactIndex(np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]))
    >>> index.query(np.array([[0.0, 1.0]]), 2)
    Neighbors(distance=array([[1.        , 4.24264069]]), row=array([[0, 1]]))
    """

    _holder = "_state"

    def __init__(
        self,
        X: AnyArray | NativeRows,
        *,
        threads: int | None = None,
        filter: str = "auto",  # noqa: A002
    ) -> None:
        check_choice("filter", filter, FILTER_KINDS)
        workers = resolve_threads(threads)
        self._filter_kind = filter
        self._state = CodedRows(index_rows(X, threads=workers), filter, workers)

    @property
    def rows(self) -> AnyArray:
        """The rows, as they are kept."""
        return self._state.original

    @property
    def decisions(self) -> Decisions:
        """Which filter was chosen, and why."""
        return self._state.all_decisions()

    @property
    def nbytes(self) -> int:
        """Bytes in addition to the rows given; those of codes once they are built."""
        return self._state.nbytes

    def build(self, *, threads: int | None = None) -> Self:
        """Build the codes now, and not when queries are many enough to pay for them."""
        self._state.build(resolve_threads(threads))
        return self

    def query_with_stats(
        self, Q: AnyArray, k: int, *, exclude: Rows | None = None, threads: int | None = None
    ) -> tuple[Neighbors, SearchStats]:
        """Return the neighbors, and how many pairs of query and row each stage let pass.

        `pairs`, `passed_first`, `passed_wide`, and the `distances` computed in float64.
        """
        return self._query_with_stats(Q, k, exclude, None, threads)

    def _queries(self, Q: RowsLike, threads: int) -> AnyArray:
        return self._state.check_queries(Q, threads)

    def _nearest(
        self, Q: AnyArray, k: int, exclude: Rows, threads: int
    ) -> tuple[Neighbors, SearchStats]:
        return self._search(Q, k, exclude, NO_MASK, threads)

    def _nearest_allowed(
        self, Q: AnyArray, k: int, exclude: Rows, allowed: AnyArray, threads: int
    ) -> Neighbors:
        row = np.flatnonzero(allowed)
        state = self._state
        if len(row) * cycles_without_filter(self.n_features) > CODE_CYCLES_PER_ROW * len(state.X):
            return self._search(Q, k, exclude, allowed, threads)[0]
        few = ExactIndex.__new__(ExactIndex)  # of these rows, which are compared one by one
        few._filter_kind, few._state = "none", state.part(row)
        nearest, _ = few._search(Q, k + (len(exclude) > 0), NO_ROWS, NO_MASK, threads)
        return without(Neighbors(nearest.distance, row[nearest.row]), exclude)

    def _search(
        self, Q: AnyArray, k: int, exclude: Rows, allowed: AnyArray, threads: int
    ) -> tuple[Neighbors, SearchStats]:
        state = self._state
        n_rows = int(allowed.sum()) if len(allowed) else len(state.X)
        # Codes cannot rule out much when a large part of all rows is wanted.
        codes = state.codes(len(Q), threads) if 4 * k <= n_rows else None
        distance, row, stats = nearest(
            state.X,
            codes,
            Q,
            k,
            scale=state.scale,
            exclude=exclude,
            allowed=allowed,
            threads=threads,
        )
        neighbors = Neighbors(distance, row)
        require_distances(neighbors, state.scale, lambda: Q, lambda: state.original)
        if state.scale == 1.0 and np.float64 in (Q.dtype, state.X.dtype):
            neighbors = settle_tiny(
                neighbors,
                lambda: Q,
                lambda: state.X,
                exclude,
                lambda queries, self_rows: within(
                    state.X,
                    state.filter,
                    queries,
                    np.full(len(queries), MIN_SAFE_DISTANCE),
                    scale=1.0,
                    exclude=self_rows,
                    allowed=allowed,
                    threads=threads,
                ),
            )
        return neighbors, stats

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> DiskIndex:
        """Return the index that `lookalike index build` wrote: its rows stay on disk."""
        from lookalike.index.disk.index import DiskIndex

        return DiskIndex(path)

    def _within(self, Q: AnyArray, radius: Array, exclude: Rows, threads: int) -> RadiusResult:
        state = self._state
        return within(
            state.X,
            state.codes(len(Q), threads),
            Q,
            radius,
            scale=state.scale,
            exclude=exclude,
            threads=threads,
        )

    def _add(self, X: AnyArray) -> None:
        """Append rows: afterwards the index answers like one built of all rows.

        A few are compared without codes, until building codes of all rows costs less.
        """
        rows = index_rows(X, n_features=self.n_features)
        self._state = self._state.with_rows(rows, resolve_threads(None))

    def _remove(self, rows: Rows) -> None:
        """Drop rows and close the gaps: the index equals one built of the rows left.

        Codes are built again.
        """
        left = NativeRows(self._state.original[rows_left(rows, self.n_rows)])
        self._state = CodedRows(left, self._filter_kind, resolve_threads(None))

    def __repr__(self) -> str:
        return f"ExactIndex(n_rows={self.n_rows}, n_features={self.n_features})"
