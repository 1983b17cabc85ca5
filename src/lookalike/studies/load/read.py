"""Rows of any source brought into memory, as many as the budget holds, with target and split."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from lookalike.data.batches import join, row_count
from lookalike.data.chunk import Chunk, Table
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import ColumnError, ShapeError
from lookalike.missing import is_missing
from lookalike.settings import settings
from lookalike.studies.load.dataset import Material
from lookalike.typing import AnyArray, Rows

COPIES = 6  # of the rows that preparation, index and models hold between them
CELL = 8  # bytes of a number
WORD = 64  # bytes of a cell that is an object
TRUE = ("true", "1", "1.0")
PIXEL = re.compile(r"pixel_(\d+)_(\d+)")


@dataclass(frozen=True)
class Reading:
    """Rows that were read: what they are, what is to be told of them, and their numbers."""

    material: Material
    y: AnyArray | None
    row: Rows

    def __len__(self) -> int:
        return len(self.row)

    def take(self, rows: Rows) -> Reading:
        """Return some of the rows."""
        y = None if self.y is None else self.y[rows]
        return Reading(self.material.take(rows), y, self.row[rows])


def read(source: Source, decisions: Decisions, *, seed: int, text: str | None = None) -> Reading:
    """Return the rows of `source` in memory; where they exceed the budget, a random part of them.

    Rows whose target is missing are left out.
    """
    kinds = {column.name: column.kind for column in source.columns}
    numbers = all(kind in ("number", "boolean") for kind in kinds.values())
    small = source.dtype.itemsize <= 2 or source.dtype == np.float32
    row_bytes = len(kinds) * ((CELL // 2 if small else CELL) if numbers else WORD)
    most = max(1, settings().memory // (COPIES * row_bytes))
    pieces = source.chunks() if numbers else source.tables()
    joined, row, n_rows = _sampled(pieces, most, np.random.default_rng(seed))
    if n_rows > len(row):
        decisions.add(
            "rows",
            f"{len(row)} of {n_rows}, drawn with seed {seed}",
            f"more would not fit the memory budget of {settings().memory / 1e9:.3g} GB",
        )
    held: Any = joined.values if isinstance(joined, Table) else joined.X
    if sp.issparse(held):
        held = held.toarray()
        decisions.add("X", "dense", "the rows came sparse")
    material = Material(held, kinds, source.named, _image_shape(source), text)
    return _with_target(Reading(material, joined.y, row), decisions)


def split_off(reading: Reading, name: str) -> tuple[Reading, AnyArray]:
    """Return the rows without the column `name`, and which of them it says are for testing."""
    if name not in reading.material.kinds:
        raise ColumnError(
            f"split={name!r} is no column; there are {', '.join(reading.material.names[:12])}. "
            "Name the column that says train or test."
        )
    values = [str(value).strip().lower() for value in reading.material.column(name)]
    found = set(values)
    test = np.array([value.startswith(("test", "held")) or value in TRUE for value in values])
    if len(found) != 2 or not test.any() or test.all():
        raise ColumnError(
            f"split={name!r} holds {', '.join(sorted(found)[:6])}. Give a column of two values, "
            "train and test (or False and True)."
        )
    return replace(reading, material=reading.material.without([name])), test


def _image_shape(source: Source) -> tuple[int, ...] | None:
    """Return height and width of rows that are pictures: told by the source, or by its names."""
    told: tuple[int, ...] | None = getattr(source, "picture_shape", None)
    if told is not None:
        return told
    places = [PIXEL.fullmatch(column.name) for column in source.columns]
    if not all(places):
        return None
    found = [(int(place[1]), int(place[2])) for place in places if place]
    height, width = (max(part) + 1 for part in zip(*found, strict=True))
    whole = found == [(row, column) for row in range(height) for column in range(width)]
    return (height, width) if whole else None


def _sampled(pieces: Any, most: int, rng: np.random.Generator) -> tuple[Chunk | Table, Rows, int]:
    """Return at most `most` rows, each as likely as any, with their numbers, and how many came.

    Each row draws a number; those of the smallest numbers are kept, so that one pass is enough.
    """
    held: list[Any] = []
    numbers: list[Rows] = []
    draws: list[AnyArray] = []
    n_rows = 0
    for piece in pieces:
        length = row_count(piece)
        held.append(piece)
        numbers.append(np.arange(n_rows, n_rows + length))
        draws.append(rng.random(length))
        n_rows += length
        if sum(map(len, numbers)) > 2 * most:
            held, numbers, draws = _thinned(held, numbers, draws, most)
    if n_rows > most:
        held, numbers, draws = _thinned(held, numbers, draws, most)
    if not held:
        raise ShapeError("There are no rows. Give at least one row.")
    return join(held), np.concatenate(numbers), n_rows


def _thinned(held: list[Any], numbers: list[Rows], draws: list[AnyArray], most: int) -> Any:
    drawn = np.concatenate(draws)
    kept = np.sort(np.argsort(drawn, kind="stable")[:most])
    whole = join(held)
    if isinstance(whole, Chunk):
        part: Any = whole._replace(X=whole.X[kept])
    else:
        part = whole._replace(values={name: column[kept] for name, column in whole.values.items()})
    part = part._replace(y=None if whole.y is None else whole.y[kept])
    return [part], [np.concatenate(numbers)[kept]], [drawn[kept]]


def _with_target(reading: Reading, decisions: Decisions) -> Reading:
    """Return the rows whose target is known."""
    if reading.y is None:
        return reading
    if reading.y.ndim != 1:
        raise ShapeError(f"y has shape {reading.y.shape}. Study one target at a time.")
    known = np.array([not is_missing(value) for value in reading.y.tolist()])
    if known.all():
        return reading
    if not known.any():
        raise ShapeError("The target is missing in every row. Give rows with a target.")
    lost = int(np.count_nonzero(~known))
    decisions.add("rows", f"{lost} left out", "their target is missing")
    return reading.take(np.flatnonzero(known))
