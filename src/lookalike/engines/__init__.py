"""Engines: where work runs (in memory, over a stream, on a cluster), by `reduce` and `map`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from lookalike.data.chunk import Chunk
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.reductions.base import Reduction
from lookalike.validation import check_choice

State = TypeVar("State")
Result = TypeVar("Result")

__all__ = ["ENGINES", "Engine", "engine_for"]

ENGINES = ("auto", "memory", "stream", "dask")


class Engine(Protocol):
    """Runs reductions and functions over the chunks of a source."""

    name: str

    def reduce(self, reduction: Reduction[State, Result], source: Source) -> Result:
        """Gather `reduction` over all rows of `source`."""
        ...

    def map(self, function: Callable[[Chunk], Result], source: Source) -> Iterator[Result]:
        """Give `function` of every chunk, in the order of the rows."""
        ...


def engine_for(
    source: Source,
    engine: str = "auto",
    *,
    n_jobs: int | None = None,
    decisions: Decisions | None = None,
) -> Engine:
    """Return the engine that `engine` names, or the one that suits the rows."""
    from lookalike.engines.local import MemoryEngine, StreamEngine

    check_choice("engine", engine, ENGINES)
    home = source.home
    if engine == "auto" and decisions is not None:
        decisions.add("engine", home, f"the rows are {_WHY[home]}")
    chosen = home if engine == "auto" else engine
    if chosen == "memory":
        return MemoryEngine(n_jobs=n_jobs)
    if chosen == "stream":
        return StreamEngine(n_jobs=n_jobs)
    from lookalike.engines.dask import DaskEngine

    return DaskEngine(n_jobs=n_jobs)


_WHY = {
    "memory": "an array or a frame in memory",
    "stream": "read from a file or a generator",
    "dask": "spread over Dask partitions",
}
