"""`lookalike neighbors`: the nearest rows of every row."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.options import Data, Json, K, Metric, OutCsv, Scale

if TYPE_CHECKING:
    from lookalike.models.neighbors.search import NearestNeighbors

SHOWN = 20
NAMES = ("row", "rank", "neighbor", "distance")
Target = Annotated[str | None, typer.Option(help="A column to leave out.")]
Query = Annotated[
    str | None, typer.Option(help="Ask for the neighbors of these rows in place of DATA's own.")
]


def neighbors(  # noqa: PLR0917 - typer reads the options off
    data: Data,
    k: K = 5,
    query: Query = None,
    metric: Metric = "euclidean",
    scale: Scale = False,
    target: Target = None,
    out: OutCsv = None,
    json: Json = False,
) -> None:
    """List the K nearest rows of every row of DATA: exactly those of the slow scan.

    Rows are numbered from 0; equal distances come in the order of their numbers. A row is not
    its own neighbor. With --json, one object a line.

    Example: lookalike neighbors iris -k 3

    Example: lookalike neighbors old.csv --query new.csv -o nearest.csv
    """
    from lookalike.cli.load_data import open_argument, open_rows
    from lookalike.cli.output import Sheet, note, save_csv, show, show_json
    from lookalike.data.csv_writer import write_csv
    from lookalike.models.neighbors.search import NearestNeighbors
    from lookalike.models.preprocessing.table import TablePreprocessor

    if query is None:
        rows = open_rows(data, target=target, scale=scale).X
        model, asked = NearestNeighbors(n_neighbors=k, metric=metric).fit(rows), None
    else:
        preparer = TablePreprocessor(scale="zscore" if scale else "none")
        known = preparer.fit_transform(open_argument(data, target=target))
        model = NearestNeighbors(n_neighbors=k, metric=metric).fit(known)
        asked = preparer.transform(open_argument(query))
    lines = _lines(model, asked)
    if json:
        for line in lines:
            show_json(dict(zip(NAMES, line, strict=True)))
    elif out is not None:
        save_csv(out, NAMES, lines)
        show([f"Neighbors: {out}"])
    elif sys.stdout.isatty():
        show([Sheet(f"Nearest rows of {query or data}", NAMES, list(islice(lines, SHOWN)))])
        note("the first lines; give -o FILE, or send the output into a file, for all.")
    else:
        write_csv(sys.stdout.buffer, NAMES, lines)


def _lines(model: NearestNeighbors, asked: Any) -> Iterator[tuple[Any, ...]]:
    distance, row = model.kneighbors(asked)
    for number, (found, far) in enumerate(zip(row.tolist(), distance, strict=True)):
        for rank, (neighbor, gap) in enumerate(zip(found, far, strict=True), start=1):
            yield number, rank, neighbor, gap
