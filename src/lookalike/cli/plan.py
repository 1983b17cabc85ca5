"""`lookalike plan`: which index a search would use, and what it would cost."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli.options import Data, Drop, Json, K, Metric

Queries = Annotated[
    int | None, typer.Option("--queries", min=1, help="Number of queries; default: all rows.")
]


def plan(  # noqa: PLR0917 - typer reads the options off
    data: Data,
    k: K = 5,
    queries: Queries = None,
    metric: Metric = "euclidean",
    drop: Drop = None,
    json: Json = False,
) -> None:
    """Show which index would search the rows of DATA, and its expected time and memory.

    The time is extrapolated from a search of a sample.

    Example: lookalike plan digits -k 10
    """
    from lookalike.cli.load_data import load_numeric
    from lookalike.cli.output import print_json, print_table
    from lookalike.index.plan import search_plan

    rows = load_numeric(data, drop=drop).X
    result = search_plan(rows, k, n_queries=queries, metric=metric)
    facts = {
        "rows": rows.shape[0],
        "columns": rows.shape[1],
        "index": result.index,
        "reason": result.reason,
        "build_seconds": result.build_seconds,
        "query_seconds": result.query_seconds,
        "index_bytes": result.memory,
    }
    if json:
        print_json(facts)
    else:
        lines = [(name.replace("_", " "), value) for name, value in facts.items()]
        print_table(f"Search plan for {data}, {k} neighbors", ("field", "value"), lines)
