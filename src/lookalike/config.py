"""How much the package may use: memory, threads, and whether it shows progress."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

from lookalike import _core
from lookalike.errors import ParameterError, ParameterTypeError

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {f"{unit}I": 1024**power for power, unit in enumerate("KMGT", start=1)}


@dataclass(frozen=True)
class Settings:
    """The settings in force."""

    memory: int  # bytes that engines may hold beside the input and the model
    threads: int
    progress: bool


class Change:
    """A change of settings, made already; leaving a `with` block takes it back."""

    def __init__(self, before: Settings) -> None:
        self._before = before

    def __enter__(self) -> Settings:
        return settings()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _apply(self._before)


def config(
    *,
    memory: str | int | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> Change:
    """Set the memory budget, the number of threads, or whether progress is shown.

    The change holds for the whole process at once. Used in a ``with`` statement, it is taken
    back at the end of the block.

    Parameters
    ----------
    memory : str or int, optional
        Bytes that engines may hold beside the input and the model: ``"2GB"``, ``"512MiB"`` or a
        number.
    threads : int, optional
        Threads of native kernels and engines; ``-1`` means every usable core.
    progress : bool, optional
        Whether long work shows a progress bar.

    Examples
    --------
    >>> import lookalike
    >>> with lookalike.config(memory="512MB", threads=1) as settings:
    ...     settings.memory, settings.threads
    (512000000, 1)
    """
    before = settings()
    changes: dict[str, Any] = {}
    if memory is not None:
        changes["memory"] = parse_bytes(memory)
    if threads is not None:
        changes["threads"] = resolve_threads(threads)
    if progress is not None:
        if not isinstance(progress, bool):
            raise ParameterTypeError(f"progress={progress!r} is not a bool. Give True or False.")
        changes["progress"] = progress
    _apply(replace(before, **changes))
    return Change(before)


def settings() -> Settings:
    """Return the settings in force.

    Threads are asked of the native core, where threadpoolctl may have limited them.
    """
    return replace(_settings, threads=_core.default_threads())


def resolve_threads(n_jobs: int | None) -> int:
    """Return how many threads `n_jobs` stands for: None the setting, -1 every usable core."""
    if n_jobs is None:
        return _core.default_threads()
    if isinstance(n_jobs, bool) or not hasattr(n_jobs, "__index__"):
        raise ParameterTypeError(f"n_jobs={n_jobs!r} is not a whole number. Give None, -1 or >= 1.")
    if n_jobs == 0:
        raise ParameterError("n_jobs=0 asks for no thread at all. Give None, -1 or a number >= 1.")
    return n_jobs if n_jobs > 0 else max(1, usable_cores() + 1 + n_jobs)


def usable_cores() -> int:
    """Return the cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def parse_bytes(size: str | int) -> int:
    """Return the bytes that ``"2GB"``, ``"512 MiB"`` or a number stand for."""
    if isinstance(size, int) and not isinstance(size, bool):
        bytes_ = size
    else:
        found = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?I?)B?\s*", str(size).upper())
        try:
            bytes_ = int(float(found[1]) * _UNITS[found[2]]) if found else 0
        except (ValueError, KeyError):
            bytes_ = 0
    if bytes_ <= 0:
        raise ParameterError(f"memory={size!r} is not a size. Give bytes, or text such as '2GB'.")
    return bytes_


def _apply(new: Settings) -> None:
    global _settings  # noqa: PLW0603 - the one piece of process-wide state
    _settings = new
    _core.set_default_threads(new.threads)


def _initial() -> Settings:
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    threads = int(asked) if asked.isdigit() and int(asked) > 0 else usable_cores()
    _core.set_default_threads(threads)
    return Settings(memory=2 * 10**9, threads=threads, progress=False)


_settings = _initial()
