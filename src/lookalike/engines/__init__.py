"""Engines: where work runs (in memory, over a stream, on a cluster), by `reduce` and `map`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from lookalike.data.chunk import Chunk, Home
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.reductions.base import Reduction

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

    if engine not in ENGINES:
        raise ParameterError(f"engine={engine!r} is not known. Choose one of {', '.join(ENGINES)}.")
    chosen, why = (engine, "") if engine != "auto" else _suitable(source.home)
    if engine == "auto" and decisions is not None:
        decisions.add("engine", chosen, f"the rows are {why}")
    if chosen == "memory":
        return MemoryEngine(n_jobs=n_jobs)
    if chosen == "stream":
        return StreamEngine(n_jobs=n_jobs)
    from lookalike.engines.dask import DaskEngine

    return DaskEngine(n_jobs=n_jobs)


def _suitable(home: Home) -> tuple[str, str]:
    """Return the engine for rows that are there, and why."""
    if home == "dask":
        from lookalike.engines.local_cluster import active_client

        if active_client() is None:
            return "stream", "Dask partitions; without a client, threads of this process read them"
    return home, _WHY[home]


_WHY = {
    "memory": "an array or a frame in memory",
    "stream": "read from a file or a generator",
    "dask": "spread over Dask partitions",
}
