"""Rows that arrive in chunks from an iterator, once, or from a function that starts one again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from itertools import chain
from typing import Any, Unpack

import numpy as np

from lookalike.data.batches import Piece, rebatch, row_count
from lookalike.data.chunk import Chunk, Column, Home, Table, TypeChoice, chunk_rows
from lookalike.data.source import Source, open_rows
from lookalike.data.targets import as_target, as_weight
from lookalike.errors import (
    ColumnError,
    ParameterError,
    ParameterTypeError,
    RepeatError,
    ShapeError,
)

NUMERIC_KINDS = "biuf"


class GeneratorSource:
    """Chunks from an iterator, checked to agree and cut to one size.

    Each item is a matrix or frame X, a pair (X, y), a triple (X, y, weight), or a Chunk. The
    offset of a Chunk is not used: rows count on from chunk to chunk.

    Parameters
    ----------
    data : iterator, or callable without arguments
        An iterator can be read once. A function that returns a new one each time can be read
        again.
    y : array, optional
        One entry per row of all chunks together, where these bring none.
    **choice
        `columns`, `target`, `weight` and `types` as in `open_source`, for each item; a weight
        that is an array has an entry for each row of all chunks together.

    Examples
    --------
    >>> source = GeneratorSource(lambda: (np.full((2, 3), i) for i in range(4)))
    >>> source.repeatable, [len(chunk.X) for chunk in source.chunks(rows=3)]
    (True, [3, 3, 2])
    """

    columns: tuple[Column, ...]
    n_features: int
    dtype: np.dtype

    n_rows: int | None = None
    home: Home = "stream"

    def __init__(
        self,
        data: Iterator[object] | Callable[[], Iterator[object]],
        y: object = None,
        *,
        weight: object = None,
        **choice: Unpack[TypeChoice],
    ) -> None:
        self.repeatable: bool = not hasattr(data, "__next__")
        self._data = data
        named = weight if isinstance(weight, str) else None
        self._y = as_target(y, None)
        self._weight = as_weight(weight if named is None else None, None)
        self._named_weight, self._choice = named, choice
        pieces = self._pieces()
        first = next(pieces, None)
        if first is None:
            raise ShapeError("The stream gave no rows at all. Give at least one row.")
        self._opened: Iterator[tuple[int, Source]] | None = chain([first], pieces)
        source = first[1]
        self.columns, self.n_features, self.dtype = source.columns, source.n_features, source.dtype
        self.named: bool = source.named

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows in matrices of `rows` rows."""
        rows = chunk_rows(rows, self.n_features, self.dtype.itemsize)
        return self._join_given(
            rebatch(self._flow(self._start(), lambda piece: piece.chunks(rows)), rows)
        )

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the rows column by column."""
        rows = chunk_rows(rows, self.n_features, self.dtype.itemsize)
        return self._join_given(
            rebatch(self._flow(self._start(), lambda piece: piece.tables(rows)), rows)
        )

    def _join_given(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """Give each piece with its part of the y and the weights that were given apart."""
        n_rows = 0
        for piece in pieces:
            part = slice(piece.offset, piece.offset + row_count(piece))
            n_rows = part.stop
            for name, given in (("y", self._y), ("weight", self._weight)):
                if given is not None and getattr(piece, name) is not None:
                    raise ParameterError(
                        f"{name} is given, and the chunks bring one of their own. Give one of them."
                    )
            self._check_given(n_rows, exact=False)
            y = piece.y if self._y is None else self._y[part]
            weight = piece.weight if self._weight is None else self._weight[part]
            yield piece._replace(y=y, weight=weight)
        self._check_given(n_rows, exact=True)

    def _check_given(self, n_rows: int, *, exact: bool) -> None:
        for name, given in (("y", self._y), ("weight", self._weight)):
            if given is not None and (len(given) < n_rows or (exact and len(given) > n_rows)):
                raise ShapeError(
                    f"{name} holds {len(given)} entries, the stream has "
                    f"{'' if exact else 'at least '}{n_rows} rows. Give one entry of {name} a row."
                )

    def _flow(
        self, pieces: Iterator[tuple[int, Source]], read: Callable[[Source], Iterator[Piece]]
    ) -> Iterator[Piece]:
        first: Piece | None = None
        for number, piece in pieces:
            try:
                for part in read(piece):
                    first = first or part
                    _require_labels_alike(first, part, number)
                    yield part
            except ColumnError as error:
                raise ColumnError(f"In chunk {number} of the stream: {error}") from None

    def _start(self) -> Iterator[tuple[int, Source]]:
        if self._opened is not None:  # the one whose first chunk was read
            pieces, self._opened = self._opened, None
            return pieces
        if not self.repeatable:
            raise RepeatError(
                "The chunks come from an iterator that was read already, and the rows are needed "
                "again. Give a function that returns a new iterator: lambda: make_chunks()."
            )
        return self._pieces()

    def _pieces(self) -> Iterator[tuple[int, Source]]:
        data = self._data if hasattr(self._data, "__next__") else self._data()
        if not hasattr(data, "__iter__"):
            raise ParameterTypeError(
                f"The function given as data returned {type(data).__name__}. Return an iterator."
            )
        first = None
        for number, item in enumerate(data):
            piece = self._open(number, item)
            if piece is not None:
                first = first or piece
                _require_alike(first, piece, number)
                yield number, piece

    def _open(self, number: int, item: object) -> Source | None:
        X, y, weight, *_ = item if isinstance(item, Chunk) else _parts(number, item)
        length = X.shape[0] if getattr(X, "shape", ()) else len(X) if isinstance(X, list) else 1
        if not length:
            return None
        try:
            weight = weight if self._named_weight is None else self._named_weight
            return open_rows(X, y, weight=weight, **self._choice)
        except (ShapeError, ColumnError, ParameterTypeError) as error:
            raise type(error)(f"In chunk {number} of the stream: {error}") from None


def _parts(number: int, item: object) -> tuple[Any, Any, object]:
    if not isinstance(item, tuple):
        return item, None, None
    if len(item) not in (2, 3):
        raise ShapeError(
            f"Chunk {number} of the stream has {len(item)} parts. Give (X, y) or (X, y, weight)."
        )
    return item[0], item[1], item[2] if len(item) == 3 else None


def _require_alike(first: Source, piece: Source, number: int) -> None:
    chunk_title = f"Chunk {number} of the stream"
    if piece.n_features != first.n_features:
        raise ShapeError(
            f"{chunk_title} has {piece.n_features} columns, chunk 0 has {first.n_features}. "
            "Give every chunk the same columns."
        )
    for j, (old, new) in enumerate(zip(first.columns, piece.columns, strict=True)):
        if old.name != new.name:
            raise ColumnError(
                f"{chunk_title} has column {new.name!r} in place {j}, chunk 0 has {old.name!r}. "
                "Give every chunk the same columns in the same order."
            )
        if _loose(old) != _loose(new):
            raise ColumnError(
                f"{chunk_title} has another type in column {new.name!r}: {_describe(new)}, "
                f"chunk 0 has {_describe(old)}. Give every chunk the same types and categories."
            )
    if np.dtype(piece.dtype).kind != np.dtype(first.dtype).kind:
        raise ColumnError(
            f"{chunk_title} is of {piece.dtype}, chunk 0 of {first.dtype}. "
            "Give every chunk the same type, for example X.astype('float64')."
        )


def _require_labels_alike(first: Piece, part: Piece, number: int) -> None:
    for name in ("y", "weight"):
        old, new = getattr(first, name), getattr(part, name)
        if (old is None) != (new is None):
            brings = "brings no" if new is None else "brings a"
            raise ShapeError(
                f"Chunk {number} of the stream {brings} {name}, unlike chunk 0. Give it in each."
            )
        if old is not None and (old.shape[1:], old.dtype.kind in NUMERIC_KINDS) != (
            new.shape[1:],
            new.dtype.kind in NUMERIC_KINDS,
        ):
            raise ShapeError(
                f"Chunk {number} of the stream has {name} of {new.dtype} and shape {new.shape}, "
                f"chunk 0 of {old.dtype} and shape {old.shape}. Give every chunk the same."
            )


def _loose(column: Column) -> tuple[str, tuple[Hashable, ...] | None]:
    # few strings in a chunk look like categories where many look like text: both are strings
    return ("category" if column.kind == "text" else column.kind, column.categories)


def _describe(column: Column) -> str:
    return column.kind if column.categories is None else f"categories {list(column.categories)}"
