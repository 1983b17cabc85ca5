"""Settings: memory budget, number of threads, progress bars, and the engine."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

from lookalike import _core
from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.threads import resolve_threads
from lookalike.validation import check_choice

ENGINES = ("auto", "memory", "stream", "dask", "gpu")
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {f"{unit}I": 1024**power for power, unit in enumerate("KMGT", start=1)}


@dataclass(frozen=True)
class Settings:
    """The settings in force."""

    memory: int  # bytes that engines may use in addition to the input and the model
    threads: int
    progress: bool
    engine: str  # what engine="auto" means; "auto" follows from where the rows lie


class Change:
    """A change of settings, already in force; leaving a `with` block undoes it."""

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
    engine: str | None = None,
) -> Change:
    """Set the memory budget, the number of threads, whether progress is shown, or the engine.

    The change is in force for the whole process at once. Used in a ``with`` statement, it is
    undone at the end of the block.

    Parameters
    ----------
    memory : str or int, optional
        Bytes that engines may use in addition to the input and the model: ``"2GB"``,
        ``"512MiB"`` or a number.
    threads : int, optional
        Threads of native kernels and engines; ``-1`` means every usable core.
    progress : bool, optional
        Whether long work shows a progress bar.
    engine : {"auto", "memory", "stream", "dask", "gpu"}, optional
        What ``engine="auto"`` of the models means.

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
        changes["threads"] = resolve_threads(threads, "threads")
    if progress is not None:
        if not isinstance(progress, bool):
            raise ParameterTypeError(f"progress={progress!r} is not a bool. Give True or False.")
        changes["progress"] = progress
    if engine is not None:
        check_choice("engine", engine, ENGINES)
        changes["engine"] = engine
    _apply(replace(before, **changes))
    return Change(before)


def settings() -> Settings:
    """Return the settings in force.

    The number of threads comes from the native core, where threadpoolctl may have limited it.
    """
    return replace(_settings, threads=_core.default_threads())


def parse_bytes(size: str | int) -> int:
    """Return the bytes that ``"2GB"``, ``"512 MiB"`` or a number mean."""
    if isinstance(size, int) and not isinstance(size, bool):
        bytes_ = size
    else:
        match = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?I?)B?\s*", str(size).upper())
        try:
            bytes_ = int(float(match[1]) * _UNITS[match[2]]) if match else 0
        except (ValueError, KeyError):
            bytes_ = 0
    if bytes_ <= 0:
        raise ParameterError(f"memory={size!r} is not a size. Give bytes, or text like '2GB'.")
    return bytes_


def _apply(new: Settings) -> None:
    global _settings  # noqa: PLW0603 - the one piece of process-wide state
    _settings = new
    _core.set_default_threads(new.threads)


_settings = Settings(
    memory=2 * 10**9, threads=_core.default_threads(), progress=False, engine="auto"
)
