"""`lookalike neighbors`: the nearest neighbors of every row."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.options import Data, Drop, Json, K, Metric, OutCsv, Scale

if TYPE_CHECKING:
    from lookalike.models.neighbors.search import NearestNeighbors

SHOWN = 20  # lines on a terminal
HEADINGS = ("row", "rank", "neighbor", "distance")
Query = Annotated[
    str | None, typer.Option(help="Find the neighbors of these rows in place of DATA's own.")
]


def neighbors(  # noqa: PLR0917 - typer reads the options off
    data: Data,
    k: K = 5,
    query: Query = None,
    metric: Metric = "euclidean",
    scale: Scale = False,
    drop: Drop = None,
    out: OutCsv = None,
    json: Json = False,
) -> None:
    """List the K nearest neighbors of every row of DATA, exactly as by brute force.

    Rows are numbered from 0; equal distances are ordered by row number. A row is not its own
    neighbor. With --json, one object per line.

    Example: lookalike neighbors iris -k 3

    Example: lookalike neighbors old.csv --query new.csv -o nearest.csv
    """
    from lookalike.cli.destination import check_destinations
    from lookalike.cli.load_data import load_numeric, open_argument
    from lookalike.cli.output import print_json, print_note, print_paths, print_table, save_csv
    from lookalike.data.csv_writer import write_csv
    from lookalike.models.neighbors.search import NearestNeighbors
    from lookalike.models.preprocessing.table import TablePreprocessor

    streamed = check_destinations(out, json=json)
    if query is None:
        rows, queries = load_numeric(data, drop=drop, scale=scale).X, None
    else:
        preprocessor = TablePreprocessor(scale="zscore" if scale else "none")
        rows = preprocessor.fit_transform(open_argument(data, drop=drop))
        queries = preprocessor.transform(open_argument(query))
    model = NearestNeighbors(n_neighbors=k, metric=metric).fit(rows)
    lines = _lines(model, queries)
    if json:
        for line in lines:
            print_json(dict(zip(HEADINGS, line, strict=True)))
    elif out is not None:
        save_csv(out, HEADINGS, lines)
        if not streamed:
            print_paths({"Neighbors": out})
    elif sys.stdout.isatty():
        title = f"Nearest neighbors of the rows of {query or data}"
        print_table(title, HEADINGS, list(islice(lines, SHOWN)))
        print_note(f"only the first {SHOWN} lines; give -o FILE or redirect the output for all.")
    else:
        write_csv(sys.stdout.buffer, HEADINGS, lines)


def _lines(model: NearestNeighbors, queries: object) -> Iterator[tuple[Any, ...]]:
    distances, rows = model.kneighbors(queries)
    for number, (nearest, distance) in enumerate(zip(rows.tolist(), distances, strict=True)):
        for rank, pair in enumerate(zip(nearest, distance, strict=True), start=1):
            yield number, rank, *pair
