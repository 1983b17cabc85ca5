"""The rows of many files of one table, one file after the other: a folder of Parquet files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from lookalike.data.chunk import Chunk, Home, Table, TableChoice, chunk_rows
from lookalike.data.formats.part_schemas import read_schema, require_one_table
from lookalike.data.source import Source
from lookalike.data.sources.partition import Partition
from lookalike.errors import ParameterError, SourceError
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from lookalike.data.chunk import Column


class FilesSource:
    """Files with the same columns, one after the other; chunks never cross the border of a file.

    `partitions` gives every file as a Source of its own, which a worker of a cluster opens where
    it is: the files must lie where workers can read them.

    Parameters
    ----------
    files : sequence of Source
        One for each file, of known length.
    """

    n_features: int
    named: bool
    columns: tuple[Column, ...]

    repeatable = True
    home: Home = "stream"

    def __init__(self, files: Sequence[Source]) -> None:
        first = files[0]
        self._files = list(files)
        self._lengths = [_length(file) for file in files]
        self._starts = [0, *accumulate(self._lengths)]
        self.columns, self.n_features, self.named = first.columns, first.n_features, first.named
        self.dtype: np.dtype = np.result_type(*{file.dtype for file in files})
        self.n_rows: int | None = self._starts[-1]
        self.packed: str = f"{len(files)} files"
        self.packed_size: int = sum(getattr(file, "packed_size", 0) for file in files)

    def partitions(
        self, rows: int | None = None, view: Callable[[Source], Source] | None = None
    ) -> list[tuple[int, int, Any]]:
        """Return rows and chunks of each file, and the file as a Source with global numbers."""
        rows = chunk_rows(rows, self.n_features, self.dtype.itemsize)
        return [
            (length, -(-length // rows), Partition(_view(file, view), start, rows))
            for file, start, length in zip(self._files, self._starts, self._lengths, strict=False)
        ]

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows in matrices of at most `rows` rows."""
        for _, _, part in self.partitions(rows):
            for chunk in part.chunks():
                yield chunk._replace(X=self._typed(chunk.X))

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the rows column by column."""
        for _, _, part in self.partitions(rows):
            yield from part.tables()

    def _typed(self, X: Any) -> AnyArray:
        typed: AnyArray = X.astype(self.dtype, copy=False)
        return typed


def table_files(folder: str, suffixes: Sequence[str]) -> list[Path]:
    """Return the files of a table in a folder, in order of their names; hidden ones are left out.

    Names that begin with a dot or an underscore are those of temporary and marker files.
    """
    paths = [
        entry
        for entry in os.scandir(folder)
        if entry.name.lower().endswith(tuple(suffixes))
        and not entry.name.startswith((".", "_"))
        and entry.is_file()
    ]
    return [Path(entry.path) for entry in sorted(paths, key=lambda entry: entry.name)]


def open_table_files(files: Sequence[Path], y: object, **choice: Unpack[TableChoice]) -> Source:
    """Return the Parquet or Arrow files of one table as one source."""
    from lookalike.data.chunk import Dialect
    from lookalike.data.formats.files import open_file

    if y is not None and not isinstance(y, str):
        raise ParameterError(
            f"y is given beside a folder of {len(files)} files. Name the column: target='…'."
        )
    weight = choice.get("weight")
    if weight is not None and not isinstance(weight, str):
        raise ParameterError("The weights of rows in many files are a column. Give its name.")
    schemas = [read_schema(str(file)) for file in files]
    choice = require_one_table(schemas, schemas[0].schema.names, choice)
    first: Any = open_file(files[0], dialect=Dialect(), **choice)
    given = {
        name: kind
        for name, kind in (choice.get("types") or {}).items()
        if name in first.roles.needed
    }
    types = {column.name: column.kind for column in first.columns} | given
    same: TableChoice = {
        "columns": list(first.roles.features),
        "target": list(first.roles.target) or None,
        "weight": weight,
        "types": types,
    }
    others = [open_file(file, dialect=Dialect(), **same) for file in files[1:]]
    return FilesSource([first, *others])


def _view(file: Source, view: Callable[[Source], Source] | None) -> Source:
    return file if view is None else view(file)


def _length(file: Source) -> int:
    if file.n_rows is None:
        raise SourceError("A file of the folder does not say how many rows it has.")
    return file.n_rows
