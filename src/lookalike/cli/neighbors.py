"""`lookalike neighbors`: the nearest neighbors of every row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import ColumnOptions, Data, K, Metric, OutputOptions, Scale

if TYPE_CHECKING:
    from lookalike.data.source import Source
    from lookalike.index.disk.index import DiskIndex
    from lookalike.models.neighbors.neighbor_file import Block
    from lookalike.models.preprocessing.table import TablePreprocessor
    from lookalike.typing import AnyArray

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


def neighbors(
    data: Data,
    *,
    k: K = 5,
    query: Query = None,
    metric: Metric = "euclidean",
    scale: Scale = False,
    index: OnDisk = None,
    where: Where = None,
    columns: ColumnOptions,
    output: OutputOptions,
) -> None:
    """List the K nearest neighbors of every row of DATA, exactly as by brute force.

    Rows are numbered from 0; equal distances are ordered by row number. A row is not its own
    neighbor. Rows and queries may be larger than memory: they are read, searched and written in
    chunks. With --json, one object per line. Documents are compared by their cosine in the
    components of latent semantic analysis.

    Example: lookalike neighbors iris -k 3

    Example: lookalike neighbors old.csv --query new.csv -o nearest.csv

    Example: lookalike neighbors queries.npy --index rows.index -k 10

    Example: lookalike neighbors q.csv --index items.index --where "price < 10 and kind == 'a'"
    """
    from lookalike.cli.destination import check_destinations
    from lookalike.cli.output import output_columns
    from lookalike.models.neighbors.neighbor_file import neighbor_columns

    check_destinations(output.file, json=output.json)
    if index is not None:
        others = (query, columns.text, scale or None)
        blocks = _on_disk(data, index, k, columns.drop, where, metric=metric, others=others)
    else:
        blocks = _by_model(data, k, query, metric, where, columns=columns, scale=scale)
    title = f"Nearest neighbors of the rows of {query or data}"
    pieces = map(neighbor_columns, blocks)
    output_columns(HEADINGS, pieces, output, title=title, label="Neighbors")


def _by_model(
    data: str,
    k: int,
    query: str | None,
    metric: str,
    where: str | None,
    *,
    columns: ColumnOptions,
    scale: bool,
) -> Iterator[Block]:
    """Give the neighbors among rows in memory, or in their files where they do not fit."""
    from lookalike.cli.load_data import (
        numeric_table,
        open_argument,
        open_columns,
        require_unscaled,
        table_preprocessor,
    )
    from lookalike.errors import ParameterError
    from lookalike.models.neighbors.neighbor_file import neighbor_blocks
    from lookalike.models.neighbors.search import NearestNeighbors

    (source, column), text = open_columns(data, columns), columns.text
    other = None if query is None else open_argument(query)
    model = NearestNeighbors(n_neighbors=k, metric=metric)
    if column is not None:
        require_unscaled(column, scale)
        if metric not in ("euclidean", "cosine"):
            raise ParameterError(
                f"--metric {metric} is given, and the documents of {column} are compared by their "
                "cosine. Leave the option out."
            )
        rows, queries = _documents(source, other, column, text)
        model = NearestNeighbors(k, metric="cosine", metric_params={"zero": "far"}).fit(rows)
        return neighbor_blocks(model, queries, k, _rows_where(source, where))
    if not scale and _exceeds_memory(source):
        return neighbor_blocks(model.fit(source), other, k, _rows_where(source, where))
    if other is None:
        model.fit(numeric_table(source, scale=scale, text=text)[0])
        return neighbor_blocks(model, None, k, _rows_where(source, where))
    preprocessor = table_preprocessor(scale)
    model.fit(preprocessor.fit_transform(source))
    same = not scale and _are_numbers_alike(source, other)
    prepare = partial(_complete_rows, preprocessor) if same else preprocessor.transform
    return neighbor_blocks(model, other, k, _rows_where(source, where), prepare)


def _are_numbers_alike(source: Source, other: Source) -> bool:
    """Return whether both tables have numbers only, in the same columns in the same order."""
    from lookalike.data.pieces import is_numeric

    names = [[column.name for column in one.columns] for one in (source, other)]
    alike = names[0] == names[1] and source.named == other.named
    return alike and is_numeric(source) and is_numeric(other)


def _complete_rows(preprocessor: TablePreprocessor, rows: Source) -> object:
    """Return floats that lack no value as they are; what lacks some is prepared."""
    import numpy as np

    X = next(rows.chunks(rows.n_rows)).X
    with np.errstate(over="ignore", invalid="ignore"):
        complete = X.dtype in (np.float32, np.float64) and bool(np.isfinite(X.sum()))
    return X if complete else preprocessor.transform(rows)


def _exceeds_memory(source: Source) -> bool:
    """Return whether rows are numbers that are searched in their files."""
    from lookalike.data.pieces import is_numeric
    from lookalike.settings import settings

    size = (source.n_rows or 0) * source.n_features * 8
    return source.repeatable and is_numeric(source) and size > settings().memory // 2


def _rows_where(source: Source, where: str | None) -> AnyArray | None:
    """Return which rows of DATA satisfy a condition on its columns."""
    import numpy as np

    from lookalike.data.predicate import rows_where

    if where is None:
        return None
    return np.concatenate([rows_where(where, table.values) for table in source.tables()])


def _on_disk(
    data: str,
    index: str,
    k: int,
    drop: list[str] | None,
    where: str | None,
    *,
    metric: str,
    others: tuple[object, ...],
) -> Iterator[Block]:
    """Give the neighbors among the rows of an index, chunk by chunk of queries."""
    from lookalike.cli.load_data import open_argument
    from lookalike.errors import ParameterError
    from lookalike.index.exact import ExactIndex

    if any(option is not None for option in others):
        raise ParameterError(
            "--index has its rows and metric already, and DATA are the queries. Leave out --query, "
            "--text and --scale."
        )
    opened = ExactIndex.open(index)
    if metric not in ("euclidean", opened.metric.name):
        raise ParameterError(
            f"--metric {metric} is given, and the index was built by {opened.metric.name}. Leave "
            "the option out, or build an index by that metric."
        )
    source = open_argument(data, drop=drop)
    allowed = None if where is None else opened.rows_where(where)
    return _search_disk(opened, opened.compared_columns(source), k, allowed)


def _search_disk(
    opened: DiskIndex, queries: Source, k: int, allowed: AnyArray | None
) -> Iterator[Block]:
    """Give the neighbors of each chunk of queries; say at the end what was read."""
    from lookalike.cli.output import print_note
    from lookalike.data.pieces import chunks_ahead

    read, count = Counter[str](), 0
    for chunk in chunks_ahead(queries):
        found, stats = opened.query_with_stats(chunk.X, k, where=allowed)
        read.update({name: int(value) for name, value in stats.items()})
        count += chunk.X.shape[0]
        yield chunk.offset, *found
    print_note(
        f"read {read['codes'] / 1e6:,.2f} MB of codes and {read['n_rows']:,} rows, "
        f"{(read['codes'] + read['rows']) / max(count, 1) / 1e6:,.3f} MB a query."
    )


def _documents(
    source: Source, other: Source | None, column: str, text: str | None
) -> tuple[object, object]:
    """Return the documents of two tables in the components of one latent semantic analysis."""
    from lookalike.cli.load_data import read_texts, text_column
    from lookalike.cli.output import print_note
    from lookalike.models.text.lsa import LSA

    texts, _ = read_texts(source, column)
    lsa = LSA(weighting="tfidf").fit(texts)
    rows = lsa.transform(texts)
    print_note(f"documents of {column} are compared by {rows.shape[1]} components of LSA.")
    if other is None:
        return rows, None
    queries, _ = read_texts(other, text_column(other, text) or column)
    return rows, lsa.transform(queries)
