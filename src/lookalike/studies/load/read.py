"""Rows of any source read into memory, as many as the memory budget holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from lookalike.data.batches import gather, join, row_count
from lookalike.data.chunk import Chunk, Table
from lookalike.data.source import Source
from lookalike.data.sources.arrays import ArraySource
from lookalike.data.sources.page_release import mapped_file
from lookalike.decisions import Decisions
from lookalike.errors import ColumnError, ShapeError
from lookalike.missing import is_missing
from lookalike.settings import settings
from lookalike.studies.load.dataset import Dataset
from lookalike.typing import AnyArray, Rows
from lookalike.validation import few

MAX_ROWS_COMPARED = 200_000  # rows that models are compared on, where not all fit the memory budget
COPIES_OF_ROWS = 6  # of the rows that preparation, index and models hold between them
NUMBER_BYTES = 8  # bytes of a number
OBJECT_BYTES = 64  # bytes of a cell that is an object
TRUE_CELLS = ("true", "1", "1.0")
PIXEL_COLUMN = re.compile(r"pixel_(\d+)_(\d+)")


def read(
    source: Source,
    decisions: Decisions,
    *,
    seed: int,
    text: str | None = None,
    labeled: bool = True,
) -> Dataset:
    """Return the rows of `source` in memory; where they exceed the budget, a random part of them.

    Rows whose target is missing are kept apart, as `unlabeled`; where rows are not `labeled`,
    targets are not read.
    """
    kinds = {column.name: column.kind for column in source.columns}
    numbers = all(kind in ("number", "boolean") for kind in kinds.values())
    small = source.dtype.itemsize <= 2 or source.dtype == np.float32
    row_bytes = len(kinds) * (
        (NUMBER_BYTES // 2 if small else NUMBER_BYTES) if numbers else OBJECT_BYTES
    )
    fitting = max(1, settings().memory // (COPIES_OF_ROWS * row_bytes))
    many = source.n_rows is not None and source.n_rows > fitting and source.repeatable
    most = min(fitting, MAX_ROWS_COMPARED) if many else fitting
    pieces = _number_chunks(source, most) if numbers else source.tables()
    joined, row, n_rows = _sample(pieces, most, np.random.default_rng(seed))
    if n_rows > len(row):
        decisions.add(
            "rows",
            f"{len(row):,} of {n_rows:,}, random seed {seed}",
            f"all would not fit the memory budget of {settings().memory / 1e9:.3g} GB",
        )
    values: Any = joined.values if isinstance(joined, Table) else joined.X
    if sp.issparse(values):
        values = values.toarray()
        decisions.add("X", "dense", "the rows came sparse")
    image_shape = _image_shape(source)
    dataset = Dataset(
        values,
        kinds,
        row,
        joined.y if labeled else None,
        source.named,
        image_shape,
        text,
        sampled=n_rows > len(row),
        date_orders={
            column.name: column.date_order
            for column in source.columns
            if column.date_order is not None
        },
        given=getattr(source, "given_types", ()),
    )
    return _with_known_target(dataset, decisions)


def _number_chunks(source: Source, most: int) -> Iterator[Chunk]:
    """Give the rows; those of an array in memory that are all wanted in one piece, not copied."""
    in_memory = isinstance(source, ArraySource) and mapped_file(source.array) is None
    if not in_memory or (source.n_rows or 0) > most:
        yield from source.chunks()
        return
    chunk = gather(source)
    rows = chunk.X.view()
    rows.flags.writeable = False
    yield chunk._replace(X=rows)


def split_off(dataset: Dataset, name: str) -> tuple[Dataset, AnyArray]:
    """Return the rows without the column `name`, and which of them it marks as test rows."""
    if name not in dataset.kinds:
        raise ColumnError(
            f"split={name!r} is not a column; there are {few(dataset.names, text=str)}. "
            "Name the column that marks rows as train or test."
        )
    values = [str(value).strip().lower() for value in dataset.column(name)]
    distinct = set(values)
    test = np.array([value.startswith(("test", "kept")) or value in TRUE_CELLS for value in values])
    if len(distinct) != 2 or not test.any() or test.all():
        raise ColumnError(
            f"split={name!r} holds {few(sorted(distinct), 6, str)}. Give a column of two "
            "values, train and test (or False and True)."
        )
    return _as_images(dataset.without(name)), test


def _as_images(dataset: Dataset) -> Dataset:
    """Return rows as images where pixels are all that is left of their columns."""
    shape = _shape_of_pixels(dataset.names)
    if dataset.image_shape is not None or shape is None:
        return dataset
    rows = np.column_stack([dataset.column(name) for name in dataset.names]).astype(np.float64)
    return replace(dataset, rows=rows, image_shape=shape)


def _image_shape(source: Source) -> tuple[int, ...] | None:
    """Return height and width of rows that are images, by the source or by its column names."""
    shape: tuple[int, ...] | None = getattr(source, "image_shape", None)
    if shape is not None:
        return shape
    return _shape_of_pixels([column.name for column in source.columns])


def _shape_of_pixels(names: list[str]) -> tuple[int, ...] | None:
    """Return height and width of images whose pixels have these names; None for other names."""
    matches = [PIXEL_COLUMN.fullmatch(name) for name in names]
    if not matches or not all(matches):
        return None
    pixels = [(int(match[1]), int(match[2])) for match in matches if match]
    height, width = (max(part) + 1 for part in zip(*pixels, strict=True))
    complete = pixels == [(row, column) for row in range(height) for column in range(width)]
    return (height, width) if complete else None


def _sample(pieces: Any, most: int, rng: np.random.Generator) -> tuple[Chunk | Table, Rows, int]:
    """Return at most `most` rows, each as likely as any, with their numbers, and how many came.

    Each row draws a number; those of the smallest numbers are kept, so that one pass is enough.
    A row whose number is larger than that of as many as are kept already is dropped at once.
    """
    kept: list[Any] = []
    numbers: list[Rows] = []
    draws: list[AnyArray] = []
    n_rows, largest = 0, np.inf
    for piece in pieces:
        length = row_count(piece)
        drawn = rng.random(length)
        rows = np.flatnonzero(drawn < largest)
        kept.append(piece if len(rows) == length else _take(piece, rows))
        numbers.append(n_rows + rows)
        draws.append(drawn[rows])
        n_rows += length
        if sum(map(len, numbers)) > 2 * most:
            kept, numbers, draws = _thin(kept, numbers, draws, most)
            largest = draws[0].max()
    if sum(map(len, numbers)) > most:
        kept, numbers, draws = _thin(kept, numbers, draws, most)
    if not kept:
        raise ShapeError("There are no rows. Give at least one row.")
    return join(kept), np.concatenate(numbers), n_rows


def _thin(kept: list[Any], numbers: list[Rows], draws: list[AnyArray], most: int) -> Any:
    drawn = np.concatenate(draws)
    rows = np.sort(np.argsort(drawn, kind="stable")[:most])
    return [_take(join(kept), rows)], [np.concatenate(numbers)[rows]], [drawn[rows]]


def _take(piece: Any, rows: Rows) -> object:
    """Return some rows of a piece, as a copy."""
    if isinstance(piece, Chunk):
        part = piece._replace(X=piece.X[rows])
    else:
        part = piece._replace(values={name: column[rows] for name, column in piece.values.items()})
    return part._replace(y=None if piece.y is None else piece.y[rows])


def _with_known_target(dataset: Dataset, decisions: Decisions) -> Dataset:
    """Return the rows whose target is not missing, the others kept apart."""
    if dataset.y is None:
        return dataset
    if dataset.y.ndim != 1:
        raise ShapeError(f"y has shape {dataset.y.shape}. Study one target at a time.")
    known = np.array([not is_missing(value) for value in dataset.y.tolist()])
    if known.all():
        return dataset
    if not known.any():
        raise ShapeError("The target is missing in every row. Give rows with a target.")
    n_missing = int(np.count_nonzero(~known))
    decisions.add("rows", f"{n_missing:,} left out", "their target is missing")
    y = dataset.y[known]
    if all(isinstance(value, bool) for value in y.tolist()):  # objects, because some were missing
        y = y.astype(bool)
    unlabeled = replace(dataset.take(np.flatnonzero(~known)), y=None)
    return replace(dataset.take(np.flatnonzero(known)), y=y, unlabeled=unlabeled)
