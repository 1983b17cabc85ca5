"""The number of threads, its registration with threadpoolctl, and locks of those that write."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any
from weakref import WeakKeyDictionary

import threadpoolctl

from lookalike import _core
from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.validation import is_int, shown

# The settings of the `config` blocks that the running code is in; None outside of all.
block: ContextVar[Mapping[str, Any] | None] = ContextVar("block", default=None)

MOST_THREADS = 64  # of a call, where there are no more cores: others would only wait
_WRITER_LOCKS: WeakKeyDictionary[object, threading.RLock] = WeakKeyDictionary()
_WRITER_LOCKS_LOCK = threading.Lock()


class LookalikeController(threadpoolctl.LibController):
    """Lets threadpoolctl see and limit the native thread pool."""

    user_api = "lookalike"
    internal_api = "lookalike"
    filename_prefixes: tuple[str] = ("_core",)
    check_symbols: tuple[str, str] = ("lookalike_get_num_threads", "lookalike_set_num_threads")

    def get_num_threads(self) -> int:
        """Return the threads a native call uses."""
        return int(self.dynlib.lookalike_get_num_threads())

    def set_num_threads(self, num_threads: int) -> None:
        """Limit the threads of later native calls."""
        self.dynlib.lookalike_set_num_threads(num_threads)

    def get_version(self) -> str:
        """Return the version of the pool's interface."""
        return "1"


def usable_cores() -> int:
    """Return the cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_threads() -> int:
    """Return the threads of a call that names none: of its `config` block, or of the process.

    What threadpoolctl limits the process to holds in blocks too.
    """
    everywhere, in_block = _core.default_threads(), (block.get() or {}).get("threads")
    if in_block is None:
        return everywhere
    return min(in_block, everywhere) if everywhere < _of_process else int(in_block)


def set_default_threads(threads: int) -> None:
    """Set the threads of the process."""
    global _of_process  # noqa: PLW0603 - of the native core, unless it was limited since
    if threads != _of_process:
        _of_process = threads
        _core.set_default_threads(threads)


def resolve_threads(n_jobs: int | None, name: str = "n_jobs") -> int:
    """Return the number of threads of `n_jobs`: None the setting, -1 every usable core.

    More than `MOST_THREADS`, or the cores where these are more, are never started.
    """
    if n_jobs is None:
        return default_threads()
    if not is_int(n_jobs):
        raise ParameterTypeError(
            f"{name}={shown(n_jobs)} is not a whole number. Give None, -1 or >= 1."
        )
    if n_jobs == 0:
        raise ParameterError(f"{name}=0 means no thread at all. Give None, -1 or a number >= 1.")
    if n_jobs > 0:
        return min(int(n_jobs), max(MOST_THREADS, usable_cores()))
    return max(1, usable_cores() + 1 + int(n_jobs))


def _threads_of_environment() -> int:
    limit = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    cores = usable_cores()
    return min(int(limit), cores) if limit.isdigit() and int(limit) > 0 else cores


_of_process = _threads_of_environment()
_core.set_default_threads(_of_process)
threadpoolctl.register(LookalikeController)


def writer_lock(changed: object) -> threading.RLock:
    """Return the lock that a thread holds while it changes an object; who reads it holds none.

    The object itself does not hold it, so that copies and files have none.
    """
    with _WRITER_LOCKS_LOCK:
        lock = _WRITER_LOCKS.get(changed)
        if lock is None:
            lock = _WRITER_LOCKS[changed] = threading.RLock()
        return lock
