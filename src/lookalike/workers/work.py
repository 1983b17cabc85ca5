"""A piece of work, what came of it, and why it came to nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from lookalike.errors import LookalikeError
from lookalike.printable import printable, shortened

LONGEST_MESSAGE = 300  # characters of an error that is not ours


@dataclass(frozen=True)
class Work:
    """A call of a function of a module.

    Attributes
    ----------
    key : hashable
        Names the work; no two that are under way have the same.
    function : callable
        Defined at the top of a module that other processes can import, hence not of a script.
    args : tuple
        Its arguments, which are pickled.
    seconds : float
        The limit of time, from its start; its process is ended then.
    """

    key: Hashable
    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    seconds: float = math.inf


@dataclass(frozen=True)
class Failure:
    """Why work came to nothing: kind "time", "memory", "crash" or "error", and one sentence."""

    kind: str
    message: str


@dataclass(frozen=True)
class Outcome:
    """What came of work: its value or its failure, and what it took."""

    key: Hashable
    value: Any = None
    failure: Failure | None = None
    seconds: float = 0.0  # on the clock
    cpu_seconds: float = 0.0  # of all threads
    peak_bytes: int = 0  # seen in memory, mapped files aside; 0 where the system does not say


def out_of_time(limit: float) -> Failure:
    """Return the failure of work that was stopped at its limit.

    >>> out_of_time(12.0).message, out_of_time(0.25).message
    ('stopped after 12 s', 'stopped after 0.25 s')
    """
    shown = f"{limit:,.0f}" if limit >= 100 else f"{limit:.3g}"
    return Failure("time", f"stopped after {shown} s")


def out_of_memory(limit: int | None) -> Failure:
    """Return the failure of work that needed more than `limit` bytes.

    >>> out_of_memory(8 * 10**8).message, out_of_memory(12 * 10**9).message
    ('needed more than 800 MB', 'needed more than 12 GB')
    """
    if limit is None:
        return Failure("memory", "needed more memory than there is")
    size = f"{limit / 1e9:,.3g} GB" if limit >= 10**10 else f"{limit / 1e6:,.0f} MB"
    return Failure("memory", f"needed more than {size}")


def failure_of(error: BaseException, memory: int | None) -> Failure:
    """Return the failure of work that raised an error, under this limit of memory.

    >>> failure_of(ValueError("k=0 is too small."), None)
    Failure(kind='error', message='k=0 is too small.')
    >>> failure_of(KeyError("size"), None).message
    "KeyError: 'size'"
    """
    if isinstance(error, LookalikeError):
        return Failure("memory" if isinstance(error, MemoryError) else "error", str(error))
    if isinstance(error, MemoryError):
        return out_of_memory(memory)
    name = type(error).__name__
    text = printable(" ".join(str(error).split()))
    if not isinstance(error, ValueError) or not text:
        text = f"{name}: {text}" if text else name
    return Failure("error", shortened(text, LONGEST_MESSAGE))
