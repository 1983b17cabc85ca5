"""Rows in a file, read with explicit reads: many at once, sorted, near ones together."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lookalike import _core
from lookalike.errors import SourceError
from lookalike.threads import default_threads
from lookalike.typing import AnyArray, Rows


class BytesRead:
    """How many bytes and rows were read; shared by the files of an index."""

    def __init__(self) -> None:
        self.codes = self.rows = self.n_rows = 0


class RowPlace(NamedTuple):
    """Where rows lie: one after another in a file, from a byte on."""

    path: str
    offset: int
    n_rows: int
    n_features: int
    dtype: str
    changed: int | None = None  # in nanoseconds; None for a file of the index itself
    size: int = 0  # bytes of the whole file

    @property
    def row_bytes(self) -> int:
        """Bytes of a row."""
        return self.n_features * np.dtype(self.dtype).itemsize


class OpenedFile:
    """A file that is read, and closed with its object."""

    _file = -1

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __del__(self) -> None:
        self.close()


class RowFile(OpenedFile):
    """Rows that stay in their file.

    A file that is shorter than it was, or gone, is an error in a sentence: nothing is mapped.
    """

    place: RowPlace

    def __init__(self, place: RowPlace, read: BytesRead) -> None:
        self.place, self._read = place, read
        self.shape: tuple[int, int] = place.n_rows, place.n_features
        self.dtype: np.dtype = np.dtype(place.dtype)
        try:
            if not stat.S_ISREG(os.stat(place.path).st_mode):  # a pipe would be waited for
                raise OSError(errno.EINVAL, "it is not a regular file")
            self._file = os.open(place.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except OSError as error:
            raise SourceError(
                f"The rows of the index cannot be read: {place.path}: {error.strerror}. Put the "
                "file back, or build the index again."
            ) from None
        self.require_unchanged()

    def require_unchanged(self) -> None:
        """Raise where the file was written to after the index was built."""
        status = os.fstat(self._file)
        row_place = self.place
        needed = row_place.offset + row_place.n_rows * row_place.row_bytes
        whole = status.st_size == row_place.size if row_place.size else status.st_size >= needed
        if not whole or (row_place.changed is not None and status.st_mtime_ns != row_place.changed):
            raise changed_rows(row_place.path)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: AnyArray) -> AnyArray:
        """Return the rows of these numbers, in any order."""
        wanted, inverse = np.unique(np.asarray(rows, np.int64), return_inverse=True)
        return self.read(wanted)[inverse]

    def read(self, rows: Rows) -> AnyArray:
        """Return rows of rising numbers; those that lie near each other by one read."""
        size = self.place.row_bytes
        out = np.empty((len(rows), size), np.uint8)
        offset = np.ascontiguousarray(rows * size + self.place.offset, np.int64)
        n_rows, n_bytes = _core.read_rows(
            file=self._file, offset=offset, threads=default_threads(), out=out
        )
        if n_rows < len(rows):
            raise changed_rows(self.place.path)
        self._read.n_rows += n_rows
        self._read.rows += n_bytes
        return out.view(self.dtype)

    def slice(self, start: int, stop: int) -> AnyArray:
        """Return the rows from `start` to before `stop`."""
        size = self.place.row_bytes
        out = np.empty((stop - start) * size, np.uint8)
        n_read = read_into(self._file, self.place.offset + start * size, out)
        if n_read < len(out):
            raise changed_rows(self.place.path)
        self._read.rows += n_read
        self._read.n_rows += stop - start
        return out.view(self.dtype).reshape(-1, self.shape[1])

    def slices(self, rows: int) -> Iterator[tuple[int, AnyArray]]:
        """Give all rows, `rows` at a time, with the number of the first of them."""
        for start in range(0, len(self), rows):
            yield start, self.slice(start, min(start + rows, len(self)))


def read_into(file: int, start: int, out: AnyArray) -> int:
    """Fill bytes from an open file, from `start` on; return how many there were."""
    done = 0
    while done < len(out):
        part = out[done : done + (1 << 30)].data
        if hasattr(os, "preadv"):
            count = os.preadv(file, [part], start + done)
        else:
            os.lseek(file, start + done, os.SEEK_SET)  # one thread of a process reads at a time
            data = os.read(file, len(part))
            part[: len(data)], count = data, len(data)
        if not count:
            break
        done += count
    return done


def changed_rows(path: str) -> SourceError:
    """Return the error of rows that are not those that the index was built of."""
    return SourceError(
        f"The rows changed after the index was built: {path} was written to or cut. Build the "
        "index again, or with copied rows, which nothing else writes to."
    )
