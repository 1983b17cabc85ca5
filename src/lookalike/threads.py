"""The number of threads, and its registration with threadpoolctl."""

from __future__ import annotations

import os

import threadpoolctl

from lookalike import _core
from lookalike.errors import ParameterError, ParameterTypeError

MOST_THREADS = 64  # of a call, where there are no more cores: others would only wait


class LookalikeController(threadpoolctl.LibController):  # type: ignore[misc]
    """Lets threadpoolctl see and limit the native thread pool."""

    user_api = "lookalike"
    internal_api = "lookalike"
    filename_prefixes = ("_core",)
    check_symbols = ("lookalike_get_num_threads", "lookalike_set_num_threads")

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


def resolve_threads(n_jobs: int | None, name: str = "n_jobs") -> int:
    """Return the number of threads of `n_jobs`: None the setting, -1 every usable core.

    More than `MOST_THREADS`, or the cores where these are more, are never started.
    """
    if n_jobs is None:
        return _core.default_threads()
    if isinstance(n_jobs, bool) or not hasattr(n_jobs, "__index__"):
        raise ParameterTypeError(f"{name}={n_jobs!r} is not a whole number. Give None, -1 or >= 1.")
    if n_jobs == 0:
        raise ParameterError(f"{name}=0 means no thread at all. Give None, -1 or a number >= 1.")
    if n_jobs > 0:
        return min(int(n_jobs), max(MOST_THREADS, usable_cores()))
    return max(1, usable_cores() + 1 + int(n_jobs))


def _threads_of_environment() -> int:
    limit = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    cores = usable_cores()
    return min(int(limit), cores) if limit.isdigit() and int(limit) > 0 else cores


_core.set_default_threads(_threads_of_environment())
threadpoolctl.register(LookalikeController)
