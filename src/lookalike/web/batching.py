"""Concurrent queries of one model, stacked into few calls of bounded duration."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from lookalike.typing import AnyArray
from lookalike.web.row_batch import RowBatch, count_rows, layout, rows_between, stacked

Results: TypeAlias = "list[AnyArray]"  # arrays of one entry per row
Call: TypeAlias = Callable[[RowBatch], "Results"]
MAX_ROWS_OF_BATCH = 4096  # of one call
START_ROWS = 64  # of the first call, before its duration is known
DRAIN_POLL_SECONDS = 0.01
MAX_PACES = 1000  # operations whose duration is known; clients choose layouts, and so their number
PACE_SMOOTHING = 0.3  # weight of the latest call in the seconds per row


class QueueClosedError(Exception):
    """The model was replaced: ask the new one."""


class Waiting:
    """Rows of a request that wait for a call, and the results of those that had theirs."""

    operation: Hashable
    call: Call
    batch: RowBatch
    future: asyncio.Future[Results]

    def __init__(
        self, operation: Hashable, call: Call, batch: RowBatch, future: asyncio.Future[Results]
    ) -> None:
        self.operation, self.call, self.batch, self.future = operation, call, batch, future
        self.start = 0
        self.parts: list[Results] = []

    @property
    def rows_left(self) -> int:
        """Rows that have no result yet."""
        return count_rows(self.batch) - self.start


class BatchQueue:
    """A thread that calls one model, for all requests that wait, in turn.

    While a call runs, requests arrive; the next call takes all of them that ask for the same, up
    to the rows that a call can do within `latency_bound` seconds, measured as it goes. So a query
    waits for one running call, not for a timer, and a large request is cut into calls between
    which others have their turn. Where a result depends on the other rows of a call, in its last
    bits as a product of matrices does, `stack` is False and each request is a call of its own.
    """

    def __init__(
        self,
        name: str,
        *,
        stack: bool,
        latency_bound: float,
        observe: Callable[[int, int, float], None] | None = None,
    ) -> None:
        self._stack, self._bound, self._observe = stack, latency_bound, observe
        self._waiting: deque[Waiting] = deque()
        self._ready = threading.Condition()
        self._closed = False
        self._seconds: dict[Hashable, float] = {}  # per row, of each operation
        self._thread = threading.Thread(target=self._work, name=f"lookalike-{name}", daemon=True)
        self._thread.start()

    async def submit(self, operation: Hashable, call: Call, batch: RowBatch) -> Results:
        """Return the results of `call` for the rows of `batch`.

        Requests of one operation may share a call; it is that of one of them.
        """
        future: asyncio.Future[Results] = asyncio.get_running_loop().create_future()
        with self._ready:
            if self._closed:
                raise QueueClosedError
            self._waiting.append(Waiting((operation, layout(batch)), call, batch, future))
            self._ready.notify()
        return await future

    def close(self) -> None:
        """Take no more requests; those that wait are still served, then the thread ends."""
        with self._ready:
            self._closed = True
            self._ready.notify()

    async def drain(self) -> None:
        """Wait until all are served, without a thread: an interpreter that exits starts none."""
        while self._thread.is_alive():
            await asyncio.sleep(DRAIN_POLL_SECONDS)

    def _work(self) -> None:
        while True:
            with self._ready:
                while not self._waiting and not self._closed:
                    self._ready.wait()
                group = self._take()
            if not group:
                return
            self._serve(group)

    def _take(self) -> list[tuple[Waiting, int]]:
        """Return the requests of the next call, each with how many of its rows it gets."""
        group: list[tuple[Waiting, int]] = []
        room = 0
        others: deque[Waiting] = deque()
        while self._waiting:
            waiting = self._waiting.popleft()
            if waiting.future.cancelled():
                continue
            if not group:
                room = self._most_rows(waiting)
            elif not self._stack or waiting.operation != group[0][0].operation or room <= 0:
                others.append(waiting)
                continue
            rows = min(room, waiting.rows_left) if self._stack else waiting.rows_left
            group.append((waiting, rows))
            room -= rows
        self._waiting = others
        return group

    def _most_rows(self, waiting: Waiting) -> int:
        seconds = self._seconds.get(waiting.operation)
        if seconds is None:
            return START_ROWS
        return max(1, min(MAX_ROWS_OF_BATCH, int(self._bound / max(seconds, 1e-9))))

    def _serve(self, group: Sequence[tuple[Waiting, int]]) -> None:
        batches = [
            rows_between(request.batch, request.start, request.start + rows)
            for request, rows in group
        ]
        n_rows = sum(rows for _, rows in group)
        begun = time.perf_counter()
        try:
            results = group[0][0].call(stacked(batches))
        except BaseException as error:
            if len(group) > 1:  # each alone: only the requests at fault fail, with their own rows
                for pair in group:
                    self._serve([pair])
                return
            request = group[0][0]
            failure = _with_offset(error, request.start)
            _deliver(request.future, lambda: request.future.set_exception(failure))
            return
        self._measure(group[0][0].operation, n_rows, time.perf_counter() - begun, len(group))
        start = 0
        finished: list[tuple[Waiting, Results]] = []
        for request, rows in group:
            request.parts.append([array[start : start + rows] for array in results])
            start += rows
            request.start += rows
            if request.rows_left:
                with self._ready:
                    self._waiting.append(request)
            else:
                finished.append((request, _join(request.parts)))
        _deliver_all(finished)

    def _measure(self, operation: Hashable, n_rows: int, seconds: float, requests: int) -> None:
        before = self._seconds.get(operation)
        each = seconds / n_rows
        mixed = each if before is None else (1 - PACE_SMOOTHING) * before + PACE_SMOOTHING * each
        self._seconds.pop(operation, None)
        self._seconds[operation] = mixed  # as the latest
        if len(self._seconds) > MAX_PACES:
            del self._seconds[next(iter(self._seconds))]
        if self._observe is not None:
            self._observe(requests, n_rows, seconds)


def _join(parts: list[Results]) -> Results:
    if len(parts) == 1:
        return parts[0]
    return [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]


def _with_offset(error: BaseException, start: int) -> BaseException:
    """Return the error with the row of the request, where a later part of it failed."""
    row = getattr(error, "row", None)
    if start and isinstance(row, int):
        vars(error)["row"] = row + start
    return error


def _deliver_all(finished: list[tuple[Waiting, Results]]) -> None:
    """Hand results to the event loops of the requests, with one call for each loop."""
    loops: dict[Any, list[tuple[asyncio.Future[Results], Results]]] = {}
    for request, results in finished:
        loops.setdefault(request.future.get_loop(), []).append((request.future, results))
    for loop, pairs in loops.items():
        _call_soon(loop, partial(_set_results, pairs))


def _set_results(pairs: list[tuple[asyncio.Future[Results], Results]]) -> None:
    for future, results in pairs:
        if not future.done():
            future.set_result(results)


def _deliver(future: asyncio.Future[Results], action: Callable[[], None]) -> None:
    _call_soon(future.get_loop(), lambda: None if future.done() else action())


def _call_soon(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(action)
    except RuntimeError:  # the loop has ended, and nobody waits
        return
