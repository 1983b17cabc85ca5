"""`lookalike plan`: which index a search would use, and what work on many rows would cost."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli.options import (
    ComparedColumns,
    Json,
    Metric,
    NeighborCount,
    Scale,
    complete_samples,
)

Queries = Annotated[
    int | None, typer.Option("--queries", min=1, help="Number of queries; default: all rows.")
]
Table = Annotated[
    str | None,
    typer.Argument(
        help="A table or sample; none with --rows.",
        show_default=False,
        autocompletion=complete_samples,
    ),
]
Rows = Annotated[float | None, typer.Option("--rows", help="Rows to plan for, for example 1e9.")]
Columns = Annotated[int, typer.Option("--columns", min=1, help="Columns of the rows of --rows.")]
Workers = Annotated[int, typer.Option("--workers", min=1, help="Workers of one core each.")]


def plan(
    data: Table = None,
    *,
    k: NeighborCount = 5,
    queries: Queries = None,
    metric: Metric = "euclidean",
    scale: Scale = None,
    options: ComparedColumns,
    rows: Rows = None,
    columns: Columns = 128,
    workers: Workers = 1,
    json: Json = False,
) -> None:
    """Show which index would search the rows of DATA, and its expected time and memory.

    Rows are prepared as `neighbors` prepares them. The time is extrapolated from a search of a
    sample. With --rows and no DATA, the time, memory
    and network traffic of each stage of work on this many rows, extrapolated from measurements
    on a few generated rows by exponents that a benchmark checks.

    Example: lookalike plan digits -k 10

    Example: lookalike plan --rows 1e9 --columns 128 --workers 100
    """
    from lookalike.errors import ParameterError

    if (data is None) == (rows is None):
        raise ParameterError("Give DATA, or --rows and --columns: one of them.")
    if data is not None:
        _plan_search(data, k, queries, metric, options, scale=scale, json=json)
    elif rows is not None:
        _plan_stages(rows, columns, workers, json=json)


def _plan_stages(rows: float, columns: int, workers: int, *, json: bool) -> None:
    from dataclasses import asdict

    from lookalike.cli.output import print_json, print_table
    from lookalike.errors import ParameterError
    from lookalike.printable import number
    from lookalike.studies.format import count
    from lookalike.studies.scale_plan import scale_plan

    if not 1 <= rows <= 1e15:
        raise ParameterError(f"--rows {number(rows)}: give a number from 1 to 1e15.")
    stages = scale_plan(int(rows), columns, workers)
    if json:
        print_json({"rows": int(rows), "columns": columns, "workers": workers,
                    "stages": [asdict(stage) for stage in stages]})  # fmt: skip
        return
    lines = [
        (
            one.stage,
            f"{one.seconds:,.1f} s",
            f"{one.cpu_seconds / 3600:,.2f} h",
            f"{one.worker_bytes / 1e9:,.2f} GB",
            f"{one.network_bytes / 1e6:,.1f} MB",
        )
        for one in stages
    ]
    title = f"{int(rows):,} rows of {columns} columns on {count(workers, 'worker')}"
    headings = ("stage", "time", "processor time", "memory of a worker", "network")
    print_table(title, headings, lines)


def _plan_search(
    data: str,
    k: int,
    queries: int | None,
    metric: str,
    columns: ComparedColumns,
    *,
    scale: str | None,
    json: bool,
) -> None:
    from lookalike.cli.output import print_facts, print_lines
    from lookalike.cli.prepare import load_prepared, preparation_lines
    from lookalike.models.neighbors.search_plan import search_plan
    from lookalike.printable import seconds

    prepared = load_prepared(data, columns, scale=scale, metric=metric)
    rows = prepared.features()
    result = search_plan(rows, k, n_queries=queries, metric=prepared.search.get("metric", metric))
    times = {"build": result.build_seconds, "query": result.query_seconds}
    facts = {
        "rows": rows.shape[0],
        "columns": rows.shape[1],
        "index": result.index,
        "reason": result.reason,
        **(
            {f"{name}_seconds": time for name, time in times.items()}
            if json
            else {f"{name}_time": seconds(time) for name, time in times.items()}
        ),
        "index_bytes": result.memory,
        "preparation": prepared.preparation.description,
    }
    facts |= {"decisions": list(map(str, prepared.decisions))} if json else {}
    print_facts(f"Search plan for {data}, {k} neighbors", facts, json=json)
    if not json:
        print_lines(preparation_lines(prepared))
