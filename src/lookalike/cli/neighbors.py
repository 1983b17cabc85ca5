"""`lookalike neighbors`: the nearest neighbors of every row."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli.options import Data, Drop, Json, K, Metric, OutCsv, Scale, TextColumn

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
    text: TextColumn = None,
    out: OutCsv = None,
    json: Json = False,
) -> None:
    """List the K nearest neighbors of every row of DATA, exactly as by brute force.

    Rows are numbered from 0; equal distances are ordered by row number. A row is not its own
    neighbor. With --json, one object per line. Documents are compared by their cosine in the
    components of latent semantic analysis.

    Example: lookalike neighbors iris -k 3

    Example: lookalike neighbors old.csv --query new.csv -o nearest.csv
    """
    from lookalike.cli.destination import check_destinations
    from lookalike.cli.load_data import load_numeric
    from lookalike.cli.output import print_json, print_note, print_paths, print_table, save_table
    from lookalike.data.csv_writer import write_csv
    from lookalike.models.neighbors.search import NearestNeighbors

    streamed = check_destinations(out, json=json)
    if query is None:
        table = load_numeric(data, drop=drop, scale=scale, text=text)
        rows, queries, of_texts = table.X, None, table.of_texts
    else:
        rows, queries, of_texts = _with_queries(data, query, drop, scale=scale, text=text)
    model = NearestNeighbors(n_neighbors=k, metric=metric)
    if of_texts:
        model = NearestNeighbors(k, metric="cosine", metric_params={"zero": "far"})
    model.fit(rows)
    lines = _lines(model, queries)
    if json:
        for line in lines:
            print_json(dict(zip(HEADINGS, line, strict=True)))
    elif out is not None:
        save_table(out, HEADINGS, lines)
        if not streamed:
            print_paths({"Neighbors": out})
    elif sys.stdout.isatty():
        title = f"Nearest neighbors of the rows of {query or data}"
        print_table(title, HEADINGS, list(islice(lines, SHOWN)))
        print_note(f"only the first {SHOWN} lines; give -o FILE or redirect the output for all.")
    else:
        write_csv(sys.stdout.buffer, HEADINGS, lines)


def _with_queries(
    data: str, query: str, drop: list[str] | None, *, scale: bool, text: str | None
) -> tuple[Any, Any, bool]:
    """Return the rows of two tables in the same features, and whether they are documents."""
    from lookalike.cli.load_data import open_argument, read_texts, table_preprocessor, text_column
    from lookalike.models.text.lsa import LSA

    source, other = open_argument(data, drop=drop), open_argument(query)
    column = text_column(source, text)
    if column is None:
        preprocessor = table_preprocessor(scale)
        return preprocessor.fit_transform(source), preprocessor.transform(other), False
    texts, _ = read_texts(source, column)
    queries, _ = read_texts(other, text_column(other, text) or column)
    lsa = LSA(weighting="tfidf").fit(texts)
    return lsa.transform(texts), lsa.transform(queries), True


def _lines(model: NearestNeighbors, queries: object) -> Iterator[tuple[Any, ...]]:
    distances, rows = model.kneighbors(queries)
    for number, (nearest, distance) in enumerate(zip(rows.tolist(), distances, strict=True)):
        for rank, pair in enumerate(zip(nearest, distance, strict=True), start=1):
            yield number, rank, *pair
