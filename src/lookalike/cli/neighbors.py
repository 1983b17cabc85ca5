"""`lookalike neighbors`: the nearest neighbors of every row."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any

import typer

from lookalike.cli.options import Data, Drop, Json, K, Metric, OutCsv, Scale, TextColumn

SHOWN = 20  # lines on a terminal
HEADINGS = ("row", "rank", "neighbor", "distance")
Query = Annotated[
    str | None, typer.Option(help="Find the neighbors of these rows in place of DATA's own.")
]
OnDisk = Annotated[
    str | None,
    typer.Option("--index", help="Find the neighbors of DATA among the rows of this index."),
]
Where = Annotated[
    str | None,
    typer.Option(help="Neighbors are the rows that satisfy this, for example 'age > 30'."),
]


def neighbors(  # noqa: PLR0917 - typer reads the options off
    data: Data,
    k: K = 5,
    query: Query = None,
    metric: Metric = "euclidean",
    scale: Scale = False,
    drop: Drop = None,
    text: TextColumn = None,
    index: OnDisk = None,
    where: Where = None,
    out: OutCsv = None,
    json: Json = False,
) -> None:
    """List the K nearest neighbors of every row of DATA, exactly as by brute force.

    Rows are numbered from 0; equal distances are ordered by row number. A row is not its own
    neighbor. With --json, one object per line. Documents are compared by their cosine in the
    components of latent semantic analysis.

    Example: lookalike neighbors iris -k 3

    Example: lookalike neighbors old.csv --query new.csv -o nearest.csv

    Example: lookalike neighbors queries.npy --index rows.index -k 10
    """
    from lookalike.cli.destination import check_destinations
    from lookalike.cli.output import print_json, print_note, print_paths, print_table, save_table
    from lookalike.data.csv_writer import write_csv

    streamed = check_destinations(out, json=json)
    if index is not None:
        others = (query, where, text, scale or None)
        lines = _on_disk(data, index, k, drop, metric=metric, others=others)
    else:
        lines = _in_memory(data, k, query, metric, where, drop=drop, scale=scale, text=text)
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


def _in_memory(
    data: str,
    k: int,
    query: str | None,
    metric: str,
    where: str | None,
    *,
    drop: list[str] | None,
    scale: bool,
    text: str | None,
) -> Iterator[tuple[Any, ...]]:
    """Give the lines of the neighbors among rows that are read into memory."""
    from lookalike.cli.load_data import load_numeric
    from lookalike.models.neighbors.search import NearestNeighbors

    if query is None:
        table = load_numeric(data, drop=drop, scale=scale, text=text)
        rows, queries, of_texts = table.X, None, table.of_texts
    else:
        rows, queries, of_texts = _with_queries(data, query, drop, scale=scale, text=text)
    model = NearestNeighbors(n_neighbors=k, metric=metric)
    if of_texts:
        model = NearestNeighbors(k, metric="cosine", metric_params={"zero": "far"})
    model.fit(rows)
    allowed = None if where is None else _rows_where(data, drop, where)
    return _lines(*model.kneighbors(queries, where=allowed))


def _rows_where(data: str, drop: list[str] | None, where: str) -> Any:
    """Return which rows of DATA satisfy a condition on its columns."""
    from lookalike.cli.load_data import open_argument
    from lookalike.data.batches import gather_table
    from lookalike.data.predicate import rows_where

    return rows_where(where, gather_table(open_argument(data, drop=drop)).values)


def _on_disk(
    data: str,
    index: str,
    k: int,
    drop: list[str] | None,
    *,
    metric: str,
    others: tuple[Any, ...],
) -> Iterator[tuple[Any, ...]]:
    """Give the lines of the neighbors among the rows of an index, chunk by chunk of queries."""
    from lookalike.cli.load_data import open_argument
    from lookalike.errors import ParameterError
    from lookalike.index.exact import ExactIndex

    if any(option is not None for option in others):
        raise ParameterError(
            "--index has its rows and metric already, and DATA are the queries. Leave out --query, "
            "--where, --text and --scale."
        )
    opened = ExactIndex.open(index)
    if metric not in ("euclidean", opened.metric.name):
        raise ParameterError(
            f"--metric {metric} is given, and the index was built by {opened.metric.name}. Leave "
            "the option out, or build an index by that metric."
        )
    source = open_argument(data, drop=drop)
    return (
        line
        for chunk in source.chunks()
        for line in _lines(*opened.query(chunk.X, k), first=chunk.offset)
    )


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


def _lines(distances: Any, rows: Any, first: int = 0) -> Iterator[tuple[Any, ...]]:
    for number, (nearest, distance) in enumerate(zip(rows.tolist(), distances, strict=True)):
        for rank, pair in enumerate(zip(nearest, distance, strict=True), start=1):
            yield first + number, rank, *pair
