"""Opens a DATA argument: a sample of the package, or a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lookalike.cli.options import file_options
from lookalike.cli.output import print_note
from lookalike.data.batches import gather, gather_table
from lookalike.data.columns_source import ColumnsSource
from lookalike.data.samples import BUNDLED, sample
from lookalike.data.source import Source, open_source
from lookalike.errors import ColumnError, ParameterError
from lookalike.typing import AnyArray

NUMERIC = ("number", "boolean")


def open_argument(
    name: str, *, target: str | None = None, drop: Sequence[str] | None = None, **choice: Any
) -> Source:
    """Return the rows of a DATA argument; a file that is named as a sample is ``./name``.

    `target` is the column to predict, `drop` lists columns to leave out; a command has one of
    the two options.
    """
    if name in BUNDLED:
        return _open_sample(name, target=target, drop=drop)
    try:
        source = open_source(name, target=target or drop or None, **choice, **file_options())
    except ColumnError as error:
        option = "--drop" if drop else "--target"
        raise ColumnError(re.sub(r"^target(?=[ =])", option, str(error))) from error
    for decision in getattr(source, "decisions", ()):
        print_note(f"{decision}.")
    return source


def _open_sample(name: str, *, target: str | None, drop: Sequence[str] | None) -> Source:
    if options := file_options():
        raise ParameterError(f"--{next(iter(options))} is for files, and {name} is a sample.")
    if target is not None:
        raise ParameterError(
            f"--target {target}: the sample {name} has its own target. Leave the option out."
        )
    if drop:
        raise ParameterError(f"--drop is for files, and {name} is a sample. Leave the option out.")
    return sample(name)


class NumericTable(NamedTuple):
    """All rows of a table as numbers."""

    X: AnyArray  # (rows, columns)
    y: AnyArray | None  # the target
    names: list[str]


def load_numeric(
    name: str,
    *,
    target: str | None = None,
    drop: Sequence[str] | None = None,
    scale: bool = False,
) -> NumericTable:
    """Return all rows as numbers.

    Categories are one-hot encoded, missing numbers replaced by the mean of their column, and text
    columns left out; a note names each.
    """
    from lookalike.models.preprocessing.table import TablePreprocessor

    source = open_argument(name, target=target, drop=drop)
    preprocessor = TablePreprocessor(scale="zscore" if scale else "none")
    names = [column.name for column in source.columns]
    if all(column.kind in NUMERIC for column in source.columns):
        chunk = gather(source)
        missing = chunk.X.dtype.kind == "f" and bool(np.isnan(chunk.X).any())
        if not missing and not scale:
            return NumericTable(chunk.X, chunk.y, names)
        if missing:
            print_note("missing numbers are replaced by the mean of their column.")
        return NumericTable(preprocessor.fit_transform(chunk.X), chunk.y, names)
    table = gather_table(source)
    columns = ColumnsSource(table.values, {column.name: column.kind for column in source.columns})
    Z = np.asarray(preprocessor.fit_transform(columns))
    for kind, words in (("category", "are one-hot encoded"), ("text", "are left out")):
        if some := [column.name for column in source.columns if column.kind == kind]:
            print_note(f"{kind} columns {words}: {', '.join(some)}.")
    return NumericTable(Z, table.y, [str(one) for one in preprocessor.get_feature_names_out()])


def require_target(table: NumericTable, name: str) -> NumericTable:
    """Return the table, which must have a target."""
    if table.y is None:
        raise ParameterError(f"{name} has no target. Give --target and the name of a column.")
    return table
