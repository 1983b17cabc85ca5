"""The engine of a Dask cluster: chunks are reduced where they are, states travel and are merged."""

from __future__ import annotations

import operator
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    runtime_checkable,
)

from lookalike.data.chunk import Chunk, Matrix
from lookalike.data.source import Source
from lookalike.engines.blas import single_threaded_blas
from lookalike.engines.local_cluster import active_client, local_client, may_wait
from lookalike.engines.tree import MergeTree, subtree_sizes
from lookalike.errors import EngineError, ExtraMissingError, ShapeError
from lookalike.progress import progress
from lookalike.reductions.base import Reduction
from lookalike.threads import resolve_threads

if TYPE_CHECKING:
    from distributed import Client, Future

    Task: TypeAlias = Future[Any]  # of any result

State = TypeVar("State")
Result = TypeVar("Result")
Taken = TypeVar("Taken")

MAX_TASK_ATTEMPTS = 5  # of a call, or of sending a value, whose worker is lost in the middle
WORKER_POLL_SECONDS = 1.0  # seconds after which a worker that does not answer is looked for
MIN_SCATTERED_BYTES = 1 << 16  # bytes of what a task needs, from which on it is sent once


@runtime_checkable
class Partitioned(Protocol):
    """A source whose rows are on the cluster already."""

    def partitions(self) -> list[tuple[int, int, object]]:
        """Return rows and chunks of each partition, and the partition as a delayed Source."""
        ...


class DaskEngine:
    """Runs on the cluster of the active ``distributed.Client``.

    Without a client, a cluster of `n_jobs` local processes is started once and used by all later
    calls. Partitions of Dask arrays and frames are reduced where they are, those of other sources
    are sent; a few chunks a worker are in flight, and nothing larger than a chunk is kept.

    States are merged in the order of :class:`~lookalike.engines.tree.MergeTree` over all chunks,
    whatever the partitions: a worker merges the complete subtrees within a partition, and only
    the few at its borders travel. Small states travel here and are merged here, which takes half
    of the tasks; large ones are merged on the workers.
    """

    name = "dask"

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.threads: int = resolve_threads(n_jobs)

    def reduce(self, reduction: Reduction[State, Result], source: Source) -> Result:
        """Gather `reduction` over all rows of `source`; again where states are lost."""
        for _ in range(MAX_TASK_ATTEMPTS if source.repeatable else 1):
            with suppress(CancelledError):
                return self._reduce(reduction, source)
        raise _workers_lost()

    def _reduce(self, reduction: Reduction[State, Result], source: Source) -> Result:
        client = self.client()
        with may_wait(), progress("rows", source.n_rows) as advance:
            empty = reduction.init(source.n_features)
            work = sent_once(client, _Gathering(reduction, empty))
            states = (
                _StatesHere(reduction)
                if isinstance(work, _Gathering)
                else _StatesThere(client, work)
            )

            def start(part: object, first: int, count: int) -> Task:
                return submit(client, _reduce_part, work, part, first, count)

            for rows, first, count, taken in self._parts_done(client, start, source, states.take):
                states.push(taken, subtree_sizes(first, count))
                advance(rows)
            if (state := states.result()) is None:
                raise ShapeError("The source has no rows. Give at least one.")
            return reduction.finalize(state)

    def map(self, function: Callable[[Chunk], Result], source: Source) -> Iterator[Result]:
        """Give `function` of every chunk, in the order of the rows."""
        client = self.client()
        with may_wait(), progress("rows", source.n_rows) as advance:
            work = sent_once(client, function)

            def start(part: object, *_: int) -> Task:
                return submit(client, _map_part, work, part)

            for rows, *_, results in self._parts_done(client, start, source, _result):
                yield from results
                advance(rows)

    def resident(self, source: Source) -> Source:
        """Return the rows as they are: partitions stay where they are."""
        return source

    def placed(self, X: Matrix) -> object:
        """Return rows as they are."""
        return X

    def _parts_done(
        self,
        client: Client,
        start: Callable[[object, int, int], Task],
        source: Source,
        take: Callable[[Task], Taken],
    ) -> Iterator[tuple[int, int, int, Taken]]:
        """Give rows, first chunk, number of chunks and what is taken of every part, in order.

        A few parts a worker are started before the first is taken. Rows that were sent and are lost
        with a worker are sent again.
        """
        waiting: deque[tuple[int, int, int, Callable[[], Task], Task]] = deque()
        workers = client.scheduler_info(n_workers=-1).get("workers")
        if workers is None:
            raise _scheduler_gone()
        most = 2 * max(1, len(workers))
        few = (
            source.n_rows is not None
            and source.n_rows * source.n_features <= MIN_SCATTERED_BYTES // 8
        )
        first = 0
        try:
            for rows, count, part in _parts(source):
                begin = partial(_begin, client, start, part, first, count, few=few)
                waiting.append((rows, first, count, begin, begin()))
                first += count
                del part, begin
                if len(waiting) >= most:
                    yield _take(waiting, take)
            while waiting:
                yield _take(waiting, take)
        except BaseException:
            if client.status == "running":
                client.cancel([future for *_, future in waiting])
            raise

    def client(self) -> Client:
        """Return the active client, or that of the local cluster."""
        client = active_client()
        return local_client(self.threads) if client is None else client


@contextmanager
def connected(scheduler: str) -> Iterator[None]:
    """Let the cluster whose scheduler has this address do the work inside the block."""
    try:
        import distributed
    except ImportError as missing:
        raise ExtraMissingError.of("dask.distributed", "dask") from missing
    try:
        client = distributed.Client(scheduler, timeout="10s")
    except (OSError, ValueError, TimeoutError) as error:
        raise EngineError(
            f"No Dask scheduler answers at {scheduler!r}: {error}. Give the address of one."
        ) from None
    with client:
        yield


def _parts(source: Source) -> Iterable[tuple[int, int, object]]:
    """Give rows and chunks of each part, and the part: a delayed source, or a chunk."""
    if isinstance(source, Partitioned):
        return source.partitions()
    return ((chunk.X.shape[0], 1, chunk) for chunk in source.chunks())


def _begin(
    client: Client,
    start: Callable[[object, int, int], Task],
    part: object,
    first: int,
    count: int,
    *,
    few: bool,
) -> Task:
    """Start the task of a part.

    Few rows travel with it, and the scheduler keeps them until all are merged; more are sent.
    """
    there = scattered(client, part) if isinstance(part, Chunk) and not few else part
    return start(there, first, count)


def submit(client: Client, function: Callable[..., object], *arguments: object) -> Task:
    """Start one task; delayed arguments are computed within it and not kept."""
    from dask.base import is_dask_collection
    from dask.delayed import delayed

    if any(is_dask_collection(argument) for argument in arguments):
        task: Task = client.compute(delayed(function, pure=False)(*arguments))
        return task
    return client.submit(function, *arguments, pure=False)


def scattered(client: Client, value: object) -> Task:
    """Return `value` on the cluster; sent again where the worker that it went to is lost."""
    for attempt in range(MAX_TASK_ATTEMPTS):
        if client.status != "running":  # it would wait for another scheduler of the same address
            raise _scheduler_gone()
        try:
            sent: Task = client.scatter(value, hash=False)
            return sent
        except OSError:  # CommClosedError is one
            if attempt == MAX_TASK_ATTEMPTS - 1:
                raise
            time.sleep(WORKER_POLL_SECONDS)
    raise AssertionError


def sent_once(client: Client, value: object) -> object:
    """Return `value` as the argument of many tasks; where it is large, a task that has it.

    It then travels once to the scheduler and once to each worker. Where a worker is lost, it is
    made again from the graph, as a value that was scattered would not be.
    """
    import dask
    from distributed.protocol import pickle

    packed = pickle.dumps(value)
    if len(packed) < MIN_SCATTERED_BYTES:
        return value
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": len(packed) * 2}):
        return client.submit(pickle.loads, packed, pure=False)


def _take(
    waiting: deque[tuple[int, int, int, Callable[[], Task], Task]], take: Callable[[Task], Taken]
) -> tuple[int, int, int, Taken]:
    """Take what the first part gives; its task is started again where its rows are lost."""
    rows, first, count, begin, future = waiting.popleft()
    for _ in range(MAX_TASK_ATTEMPTS):
        try:
            return rows, first, count, take(future)
        except CancelledError:
            if future.client.status != "running":
                raise _scheduler_gone() from None
            future = begin()
    raise _workers_lost()


def _result(future: Task) -> Any:
    return future.result()


def _scheduler_gone() -> EngineError:
    return EngineError(
        "The scheduler of the Dask cluster no longer answers. Connect a distributed.Client to one "
        "that runs, and fit again."
    )


def _workers_lost() -> EngineError:
    return EngineError(
        "Workers were lost again and again with the rows that were sent to them. Give them more "
        "memory, or let fewer run at once."
    )


class _Gathering(Generic[State, Result]):
    """A reduction with its state of no rows, as tasks are given it."""

    def __init__(self, reduction: Reduction[State, Result], empty: State) -> None:
        self.reduction, self.empty = reduction, empty


class _StatesHere(Generic[State]):
    """The states of the parts, merged in this process."""

    def __init__(self, reduction: Reduction[State, Any]) -> None:
        self._tree: MergeTree[State] = MergeTree(reduction.merge)

    take = staticmethod(_result)

    def push(self, states: State | Sequence[State], sizes: list[int]) -> None:
        """Merge the states of the subtrees of a part."""
        with single_threaded_blas():
            alone = len(sizes) == 1
            several = [cast(State, states)] if alone else cast("Sequence[State]", states)
            for state, size in zip(several, sizes, strict=True):
                self._tree.push(state, size)

    def result(self) -> Any:
        """Return the state of all rows, or None where there are none."""
        with single_threaded_blas():
            return self._tree.result()


class _StatesThere:
    """The states of the parts, merged by tasks where they are."""

    def __init__(self, client: Client, work: object) -> None:
        self._client = client
        self._tree: MergeTree[Task] = MergeTree(
            lambda left, right: submit(client, _merge, work, left, right)
        )

    @staticmethod
    def take(future: Task) -> Task:
        """Return a task that is done."""
        import distributed

        with future.client.as_current():
            distributed.wait(future)
        return future

    def push(self, future: Task, sizes: list[int]) -> None:
        """Merge the states of the subtrees of a part that is done."""
        for index, size in enumerate(sizes):
            alone = len(sizes) == 1
            node = future if alone else submit(self._client, operator.getitem, future, index)
            self._tree.push(node, size)

    def result(self) -> Any:
        """Return the state of all rows, or None where there are none."""
        future = self._tree.result()
        return None if future is None else future.result()


def _merge(work: _Gathering[State, Any], left: State, right: State) -> State:
    return work.reduction.merge(left, right)


def _reduce_part(
    work: _Gathering[State, Any], part: Chunk | Source, first: int, count: int
) -> State | list[State]:
    """Return the states of the complete subtrees of a part; the state itself where it is one."""
    tree = MergeTree(work.reduction.merge, first)
    with single_threaded_blas():
        for chunk in _chunks(part):
            tree.push(work.reduction.update(work.empty, chunk))
    done = sum(size for size, _ in tree.nodes())
    if done != count:
        raise EngineError(
            f"A partition has {done} chunks where its length promised {count}. Did the rows "
            "change while they were read? Persist the Dask collection first."
        )
    states = [state for _, state in tree.nodes()]
    return states[0] if len(states) == 1 else states


def _map_part(function: Callable[[Chunk], object], part: Chunk | Source) -> list[object]:
    with single_threaded_blas():
        return [function(chunk) for chunk in _chunks(part)]


def _chunks(part: Chunk | Source) -> Iterable[Chunk]:
    return [part] if isinstance(part, Chunk) else part.chunks()
