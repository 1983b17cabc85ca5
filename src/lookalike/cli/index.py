"""`lookalike index`: an exact index on disk, built, extended, shortened and described."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.options import Data, Drop, Json, Metric

IndexFolder = Annotated[Path, typer.Argument(help="The folder of an index.", metavar="INDEX")]
Out = Annotated[Path, typer.Option("--out", "-o", help="The folder of the new index.")]
Copy = Annotated[
    bool,
    typer.Option(
        "--copy", help="Copy the rows of an npy file too, in place of reading them there."
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(help="A column to keep for conditions (--where) and not to compare; repeatable."),
]
RowNumbers = Annotated[list[int], typer.Argument(help="Numbers of rows, from 0.", metavar="ROW...")]


def build(
    data: Data,
    *,
    out: Out,
    metric: Metric = "euclidean",
    drop: Drop = None,
    keep: Keep = None,
    copy: Copy = False,
) -> None:
    """Build an index of the rows of DATA, of any size, within --memory.

    The rows of an npy file stay where they are; of others the index has a copy. The metric is one
    that orders rows as a Euclidean distance does: euclidean, sqeuclidean, seuclidean,
    mahalanobis, cosine, correlation, haversine. An index that is there already is replaced once
    the new one is complete.

    Example: lookalike --memory 1GB index build rows.npy -o rows.index

    Example: lookalike index build items.parquet -o items.index --keep kind --keep price
    """
    from lookalike.cli.destination import require_other_files
    from lookalike.cli.load_data import open_argument
    from lookalike.index.disk.build import build_index_file

    require_other_files([out], (data,))
    source = open_argument(data, drop=drop)
    build_index_file(out, source, metric=metric, keep=keep or (), copy=copy)
    _describe(out)


def add(index: IndexFolder, data: Data, drop: Drop = None, copy: Copy = False) -> None:
    """Append the rows of DATA to an index; their numbers follow those of the rows there.

    Example: lookalike index add rows.index more.parquet
    """
    from lookalike.cli.load_data import open_argument
    from lookalike.index.exact import ExactIndex

    ExactIndex.open(index).add(open_argument(data, drop=drop), copy=copy)
    _describe(index)


def remove(index: IndexFolder, rows: RowNumbers) -> None:
    """Remove rows by number; rows after them get smaller numbers.

    Example: lookalike index remove rows.index 17 230
    """
    from lookalike.index.exact import ExactIndex

    ExactIndex.open(index).remove(rows)
    _describe(index)


def describe(index: IndexFolder, json: Json = False) -> None:
    """Show how many rows and bytes an index has, and its metric.

    Example: lookalike index info rows.index
    """
    _describe(index, json=json)


def _describe(index: Path, *, json: bool = False) -> None:
    from lookalike.cli.output import print_facts
    from lookalike.index.exact import ExactIndex

    opened = ExactIndex.open(index)
    facts: dict[str, object] = {
        "rows": opened.n_rows,
        "columns": opened.n_features,
        "metric": opened.metric.name,
        "code_bytes": opened.nbytes,
        "row_bytes": opened.row_bytes,
    }
    print_facts(f"Index {index}", facts, json=json)
