"""The engines of one process: `memory` for rows in memory, `stream` for rows read when used."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from lookalike.data.chunk import Chunk, Matrix
from lookalike.data.source import Source
from lookalike.engines.blas import single_threaded_blas
from lookalike.engines.tree import MergeTree
from lookalike.errors import ShapeError
from lookalike.progress import progress
from lookalike.reductions.base import Reduction
from lookalike.settings import in_this_block
from lookalike.threads import resolve_threads

State = TypeVar("State")
Item = TypeVar("Item")
Result = TypeVar("Result")

MIN_VALUES_PER_THREAD = 1 << 16  # values that are worked on before a thread has started


class LocalEngine:
    """Runs over the chunks of a source on the threads of this process.

    At most `ahead` chunks are in hand at once, whatever the number of rows.
    """

    name: str
    ahead: int  # chunks in hand beyond one per thread

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.threads: int = resolve_threads(n_jobs)

    def reduce(self, reduction: Reduction[State, Result], source: Source) -> Result:
        """Gather `reduction` over all rows of `source`."""
        empty = reduction.init(source.n_features)
        states = self.map(lambda chunk: reduction.update(empty, chunk), source)
        return finalized(reduction, states)

    def resident(self, source: Source) -> Source:
        """Return the rows as they are: they are read where they lie."""
        return source

    def placed(self, X: Matrix) -> object:
        """Return rows as they are."""
        return X

    def map(self, function: Callable[[Chunk], Result], source: Source) -> Iterator[Result]:
        """Give `function` of every chunk, in the order of the rows."""
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="lookalike")
        waiting: deque[tuple[int, Future[Result]]] = deque()
        call = in_this_block(function)
        try:
            with single_threaded_blas(), progress("rows", source.n_rows) as advance:
                for chunk in map(Chunk.in_memory, source.chunks()):
                    if self._is_worked_on_here(chunk, source):
                        result = function(chunk)
                        advance(chunk.X.shape[0])
                        yield result
                        continue
                    waiting.append((chunk.X.shape[0], _begin(pool, call, chunk)))
                    if len(waiting) >= self.threads + self.ahead:
                        yield _take(waiting, advance)
                while waiting:
                    yield _take(waiting, advance)
        finally:  # an interrupted caller does not wait for the chunks at work
            pool.shutdown(wait=False, cancel_futures=True)

    def _is_worked_on_here(self, chunk: Chunk, source: Source) -> bool:
        """Return whether a chunk is so small that it is done before a thread has started."""
        rows, columns = chunk.X.shape
        alone = self.threads == 1 or rows == source.n_rows
        return bool(alone and rows * columns <= MIN_VALUES_PER_THREAD)


class MemoryEngine(LocalEngine):
    """For rows in memory or in a mapped file: chunks are views, all threads work."""

    name = "memory"
    ahead = 6


class StreamEngine(LocalEngine):
    """For rows read from files or generators: no more than a chunk a thread is in memory."""

    name = "stream"
    ahead = 0


def finalized(reduction: Reduction[State, Result], states: Iterable[State]) -> Result:
    """Return the statistic of the states of all chunks, merged as they come."""
    tree = MergeTree(reduction.merge)
    for state in states:
        tree.push(state)
    gathered = tree.result()
    if gathered is None:
        raise ShapeError("The source has no rows. Give at least one.")
    return reduction.finalize(gathered)


def in_threads(
    function: Callable[[Item], Result], items: Sequence[Item], *, threads: int | None = None
) -> Iterator[Result]:
    """Give `function` of every item, in their order; `threads` None means the setting."""
    workers = min(resolve_threads(threads), len(items))
    if workers <= 1:
        yield from map(function, items)
        return
    pool = ThreadPoolExecutor(workers, thread_name_prefix="lookalike")
    call = in_this_block(function)
    try:
        for begun in [_begin(pool, call, item) for item in items]:
            yield begun.result()
    finally:  # an interrupted caller does not wait for the items at work
        pool.shutdown(wait=False, cancel_futures=True)


def _begin(
    pool: ThreadPoolExecutor, function: Callable[[Item], Result], item: Item
) -> Future[Result]:
    """Hand an item to the threads; where the system starts none, it is worked on here."""
    try:
        return pool.submit(function, item)
    except RuntimeError:  # can't start new thread
        done: Future[Result] = Future()
        done.set_result(function(item))
        return done


def _take(waiting: deque[tuple[int, Future[Result]]], advance: Callable[[int], None]) -> Result:
    rows, future = waiting.popleft()
    result = future.result()
    advance(rows)
    return result
