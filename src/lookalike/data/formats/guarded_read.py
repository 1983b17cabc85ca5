"""Files whose readers may take memory without end, hang or crash are read in another process."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from lookalike.data.formats.byte_streams import StreamContent, called
from lookalike.errors import LookalikeError, MemoryBudgetError, SourceError
from lookalike.settings import settings
from lookalike.workers import Failure, Work, worker_pool

Result = TypeVar("Result")

PROCESS_BYTES = 10**8  # that a process needs before it reads anything
SHORTEST_LIMIT_SECONDS = 60.0
LIMIT_SECONDS_PER_BYTE = 1e-5  # readers take a tenth of that on a busy machine


def guarded_read(
    read: Callable[..., Result], data: str | StreamContent, *args: object, advice: str
) -> Result:
    """Return ``read(path or content, *args, name)``, called in a process with limits.

    It may use the memory budget, and time by the size of the file. What comes of a damaged or
    hostile file is one sentence, which ends with the `advice`.
    """
    name, budget = called(data), settings().memory
    content = data if isinstance(data, str) else data[1]
    seconds = SHORTEST_LIMIT_SECONDS + LIMIT_SECONDS_PER_BYTE * _size(content)
    with worker_pool(1, memory=budget + PROCESS_BYTES, preload=(read.__module__,)) as pool:
        pool.submit(Work(name, read, (content, *args, name), seconds))
        outcome = pool.next_outcome()
    if outcome is None:
        raise SourceError(f"{name} was not read: its process was ended.")
    if outcome.failure is not None:
        raise _error(outcome.failure, name, budget, advice)
    result: Result = outcome.value
    return result


def _size(content: str | bytes) -> int:
    if not isinstance(content, str):
        return len(content)
    try:
        return os.path.getsize(content)
    except OSError:  # the reader says why
        return 0


def _error(failure: Failure, name: str, budget: int, advice: str) -> LookalikeError:
    if failure.kind == "memory":
        return MemoryBudgetError(
            f"Reading {name} takes more than the memory budget of {budget / 1e9:.3g} GB. {advice} "
            "Or raise the budget: lookalike.config(memory=…)."
        )
    if failure.kind == "error":
        return SourceError(failure.message)
    if failure.kind == "time":
        return SourceError(f"Reading {name} was {failure.message}. {advice}")
    return SourceError(f"{name} is damaged: its reader crashed ({failure.message}). {advice}")
