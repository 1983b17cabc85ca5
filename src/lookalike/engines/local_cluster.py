"""The Dask cluster to use: the active one, or one of local processes, started once a process."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lookalike.errors import EngineError, ExtraMissingError

if TYPE_CHECKING:
    from distributed import Client

# Bytes that the allocator of a worker keeps for the next array. Dask lets it give larger ones than
# 64 kB back to the system, and computing on fresh pages takes several times as long.
MALLOC_THRESHOLDS = {"MALLOC_TRIM_THRESHOLD_": 2**28, "MALLOC_MMAP_THRESHOLD_": 2**26}
DASK_TRIM_THRESHOLD = 65_536  # bytes: the trim threshold of Dask, where nobody has set another
_ENVIRONMENT_SETTING = "distributed.nanny.pre-spawn-environ"
_lock = threading.Lock()
_started: dict[int, tuple[Any, Client]] = {}  # by process: a fork has none


def active_client() -> Client | None:
    """Return the active client of ``distributed``; None where there is none."""
    distributed = sys.modules.get("distributed")  # who has a client has imported it
    try:
        return None if distributed is None else distributed.get_client()
    except ValueError:  # there is none
        return None


def inside_task() -> bool:
    """Return whether this code runs as a task of a cluster, on one of its workers."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        distributed.get_worker()
    except ValueError:  # there is none
        return False
    return True


@contextmanager
def may_wait() -> Iterator[None]:
    """Let this code wait for other tasks: where it is a task itself, they may use its thread."""
    if not inside_task():
        yield
        return
    import distributed

    with distributed.worker_client():
        yield


def local_client(n_workers: int) -> Client:
    """Return the client of a cluster of local processes, started by the first call.

    It has as many workers as the largest call wanted, serves every later call, and `distributed`
    ends it with this process. It does not become the default client.
    """
    try:
        import distributed as library
    except ImportError as missing:
        raise ExtraMissingError.of("dask.distributed", "dask") from missing
    distributed: Any = library
    client: Client
    with _lock:
        started = _started.get(os.getpid())
        if started is not None and started[1].status == "running":
            cluster, client = started
            if len(cluster.workers) < n_workers:
                with _without_main(), keeping_memory():
                    cluster.scale(n_workers)
                    client.wait_for_workers(n_workers)
            return client
        if multiprocessing.parent_process() is not None:
            raise EngineError(
                "engine='dask' would start processes from a process that was itself started, as "
                "a script without `if __name__ == '__main__':` does. Put the calls under it, or "
                "connect a distributed.Client first."
            )
        with _without_main(), keeping_memory():
            cluster = distributed.LocalCluster(
                n_workers=n_workers, threads_per_worker=1, dashboard_address=None
            )
            client = distributed.Client(cluster, set_as_default=False)
        _started[os.getpid()] = cluster, client
        return client


@contextmanager
def keeping_memory() -> Iterator[None]:
    """Let workers that start in the block use freed memory again, unless a setting says otherwise.

    Examples
    --------
    >>> import dask, distributed
    >>> with keeping_memory():
    ...     dask.config.get("distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_")
    268435456
    """
    import dask

    given = dask.config.get(_ENVIRONMENT_SETTING, {}) or {}
    if int(given.get("MALLOC_TRIM_THRESHOLD_", DASK_TRIM_THRESHOLD)) != DASK_TRIM_THRESHOLD:
        yield
        return
    with dask.config.set(
        {f"{_ENVIRONMENT_SETTING}.{name}": size for name, size in MALLOC_THRESHOLDS.items()}
    ):
        yield


@contextmanager
def _without_main() -> Iterator[None]:
    """Let processes start without running the script: what they need of it is sent to them."""
    main = sys.modules["__main__"]
    names = [name for name in ("__file__", "__spec__") if name in vars(main)]
    hidden: dict[str, object] = {name: vars(main)[name] for name in names}
    for name in hidden:
        main.__dict__[name] = None
    try:
        yield
    finally:
        main.__dict__.update(hidden)
