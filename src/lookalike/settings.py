"""Settings: memory budget, number of threads, progress bars, and the engine."""

from __future__ import annotations

import re
import threading
import weakref
from collections.abc import Callable
from contextvars import Token
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, TypeVar

from lookalike.errors import MemoryBudgetError, ParameterError, ParameterTypeError
from lookalike.threads import block, default_threads, resolve_threads, set_default_threads
from lookalike.validation import check_choice

Result = TypeVar("Result")

SERVICE_PORT = 8765  # of `lookalike serve`, where nothing else is given
ENGINE_NAMES = ("auto", "memory", "stream", "dask", "gpu")
_BYTE_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BYTE_UNITS |= {f"{unit}I": 1024**power for power, unit in enumerate("KMGT", start=1)}


@dataclass(frozen=True)
class Settings:
    """The settings in force."""

    memory: int  # bytes that engines may use in addition to the input and the model
    threads: int
    progress: bool
    engine: str  # what engine="auto" means; "auto" follows from where the rows lie


class Change:
    """A change of settings, already in force; leaving a `with` block undoes it.

    Until a `with` statement enters it, it holds for the whole process; then only in the block.
    """

    def __init__(self, changes: dict[str, object]) -> None:
        self._changes = changes
        self._tokens: list[Token[Any]] = []
        if block.get() is None:
            _hold(self, changes)
        else:  # what is set in a block ends with it
            self._tokens.append(block.set({**(block.get() or {}), **changes}))
        self._entered = 0

    def __enter__(self) -> Settings:
        _release(self)
        if self._entered == len(self._tokens):
            self._tokens.append(block.set({**(block.get() or {}), **self._changes}))
        self._entered += 1
        return settings()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._entered -= 1
        block.reset(self._tokens.pop())


def config(
    *,
    memory: str | int | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    engine: str | None = None,
) -> Change:
    """Set the memory budget, the number of threads, whether progress is shown, or the engine.

    The change is in force for the whole process at once. Used in a ``with`` statement, it holds
    in the block alone, on the thread that runs it: blocks of other threads have their own.

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
        check_choice("engine", engine, ENGINE_NAMES)
        changes["engine"] = engine
    return Change(changes)


def settings() -> Settings:
    """Return the settings in force: of the process, and of the blocks that the code is in.

    The number of threads comes from the native core, where threadpoolctl may have limited it.
    """
    block_options, threads = block.get(), default_threads()
    if not block_options and not _changes and threads == _lasting.threads:
        return _lasting
    return replace(_of_process(), **{**(block_options or {}), "threads": threads})


def require_memory(needed: float, what: str, advice: str) -> None:
    """Raise where `what`, this many bytes, exceeds the memory budget.

    >>> require_memory(1e15, "The Gram matrix takes", "Give fewer rows.")
    Traceback (most recent call last):
    lookalike.errors.MemoryBudgetError: The Gram matrix takes 1,000,000 GB, and the ...
    """
    budget = settings().memory
    if needed > budget:
        raise MemoryBudgetError(
            f"{what} {_gigabytes(needed)} GB, and the memory budget is {_gigabytes(budget)} GB. "
            f"{advice}"
        )


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:,.0f}" if size >= 1e11 else f"{size / 1e9:.3g}"


def in_this_block(function: Callable[..., Result]) -> Callable[..., Result]:
    """Return `function` for another thread: it then works with the settings of this block."""
    options = block.get()

    def called(*args: object) -> Result:
        token = block.set(options)
        try:
            return function(*args)
        finally:
            block.reset(token)

    return called


def parse_bytes(size: str | int) -> int:
    """Return the bytes that ``"2GB"``, ``"512 MiB"`` or a number mean."""
    if isinstance(size, int) and not isinstance(size, bool):
        bytes_ = size
    else:
        match = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?I?)B?\s*", str(size).upper())
        try:
            bytes_ = int(float(match[1]) * _BYTE_UNITS[match[2]]) if match else 0
        except (ValueError, KeyError):
            bytes_ = 0
    if bytes_ <= 0:
        raise ParameterError(f"memory={size!r} is not a size. Give bytes, or text like '2GB'.")
    return bytes_


def _of_process() -> Settings:
    """Return the settings outside of all blocks."""
    with _lock:
        changes = [made for _, made in _changes]
    now = _lasting
    for made in changes:
        now = replace(now, **made)
    return now


def _hold(change: Change, made: dict[str, Any]) -> None:
    """Let a change hold for the process, until a `with` statement takes it."""
    global _lasting  # noqa: PLW0603 - the one piece of process-wide state
    with _lock:
        while _changes and _changes[0][0]() is None:  # which no statement can take any more
            _lasting = replace(_lasting, **_changes.pop(0)[1])
        _changes.append((weakref.ref(change), made))
    set_default_threads(_of_process().threads)


def _release(change: Change) -> None:
    """Take a change back from the process."""
    with _lock:
        _changes[:] = [one for one in _changes if one[0]() is not change]
    set_default_threads(_of_process().threads)


_lock = threading.Lock()
_lasting = Settings(memory=2 * 10**9, threads=default_threads(), progress=False, engine="auto")
_changes: list[tuple[weakref.ref[Change], dict[str, Any]]] = []
