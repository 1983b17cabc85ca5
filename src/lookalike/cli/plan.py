"""`lookalike plan`: which index a search would use, and what it would cost."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli.options import Data, Json, K, Metric

Queries = Annotated[
    int | None, typer.Option("--queries", min=1, help="How many; all rows when absent.")
]
Target = Annotated[str | None, typer.Option(help="A column to leave out.")]


def plan(  # noqa: PLR0917 - typer reads the options off
    data: Data,
    k: K = 5,
    queries: Queries = None,
    metric: Metric = "euclidean",
    target: Target = None,
    json: Json = False,
) -> None:
    """Tell how the neighbors of the rows of DATA would be found, and in what time and memory.

    A sample is searched to tell the time; nothing is kept.

    Example: lookalike plan digits -k 10
    """
    from lookalike.cli.load_data import open_rows
    from lookalike.cli.output import Sheet, show, show_json
    from lookalike.index.plan import search_plan

    rows = open_rows(data, target=target).X
    found = search_plan(rows, k, n_queries=queries, metric=metric)
    told = {
        "rows": rows.shape[0],
        "columns": rows.shape[1],
        "index": found.index,
        "reason": found.reason,
        "seconds_to_build": found.build_seconds,
        "seconds_to_query": found.query_seconds,
        "bytes_beside_rows": found.memory,
    }
    if json:
        show_json(told)
    else:
        facts = [(name.replace("_", " "), value) for name, value in told.items()]
        show([Sheet(f"Plan for {data}, {k} neighbors", ("what", "value"), facts)])
