"""What a DATA argument names: a sample that comes along, or a file."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.cli.options import dialect
from lookalike.cli.output import note
from lookalike.data.batches import gather, join
from lookalike.data.columns_source import ColumnsSource
from lookalike.data.samples import BUNDLED, sample
from lookalike.data.source import Source, open_source
from lookalike.errors import ParameterError

NUMERIC = ("number", "boolean")


def open_argument(name: str, *, target: str | None = None, **choice: Any) -> Source:
    """Return the rows that `name` stands for; a file named as a sample is given as ``./name``."""
    if name not in BUNDLED:
        source = open_source(name, target=target, **choice, **dialect())
        for decision in getattr(source, "decisions", ()):
            note(f"{decision}.")
        return source
    if given := dialect():
        raise ParameterError(f"--{next(iter(given))} is of files, and {name} is a sample.")
    if target is not None:
        raise ParameterError(f"--target {target}: the sample {name} brings its own. Leave it out.")
    return sample(name)


class Rows(NamedTuple):
    """All rows of a table as numbers."""

    X: Any  # (rows, columns)
    y: Any  # the target, or None
    names: list[str]


def open_rows(name: str, *, target: str | None = None, scale: bool = False) -> Rows:
    """Return all rows as numbers.

    Categories become columns of 0 and 1, missing numbers the mean of their column, and text is
    left out; each is told.
    """
    from lookalike.models.preprocessing.table import TablePreprocessor

    source = open_argument(name, target=target)
    preparer = TablePreprocessor(scale="zscore" if scale else "none")
    names = [column.name for column in source.columns]
    if all(column.kind in NUMERIC for column in source.columns):
        chunk = gather(source)
        gaps = chunk.X.dtype.kind == "f" and bool(np.isnan(chunk.X).any())
        if not gaps and not scale:
            return Rows(chunk.X, chunk.y, names)
        if gaps:
            note("missing numbers are taken as the mean of their column.")
        return Rows(preparer.fit_transform(chunk.X), chunk.y, names)
    table = join(list(source.tables()))
    held = ColumnsSource(table.values, {column.name: column.kind for column in source.columns})
    Z = np.asarray(preparer.fit_transform(held))
    for kind, words in (("category", "become columns of 0 and 1"), ("text", "are left out")):
        if found := [column.name for column in source.columns if column.kind == kind]:
            note(f"columns of {kind} {words}: {', '.join(found)}.")
    return Rows(Z, table.y, [str(one) for one in preparer.get_feature_names_out()])


def require_target(rows: Rows, name: str) -> Rows:
    """Return the rows, which must have a target."""
    if rows.y is None:
        raise ParameterError(f"{name} brings no target. Give --target and the name of a column.")
    return rows
