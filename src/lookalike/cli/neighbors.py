"""`lookalike neighbors`: the nearest neighbors of every row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import ComparedColumns, Data, Metric, NeighborCount, OutputOptions, Scale

if TYPE_CHECKING:
    from lookalike.data.source import Source
    from lookalike.index.disk.index import DiskIndex
    from lookalike.models.neighbors.neighbor_file import Block
    from lookalike.studies.prepare_rows import ComparedRows
    from lookalike.typing import AnyArray

NEIGHBOR_HEADINGS = ("row", "rank", "neighbor", "distance")
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
    k: NeighborCount = 5,
    query: Query = None,
    metric: Metric = "euclidean",
    scale: Scale = None,
    index: OnDisk = None,
    where: Where = None,
    columns: ComparedColumns,
    output: OutputOptions,
) -> None:
    """List the K nearest neighbors of every row of DATA, exactly as by brute force.

    Rows are prepared as a study prepares them, and standard error says how: the target, identifiers
    and constant columns are left out, numbers are z-scores (--scale none leaves them in their own
    units), categories one-hot encoded, missing numbers imputed with the mean; text is its tf-idf
    components, and rows of text alone are compared by their cosine in the components of latent
    semantic analysis. Rows are numbered from 0; equal distances are ordered by row number. A row is
    not its own neighbor. Rows and queries may be larger than memory: they are read, searched and
    written in chunks. With --json, one object per line.

    Example: lookalike neighbors iris -k 3

    Example: lookalike neighbors old.csv --query new.csv -o nearest.csv

    Example: lookalike neighbors table.csv --target species --scale none

    Example: lookalike neighbors queries.npy --index rows.index -k 10

    Example: lookalike neighbors q.csv --index items.index --where "price < 10 and kind == 'a'"
    """
    from lookalike.cli.destination import check_destinations
    from lookalike.cli.output import output_columns
    from lookalike.models.neighbors.neighbor_file import neighbor_columns

    check_destinations(output.file, json=output.json, inputs=(data, query, index))
    if index is not None:
        others = (query, columns.text, columns.target, scale)
        blocks = _on_disk(data, index, k, columns.drop, where, metric=metric, others=others)
    else:
        blocks = _by_model(data, k, query, metric, where, columns=columns, scale=scale)
    title = f"Nearest neighbors of the rows of {query or data}"
    pieces = map(neighbor_columns, blocks)
    output_columns(NEIGHBOR_HEADINGS, pieces, output, title=title, label="Neighbors")


def _by_model(
    data: str,
    k: int,
    query: str | None,
    metric: str,
    where: str | None,
    *,
    columns: ComparedColumns,
    scale: str | None,
) -> Iterator[Block]:
    """Give the neighbors among rows in memory, or in their files where they do not fit."""
    from lookalike.cli.load_data import open_argument
    from lookalike.cli.prepare import load_prepared, note_preparation
    from lookalike.models.neighbors.neighbor_file import neighbor_blocks
    from lookalike.models.neighbors.search import NearestNeighbors

    other = None if query is None else open_argument(query)
    prepared = load_prepared(data, columns, scale=scale, metric=metric)
    note_preparation(prepared)
    model = NearestNeighbors(k, **prepared.search).fit(prepared.feature_source())
    allowed = _rows_where(prepared.source, where)
    if other is not None and prepared.text:
        other = _documents(other, prepared, columns.text)
    return neighbor_blocks(model, other, k, allowed, partial(_prepare, prepared))


def _prepare(prepared: ComparedRows, queries: Source) -> object:
    """Return queries as the rows were prepared; as they are where nothing is changed."""
    import numpy as np

    from lookalike.data.sources.pieces import is_numeric

    alike = [column.name for column in queries.columns] == [
        column.name for column in prepared.source.columns
    ]
    if prepared.unchanged and alike and is_numeric(queries):
        if not prepared.in_memory:
            return queries
        X = next(queries.chunks(queries.n_rows)).X
        if X.dtype.kind in "iub" or not np.isnan(X).any():
            return X
    return prepared.preprocessor.transform(queries)


def _documents(other: Source, prepared: ComparedRows, text: str | None) -> Source:
    """Return documents that are queries under the name of the column that was read."""
    import numpy as np

    from lookalike.cli.load_data import read_texts, text_column
    from lookalike.data.sources.columns_source import ColumnsSource

    column = str(prepared.preprocessor.column or prepared.source.columns[0].name)
    texts, _ = read_texts(other, text_column(other, text) or column)
    return ColumnsSource({column: np.array(texts, dtype=object)}, {column: "text"})


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
            "--text, --target and --scale."
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
    from lookalike.data.sources.pieces import chunks_ahead

    read, count = Counter[str](), 0
    for chunk in chunks_ahead(queries):
        neighbors, stats = opened.query_with_stats(chunk.X, k, where=allowed)
        read.update({name: int(value) for name, value in stats.items()})
        count += chunk.X.shape[0]
        yield chunk.offset, *neighbors
    print_note(
        f"read {read['codes'] / 1e6:,.2f} MB of codes and {read['n_rows']:,} rows, "
        f"{(read['codes'] + read['rows']) / max(count, 1) / 1e6:,.3f} MB a query."
    )
