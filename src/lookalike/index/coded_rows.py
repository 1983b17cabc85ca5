"""Rows and their codes: built once queries are many enough to pay for them, extended by rows."""

from __future__ import annotations

import os
import threading

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ShapeError
from lookalike.index.filter_plan import (
    MIN_ROWS_FOR_CODES,
    MOST_BLOCKS,
    FilterPlan,
    cycles_of_scan,
    cycles_to_build,
    cycles_to_plan,
    plan_filter,
)
from lookalike.index.rescale import (
    LARGEST_SCALED_QUERY,
    distance_scale,
    query_too_far,
    require_one_magnitude,
)
from lookalike.index.validate import query_rows
from lookalike.kernels.exact import Filter, build_filter
from lookalike.kernels.native_arrays import NativeRows, RowsLike, ValueRange, value_range
from lookalike.typing import AnyArray, Rows

MAX_ADDED_SHARE = 0.25  # of the rows of a plan; with more, the codes are planned again
ROOM_SHARE = 0.125  # of the rows, kept free for those that are added
MAX_CODE_GROUPS, ROWS_PER_CODE_GROUP = 1024, 256


class CodedRows:
    """Rows, and codes of the first of them, which never change; other rows make other ones.

    Codes are built when as many queries have been answered without as building them would cost,
    or are about to be. Rows that are added later have none until the same is true of them.
    """

    _values: ValueRange | None  # of the rows, until codes are planned
    shape: tuple[int, ...]

    def __init__(self, rows: NativeRows, kind: str, threads: int) -> None:
        self.original: AnyArray = rows.values
        self.decisions: Decisions = Decisions()
        self.scale: float = distance_scale(rows.largest)
        if self.scale != 1.0:
            require_one_magnitude(rows.values, self.scale)
            self.decisions.add(
                "scale",
                f"rows multiplied by 2^{int(np.log2(self.scale))}",
                f"the largest magnitude is {rows.largest:.3g}",
            )
            rows = NativeRows(rows.values * self.scale)
        self.X = rows.values
        self.filter: Filter | None = None
        off = os.environ.get("LOOKALIKE_OPTIMIZE") == "0"
        self._reset("none" if off else kind)
        self._planned, self._values = False, rows.range
        if off:
            self._decide(None, "LOOKALIKE_OPTIMIZE=0")
        elif kind == "none":
            self._decide(None, "filter='none'")
        elif kind != "auto" or len(self.X) < MIN_ROWS_FOR_CODES:
            self.build(threads)

    def _reset(self, kind: str) -> None:
        self._kind, self.shape = kind, self.X.shape
        self._planned = True  # whether it is known if codes pay, and which
        self._plan: FilterPlan | None = None
        self._values = None
        self._planned_rows = len(self.X)
        self._scan_cycles = 0.0  # spent on rows without codes, for each row there is
        self._costs: tuple[float, float] | None = None  # of codes for a row, and of one query
        self._building = threading.Lock()
        self._room: _Room | None = None

    def _decide(self, plan: FilterPlan | None, reason: str) -> None:
        choice = "none" if plan is None else "full" if plan[0].blocks == 0 else "prefix"
        self.decisions.add("filter", choice, reason)
        self._plan, self._planned, self._costs = plan, True, None

    def _make_plan(self, threads: int) -> None:
        values = self._values or value_range(self.X, threads)
        self._decide(*plan_filter(self.X, self._kind, values))

    def all_decisions(self) -> Decisions:
        """Return which codes were chosen, and why; chosen now unless they are."""
        with self._building:
            if not self._planned:
                self._make_plan(0)
        return self.decisions

    @property
    def nbytes(self) -> int:
        """Bytes in addition to the rows given."""
        scaled = 0 if self.scale == 1.0 else self.X.nbytes
        return scaled + (self.filter.nbytes if self.filter else 0)

    @property
    def n_uncoded(self) -> int:
        """Rows without codes that could have some."""
        if self.filter is None:
            return 0 if self._planned and self._plan is None else len(self.X)
        return len(self.X) - len(self.filter.arrays["row"])

    def codes(self, n_queries: int, threads: int) -> Filter | None:
        """Return the codes for a search, built before where they pay for that by now.

        While another thread builds them, they are those that there are.
        """
        uncoded = self.n_uncoded
        if uncoded:
            n, d = self.X.shape
            costs = self._costs  # read once: another thread that builds forgets them
            if costs is None:
                planning = 0.0 if self._planned else cycles_to_plan(n, d) / n
                price = planning + cycles_to_build(d, self._plan)
                costs = self._costs = price, cycles_of_scan(d, self.X.itemsize, 1)
            price, cycles = costs
            if n_queries > 1:
                cycles = n_queries * cycles_of_scan(d, self.X.itemsize, n_queries)
            self._scan_cycles += cycles * uncoded / n
            if self._scan_cycles > price and self._building.acquire(blocking=False):
                try:
                    self._build(threads)
                finally:
                    self._building.release()
        return self.filter

    def build(self, threads: int) -> None:
        """Build the codes of all rows now."""
        with self._building:
            self._build(threads)

    def _build(self, threads: int) -> None:
        if not self._planned:
            self._make_plan(threads)
        if not self.n_uncoded:
            return
        n = len(self.X)
        plan = self._plan
        if plan is None:  # rows were added to some that have codes
            plan, _ = plan_filter(self.X, self._kind, value_range(self.X, threads))
        if plan is not None:
            n_groups = min(MAX_CODE_GROUPS, max(1, n // ROWS_PER_CODE_GROUP))
            centers = np.random.default_rng(1).choice(n, n_groups, replace=False)
            self.filter = build_filter(self.X, *plan, centers=centers, threads=threads)
        self._plan, self._scan_cycles, self._costs = None, 0.0, None

    def with_rows(self, rows: NativeRows, threads: int) -> CodedRows:
        """Return these rows and others after them; the codes are those that there are.

        While another thread builds codes, they are waited for.
        """
        with self._building:  # plan, codes and decisions belong together
            return self._with_rows(rows, threads)

    def _with_rows(self, rows: NativeRows, threads: int) -> CodedRows:
        old, new = self.original, rows.values
        dtype = new.dtype if new.dtype == old.dtype else np.result_type(new, old, np.float32)
        n = len(old) + len(new)
        usual = self.scale == 1.0 and distance_scale(rows.largest) == 1.0
        if dtype != old.dtype or not usual or n > (1 + MAX_ADDED_SHARE) * self._planned_rows:
            both = NativeRows(np.concatenate([old, new], dtype=dtype))
            return CodedRows(both, self._kind, threads)
        more = object.__new__(CodedRows)
        room = self._room if self._room and self._room.claim(len(old), n) else None
        if room is None:
            room = _Room(old, n)
        room.values[len(old) : n] = new
        more.original = more.X = room.values[:n]
        more.scale, more.filter, more.decisions = 1.0, self.filter, Decisions()
        for decision in self.decisions:
            more.decisions.add(*decision)
        more._reset(self._kind)
        more._plan, more._planned, more._planned_rows = (
            self._plan,
            self._planned,
            self._planned_rows,
        )
        more._room = room
        return more

    def part(self, rows: Rows) -> CodedRows:
        """Return some of the rows, without codes."""
        some = object.__new__(CodedRows)
        some.X, some.scale, some.filter = self.X[rows], self.scale, None
        some.original = some.X if self.scale == 1.0 else self.original[rows]
        some.decisions = self.decisions
        some._reset("none")
        return some

    def __getstate__(self) -> dict[str, object]:
        if self.n_uncoded:
            self.build(0)
        kept = ("original", "decisions", "scale", "X", "filter")  # as in files of older versions
        return {**{name: getattr(self, name) for name in kept}, "_kind": self._kind}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._reset(str(state.get("_kind", "auto")))
        n, d = self.X.shape
        if self.filter is not None and not _belongs(self.filter, n, d):
            raise ShapeError(f"the codes are not those of {n} rows of {d} features. Build again.")

    def check_queries(self, Q: RowsLike, threads: int) -> AnyArray:
        """Return queries as the kernels want them."""
        queries = query_rows(Q, self.X.shape[1], threads=threads)
        values = queries.values
        if values.dtype.kind == "f" and queries.largest * self.scale > LARGEST_SCALED_QUERY:
            raise query_too_far(values, self.scale)
        return values


class _Room:
    """An array of rows that is longer than they are: the place of those that are added."""

    def __init__(self, rows: AnyArray, n_used: int) -> None:
        self.values = np.empty((int(n_used * (1 + ROOM_SHARE)) + 1, rows.shape[1]), rows.dtype)
        self.values[: len(rows)] = rows
        self._n_used, self._claiming = n_used, threading.Lock()

    def claim(self, start: int, end: int) -> bool:
        """Return whether rows [start, end) were free; from now on they are not."""
        with self._claiming:
            free = self._n_used == start and end <= len(self.values)
            if free:
                self._n_used = end
            return free


def _belongs(codes: Filter, n: int, d: int) -> bool:
    """Return whether the codes name every one of the first rows once, and are of `d` columns."""
    starts, row = codes.arrays["group_first"], codes.arrays["row"]
    return bool(
        len(row) <= n
        and np.array_equal(np.sort(row), np.arange(len(row)))
        and len(codes.arrays["mean"]) == d
        and 0 <= codes.map.blocks <= MOST_BLOCKS
        and starts[0] == 0
        and starts[-1] <= len(row)
        and (starts[1:] >= starts[:-1]).all()
    )
