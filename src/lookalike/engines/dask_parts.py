"""Objects that stay on the workers of a Dask cluster, one per partition, and the calls to them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lookalike.data.chunk import chunk_rows
from lookalike.data.source import Source
from lookalike.engines.dask import (
    MAX_TASK_ATTEMPTS,
    WORKER_POLL_SECONDS,
    DaskEngine,
    Partitioned,
    scattered,
    sent_once,
    submit,
)
from lookalike.engines.local_cluster import active_client, may_wait
from lookalike.errors import EngineError, LookalikeError

if TYPE_CHECKING:
    from distributed import Client

    from lookalike.engines.dask import Task

Result = TypeVar("Result")

MAX_POLLS_FOR_PART = 120  # of those, that a task waits for a part to be made again
CHUNKS_PER_SENT_PART = 4  # chunks that make a part, where rows are sent to the workers
PARTS_SENT_AHEAD = 2  # parts on their way to the workers


class WorkerParts:
    """What `build` makes of every partition, on the worker that has it; it never moves.

    A call to a part runs on the worker that holds it. Where a worker is lost, the scheduler makes
    its parts again from the Dask graph, or they are read and sent again, and the call is repeated.
    A copy that travels to a worker finds the parts by their names.

    Parameters
    ----------
    engine : DaskEngine
        Whose cluster is used.
    build : callable
        Makes the part from a Source or a Chunk of its rows.
    source : Source
        The rows; partitions of a Dask collection, or files, are read on the workers.
    """

    def __init__(self, engine: DaskEngine, build: Callable[[Any], object], source: Source) -> None:
        self._client: Client | None = engine.client()
        self._scheduler = _identity(self._client)
        self._build, self._source = build, source
        self.n_rows: list[int] = []  # of each part
        self._futures: list[Any] = []  # tasks; their names, where this has travelled
        work = sent_once(self._client, build)
        with may_wait():
            for rows, part in _parts(self._client, source):
                self.n_rows.append(rows)
                self._futures.append(submit(self._client, _built, work, part))
                if not isinstance(source, Partitioned):
                    del part
                    wait_for(self._futures[-PARTS_SENT_AHEAD:][:1])
        self.starts: list[int] = [0, *accumulate(self.n_rows)][:-1]

    def __len__(self) -> int:
        return len(self.n_rows)

    def __getstate__(self) -> dict[str, object]:
        keys = [getattr(part, "key", part) for part in self._futures]
        return {**self.__dict__, "_client": None, "_futures": keys, "_source": None}

    def call(self, work: Callable[[PartCalls], Result]) -> Result:
        """Return what `work` does with calls to the parts; again where a worker is lost."""
        with may_wait():
            return self._call(work)

    def _call(self, work: Callable[[PartCalls], Result]) -> Result:
        import distributed

        lost: BaseException | None = None
        for _ in range(MAX_TASK_ATTEMPTS):
            calls = PartCalls(self._connected(), self._futures)
            try:
                calls.find_owners(own=self._client is not None, sent=self._was_sent())
                return work(calls)
            except (WorkerLostError, CancelledError, distributed.KilledWorker, OSError) as error:
                calls.cancel()
                if isinstance(error, LookalikeError):
                    raise
                lost = error
                self._restore()
            except BaseException:
                calls.cancel()
                raise
        raise EngineError(
            f"Workers were lost {MAX_TASK_ATTEMPTS} times in the middle of a search ({lost}). Give "
            "them more memory, or the rows more partitions."
        )

    def _connected(self) -> Client:
        """Return the client; within a task, that of its worker."""
        client = self._client
        if client is None:
            import distributed

            client = active_client()
            if client is None:
                raise _gone("no client is connected to it")
            if isinstance(self._futures[0], str):
                self._futures = [distributed.Future(key, client) for key in self._futures]
        if client.status != "running":
            raise _gone("its scheduler no longer answers")
        return client

    def _restore(self) -> None:
        """Wait until every part is on a worker again; one that cannot be made again is sent."""
        client = self._connected()
        if self._client is None:
            return  # the process that started the parts makes them again
        if _identity(client) != self._scheduler:
            raise _gone("its scheduler was started again")
        sent = self._was_sent()
        failed = ("cancelled", "error", "lost") if sent else ("cancelled", "error")
        broken = [j for j, part in enumerate(self._futures) if part.status in failed]
        if broken and not sent:
            if self._futures[broken[0]].status == "error":
                self._futures[broken[0]].result()  # says why
            raise _gone("it was restarted")
        if broken:
            for number, (_, part) in enumerate(_parts(client, self._source)):
                if number in broken:
                    self._futures[number] = submit(client, _built, self._build, part)
        if not sent:
            wait_for(self._futures)

    def _was_sent(self) -> bool:
        """Return whether the rows were sent, so that the cluster cannot make them again."""
        return not isinstance(self._source, Partitioned)


class PartCalls:
    """Calls of one attempt: tasks at parts and anywhere, which are cancelled together."""

    def __init__(self, client: Client, parts: Sequence[Task]) -> None:
        self._client, self._parts = client, parts
        self._owners: list[str] = []
        self._started: list[Task] = []

    def find_owners(self, own: bool, sent: bool) -> None:
        """Find the worker of every part; raise where one has none.

        `own` says whether this process started the parts, and so hears what becomes of them;
        `sent`, whether it sent their rows, so that no other makes again what is lost.
        """

        def check() -> None:
            self._require_scheduler()
            if sent and any(part.status == "lost" for part in self._parts):
                raise WorkerLostError("a part is lost with its worker")

        if own:
            wait_for(self._parts, check)
            for part in self._parts:
                if part.status == "error":
                    part.result()  # says why
                if part.status != "finished":
                    raise WorkerLostError("a part is on no worker")
        for _ in range(1 if own else MAX_POLLS_FOR_PART):
            where = self._client.who_has(self._parts)
            held = [where.get(part.key) or () for part in self._parts]
            if all(held):
                self._owners = [next(iter(workers)) for workers in held]
                return
            time.sleep(0 if own else WORKER_POLL_SECONDS)
        raise WorkerLostError("a part is on no worker")

    def send(self, value: object) -> Task:
        """Return `value` on the cluster."""
        return self._keep(scattered(self._client, value))

    def at(self, number: int, function: Callable[..., object], *arguments: object) -> Task:
        """Start ``function(part, …)`` on the worker of a part."""
        worker = self._owners[number]
        part = self._parts[number]
        return self._keep(
            self._client.submit(function, part, *arguments, workers=[worker], pure=False)
        )

    def anywhere(self, function: Callable[..., object], *arguments: object) -> Task:
        """Start a task on any worker."""
        return self._keep(self._client.submit(function, *arguments, pure=False))

    def result(self, future: Task) -> Any:
        """Return the result of a task; raise where a worker that has a part is lost."""
        wait_for([future], self._require_workers)
        return future.result()

    def results(self, futures: Sequence[Task]) -> list[Any]:
        """Return the results of several tasks."""
        wait_for(futures, self._require_workers)
        return list(self._client.gather(list(futures)))

    def cancel(self) -> None:
        """Give up what was started."""
        if self._client.status == "running":
            self._client.cancel(self._started)
        self._started = []

    def _keep(self, future: Task) -> Task:
        self._started.append(future)
        return future

    def _require_scheduler(self) -> None:
        if self._client.status != "running":
            raise _gone("its scheduler no longer answers")

    def _require_workers(self) -> None:
        self._require_scheduler()
        alive = self._client.scheduler_info(n_workers=-1)["workers"]
        if lost := set(self._owners) - set(alive):
            raise WorkerLostError(f"{len(lost)} of its workers are gone")


class WorkerLostError(Exception):
    """A worker that holds a part is gone: the call is made again."""


def is_collection(data: object) -> bool:
    """Return whether `data` is a Dask array or frame."""
    return type(data).__module__.partition(".")[0] in ("dask", "dask_expr")


def pieces_of(data: object) -> tuple[list[object], list[float]]:
    """Return the partitions of a Dask array or frame, and their lengths, NaN where unknown."""
    from lookalike.data.sources.dask import known_lengths, parts_of

    pieces = parts_of(data)
    lengths = known_lengths(data)
    return pieces, [np.nan] * len(pieces) if lengths is None else [*map(float, lengths)]


def lazy_results(
    function: Callable[[Any], object],
    pieces: Sequence[object],
    lengths: Sequence[float],
    widths: Sequence[tuple[int, object]],
) -> tuple[object, ...]:
    """Return Dask arrays of what `function` gives for every piece; nothing is computed yet.

    It returns arrays of as many rows as `lengths` says, whose columns and types are `widths`, and
    runs on a worker, where it may call parts.
    """
    import dask.array
    from dask.delayed import delayed

    da = dask.array
    results = [delayed(_on_worker, pure=False)(function, piece) for piece in pieces]
    return tuple(
        da.concatenate(
            [
                da.from_delayed(result[index], (length, width), dtype)
                for result, length in zip(results, lengths, strict=True)
            ],
            allow_unknown_chunksizes=True,
        )
        for index, (width, dtype) in enumerate(widths)
    )


def _on_worker(function: Callable[[object], object], rows: object) -> object:
    """Run a function that starts tasks of its own."""
    with may_wait():
        return function(rows)


def _built(build: Callable[[object], object], part: object) -> object:
    return build(part)


def _parts(client: Client, source: Source) -> Iterator[tuple[int, object]]:
    """Give the rows of each part, and what it is made of."""
    if isinstance(source, Partitioned):
        for rows, _, part in source.partitions():
            yield rows, part
        return
    size = CHUNKS_PER_SENT_PART * chunk_rows(None, source.n_features, source.dtype.itemsize)
    for chunk in source.chunks(size):
        yield chunk.X.shape[0], scattered(client, chunk)


def wait_for(futures: Sequence[Task], check: Callable[[], None] = lambda: None) -> None:
    """Wait until all are finished or failed; `check` is called every now and then."""
    import distributed as library

    distributed = library
    while futures:
        try:
            with futures[0].client.as_current():
                distributed.wait(list(futures), timeout=WORKER_POLL_SECONDS)
        except TimeoutError:
            check()
        else:
            return


def _identity(client: Client) -> str:
    return str(client.scheduler_info(n_workers=0)["id"])


def _gone(why: str) -> EngineError:
    return EngineError(
        f"The index was on a Dask cluster, and {why}: it is lost. Connect a distributed.Client to "
        "a running scheduler and fit again."
    )
