"""Engines: where work runs (memory, stream, cluster or GPU), by `reduce` and `map`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from lookalike.data.chunk import Chunk, Matrix
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.engines.local_cluster import active_client, inside_task
from lookalike.reductions.base import Reduction
from lookalike.settings import ENGINE_NAMES, settings
from lookalike.validation import check_choice

State = TypeVar("State")
Result = TypeVar("Result")

__all__ = ["ENGINE_NAMES", "Engine", "engine_for", "engine_name"]


class Engine(Protocol):
    """Runs reductions and functions over the chunks of a source."""

    name: str

    def reduce(self, reduction: Reduction[State, Result], source: Source) -> Result:
        """Gather `reduction` over all rows of `source`."""
        ...

    def map(self, function: Callable[[Chunk], Result], source: Source) -> Iterator[Result]:
        """Give `function` of every chunk, in the order of the rows."""
        ...

    def resident(self, source: Source) -> Source:
        """Return the rows where they are read again and again: on the GPU where they fit."""
        ...

    def placed(self, X: Matrix) -> object:
        """Return a few rows where the engine computes."""
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

    chosen = engine_name(source, engine)
    if engine == "auto" and decisions is not None:
        fixed = settings().engine != "auto"
        why = "lookalike.config(engine=…)" if fixed else f"the rows are {_reason(source, chosen)}"
        decisions.add("engine", chosen, why)
    if chosen == "memory":
        return MemoryEngine(n_jobs=n_jobs)
    in_this_process = chosen == "dask" and source.home == "memory" and inside_task()
    if chosen == "stream" or in_this_process:  # a worker has the rows: they are not sent to others
        return StreamEngine(n_jobs=n_jobs)
    if chosen == "gpu":
        from lookalike.engines.gpu import GPUEngine

        return GPUEngine(n_jobs=n_jobs, decisions=decisions)
    from lookalike.engines.dask import DaskEngine

    return DaskEngine(n_jobs=n_jobs)


def engine_name(source: Source, engine: str) -> str:
    """Return the name of the engine that `engine` stands for: its own, or what "auto" means."""
    check_choice("engine", engine, ENGINE_NAMES)
    if engine == "auto":
        engine = settings().engine
    if engine != "auto":
        return engine
    return "stream" if source.home == "dask" and active_client() is None else source.home


def _reason(source: Source, chosen: str) -> str:
    if source.home == "dask" and chosen == "stream":
        return "Dask partitions; without a client, threads of this process read them"
    return _ENGINE_REASONS[chosen]


_ENGINE_REASONS = {
    "memory": "in memory",
    "stream": "read from a file or a generator",
    "dask": "spread over Dask partitions",
    "gpu": "on a GPU",
}
