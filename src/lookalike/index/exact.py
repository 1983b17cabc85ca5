"""Exact Euclidean neighbors: codes rule rows out by a proven bound, float64 decides the rest."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ShapeError
from lookalike.index.base import ArrayIndex, Neighbors, SearchStats
from lookalike.index.filter_plan import MOST_BLOCKS, cycles_without_filter, plan_filter
from lookalike.index.rescale import (
    LARGEST_SCALED_QUERY,
    distance_scale,
    query_too_far,
    require_one_magnitude,
)
from lookalike.index.subset import without
from lookalike.index.tiny_distances import MIN_SAFE_DISTANCE, require_distances, settle_tiny
from lookalike.index.validate import index_rows, query_rows, rows_left
from lookalike.kernels.exact import (
    NO_MASK,
    Filter,
    build_filter,
    nearest,
    within,
)
from lookalike.kernels.native_arrays import NativeRows, RowsLike, ValueRange
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
        columns, or none at all. "auto" measures a sample. The environment variable
        ``LOOKALIKE_OPTIMIZE=0`` means "none".

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
        self._state = _State(index_rows(X, threads=workers), filter, workers)

    @property
    def rows(self) -> AnyArray:
        """The rows, as they are kept."""
        return self._state.original

    @property
    def decisions(self) -> Decisions:
        """Which filter was chosen, and why."""
        return self._state.decisions

    @property
    def nbytes(self) -> int:
        """Bytes in addition to the rows given."""
        return self._state.nbytes

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
        codes = state.filter if 4 * k <= n_rows else None
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
        if state.scale == 1.0:
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
        X, codes, scale = self._state.X, self._state.filter, self._state.scale
        return within(X, codes, Q, radius, scale=scale, exclude=exclude, threads=threads)

    def _add(self, X: AnyArray) -> None:
        """Append rows: afterwards the index equals one built of all rows.

        Codes are built again: many rows at once cost no more than one.
        """
        old = self._state.original
        new = index_rows(X, n_features=self.n_features).values
        dtype = new.dtype if new.dtype == old.dtype else np.result_type(new, old, np.float32)
        rows = NativeRows(np.concatenate([old, new], dtype=dtype))
        self._state = _State(rows, self._filter_kind, resolve_threads(None))

    def _remove(self, rows: Rows) -> None:
        """Drop rows and close the gaps: the index equals one built of the rows left.

        Codes are built again.
        """
        left = NativeRows(self._state.original[rows_left(rows, self.n_rows)])
        self._state = _State(left, self._filter_kind, resolve_threads(None))

    def __repr__(self) -> str:
        return f"ExactIndex(n_rows={self.n_rows}, n_features={self.n_features})"


class _State:
    """Rows and codes that belong together; replaced as a whole, never changed."""

    def __init__(self, rows: NativeRows, kind: str, threads: int) -> None:
        self.original = rows.values
        self.decisions = Decisions()
        self.scale = distance_scale(rows.largest)
        if self.scale != 1.0:
            require_one_magnitude(rows.values, self.scale)
            self.decisions.add(
                "scale",
                f"rows multiplied by 2^{int(np.log2(self.scale))}",
                f"the largest magnitude is {rows.largest:.3g}",
            )
            rows = NativeRows(rows.values * self.scale)
        self.X = rows.values
        self.filter = self._build(kind, rows.range, threads)

    def _build(self, kind: str, values: ValueRange, threads: int) -> Filter | None:
        n = len(self.X)
        if os.environ.get("LOOKALIKE_OPTIMIZE") == "0":
            self.decisions.add("filter", "none", "LOOKALIKE_OPTIMIZE=0")
            return None
        plan, reason = None, "filter='none'"
        if kind != "none":
            plan, reason = plan_filter(self.X, kind, values)
        if plan is None:
            self.decisions.add("filter", "none", reason)
            return None
        centers = np.random.default_rng(1).choice(n, min(1024, max(1, n // 256)), replace=False)
        self.decisions.add("filter", "full" if plan[0].blocks == 0 else "prefix", reason)
        return build_filter(self.X, *plan, centers=centers, threads=threads)

    def part(self, rows: Rows) -> _State:
        """Return some of the rows, without codes."""
        some = object.__new__(_State)
        some.X, some.scale, some.filter = self.X[rows], self.scale, None
        some.original = some.X if self.scale == 1.0 else self.original[rows]
        some.decisions = self.decisions
        return some

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        n, d = self.X.shape
        if self.filter is not None and not _belongs(self.filter, n, d):
            raise ShapeError(f"the codes are not those of {n} rows of {d} features. Build again.")

    @property
    def shape(self) -> tuple[int, ...]:
        return self.X.shape

    @property
    def nbytes(self) -> int:
        scaled = 0 if self.scale == 1.0 else self.X.nbytes
        return scaled + (self.filter.nbytes if self.filter else 0)

    def check_queries(self, Q: RowsLike, threads: int) -> AnyArray:
        """Return queries as the kernels want them."""
        queries = query_rows(Q, self.X.shape[1], threads=threads)
        values = queries.values
        if values.dtype.kind == "f" and queries.largest * self.scale > LARGEST_SCALED_QUERY:
            raise query_too_far(values, self.scale)
        return values


def _belongs(codes: Filter, n: int, d: int) -> bool:
    """Return whether the codes name every one of `n` rows once, and are of `d` columns."""
    starts = codes.arrays["group_first"]
    return bool(
        np.array_equal(np.sort(codes.arrays["row"]), np.arange(n))
        and len(codes.arrays["mean"]) == d
        and 0 <= codes.map.blocks <= MOST_BLOCKS
        and starts[0] == 0
        and starts[-1] <= n
        and (starts[1:] >= starts[:-1]).all()
    )
