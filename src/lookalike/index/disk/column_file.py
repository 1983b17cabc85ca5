"""Columns that are kept beside the rows: conditions refer to them, and distances do not."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, BinaryIO

import numpy as np

from lookalike.data.chunk import Column
from lookalike.errors import ColumnError, ModelFileError
from lookalike.file_schema import items, parse_plain_json, text
from lookalike.index.disk.folder import IndexFolder
from lookalike.index.disk.row_file import OpenedFile, read_into
from lookalike.missing import is_missing
from lookalike.typing import AnyArray
from lookalike.validation import few

NUMBER_DTYPE = np.dtype("<f8")
CODE_DTYPE = np.dtype("<i4")  # of categories and text
MISSING_CODE = -1  # a code


class ColumnWriter:
    """Writes columns piece by piece: numbers as they are, others as codes of their values."""

    def __init__(
        self, files: Mapping[str, tuple[str, BinaryIO]], columns: Sequence[Column]
    ) -> None:
        self._files = files
        self._checksum = dict.fromkeys(files, 0)
        self._codes: dict[str, dict[str, int] | None] = {
            column.name: None if column.kind in ("number", "boolean") else {} for column in columns
        }

    def write(self, values: Mapping[str, AnyArray]) -> None:
        """Append some rows of every column."""
        for name, (_, file) in self._files.items():
            codes = self._codes[name]
            if codes is None:
                data = np.ascontiguousarray(values[name], NUMBER_DTYPE).tobytes()
            else:
                texts = (None if is_missing(cell) else str(cell) for cell in values[name].tolist())
                numbers = [
                    MISSING_CODE if text is None else codes.setdefault(text, len(codes))
                    for text in texts
                ]
                data = np.array(numbers, CODE_DTYPE).tobytes()
            file.write(data)
            self._checksum[name] = zlib.crc32(data, self._checksum[name])

    def listed(self) -> list[dict[str, object]]:
        """Return what the list of the index says of every column."""
        return [
            {"name": name, "file": file, "text": self._codes[name] is not None,
             "checksum": self._checksum[name]}
            for name, (file, _) in self._files.items()
        ]  # fmt: skip

    def arrays(self) -> dict[str, AnyArray]:
        """Return the values that codes stand for, as arrays of bytes of JSON."""
        return {
            f"text.{index}": np.frombuffer(json.dumps(list(codes)).encode(), np.uint8)
            for index, codes in enumerate(self._codes.values())
            if codes is not None
        }


@contextmanager
def new_columns(folder: IndexFolder, columns: Sequence[Column]) -> Iterator[ColumnWriter]:
    """Give a writer of new files of the index, one per column."""
    with ExitStack() as stack:
        files = {column.name: stack.enter_context(folder.new_file(".column")) for column in columns}
        yield ColumnWriter(files, columns)


class ColumnFile(OpenedFile):
    """A column in its file, read from the first row to the last."""

    def __init__(
        self, folder: IndexFolder, listed: Mapping[str, Any], n_rows: int, texts: AnyArray | None
    ) -> None:
        self._path, self._checksum = folder.file(listed["file"]), int(listed["checksum"])
        self._texts = None if texts is None else _texts_of(folder, listed["name"], texts)
        self._dtype = NUMBER_DTYPE if texts is None else CODE_DTYPE
        self._n_rows = n_rows
        folder.require_size(listed["file"], n_rows * self._dtype.itemsize)
        self._file = os.open(self._path, os.O_RDONLY | getattr(os, "O_BINARY", 0))

    def reader(self) -> Callable[[int, int], AnyArray]:
        """Return what reads the values of successive rows, and checks them with the last one.

        Each reader keeps its own checksum, so that several threads may read the column.
        """
        checksum, at, size = 0, 0, self._dtype.itemsize

        def values(start: int, stop: int) -> AnyArray:
            nonlocal checksum, at
            data = np.empty((stop - start) * size, np.uint8)
            n_read = read_into(self._file, start * size, data)
            if start == at:  # a condition may leave rows out, which are then not checked
                checksum, at = zlib.crc32(data.data, checksum), stop
            whole = at < self._n_rows or checksum == self._checksum
            if n_read < len(data) or not whole:
                raise ModelFileError(
                    f"{self._path} is damaged: it was changed or cut. Build the index again."
                )
            codes = data.view(self._dtype)
            if self._texts is None:
                return codes
            if len(codes) and not MISSING_CODE <= codes.min() <= codes.max() < len(self._texts) - 1:
                raise ModelFileError(
                    f"{self._path} is damaged: it holds a code without a text. Build the index "
                    "again."
                )
            texts: AnyArray = self._texts[codes]
            return texts

        return values


def _texts_of(folder: IndexFolder, name: str, texts: AnyArray) -> AnyArray:
    """Return the texts that codes stand for, and None for the code of a missing one."""
    try:
        values = parse_plain_json(texts.tobytes())
        items(text)(values, f"the texts of column {name!r}")
    except ModelFileError as error:
        raise folder.damaged(str(error)) from None
    return np.array([*values, None], object)


class BlockColumns(Mapping[str, Any]):
    """The columns of some rows by name; each is read when a condition asks for it."""

    def __init__(
        self, readers: Mapping[str, Callable[[int, int], AnyArray]], start: int, stop: int
    ):
        self._readers, self._range = readers, (start, stop)
        self._read: dict[str, AnyArray] = {}

    def __getitem__(self, name: str) -> AnyArray:
        if name not in self._read:
            self._read[name] = self._readers[name](*self._range)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)

    def __contains__(self, name: object) -> bool:
        return name in self._readers


def split_columns(
    columns: Sequence[Column], keep: Sequence[str], what: str
) -> tuple[list[str], list[Column]]:
    """Return the names of the columns that are compared, and the columns that are kept."""
    by_name = {column.name: column for column in columns}
    unknown = [name for name in keep if name not in by_name]
    if unknown:
        raise ColumnError(
            f"{what} the column {unknown[0]!r}, and the rows have {few(by_name)}. "
            "Give rows with this column, or another name."
        )
    compared = [name for name in by_name if name not in set(keep)]
    if not compared:
        raise ColumnError(f"{what} every column, and none is left to compare. Leave one out.")
    return compared, [by_name[name] for name in dict.fromkeys(keep)]
