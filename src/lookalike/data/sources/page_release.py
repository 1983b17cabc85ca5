"""Rows of a mapped file: its size is watched, and pages that have been read are handed back."""

from __future__ import annotations

import mmap
import os
from contextlib import suppress
from typing import TypeAlias

import numpy as np

from lookalike.errors import SourceError
from lookalike.typing import AnyArray

MappedFile: TypeAlias = tuple[str, os.stat_result]  # of rows, and what it was when they were mapped


def mapped_file(rows: object) -> MappedFile | None:
    """Return the file that `rows` are mapped from, None where they lie in memory."""
    path = None
    while isinstance(rows, np.ndarray):
        path, rows = getattr(rows, "filename", None) or path, rows.base
    with suppress(OSError):  # deleted: nobody can change it any more
        return None if path is None else as_it_is(path)
    return None


def as_it_is(path: str | os.PathLike[str]) -> MappedFile:
    """Return what a file is now, to compare it with later."""
    return os.fspath(path), os.stat(path)


def require_whole(file: MappedFile | None) -> None:
    """Raise where a mapped file is shorter than it was: to read its rows would end the process."""
    if file is None:
        return
    path, before = file
    try:
        status = os.stat(path)
    except OSError:  # deleted, and the rows are as they were
        return
    if status.st_ino == before.st_ino and status.st_size < before.st_size:
        raise SourceError(
            f"{path!r} was truncated while it was read: it has {status.st_size} of "
            f"{before.st_size} bytes. Write it again."
        )


def place_in_file(X: object) -> tuple[MappedFile, int] | None:
    """Return the file that an array is mapped from and the byte where it begins.

    None where it lies in memory, or not row after row as it is in the file.
    """
    file = mapped_file(X)
    if file is None or not isinstance(X, np.ndarray) or not X.flags.c_contiguous:
        return None
    base: object = X
    while isinstance(base, np.ndarray):
        if getattr(base, "offset", 0) >= mmap.ALLOCATIONGRANULARITY:
            return None  # the map does not begin where the file does
        base = base.base
    if not isinstance(base, mmap.mmap) or not X.dtype.isnative:
        return None
    return file, _address(X) - _address(np.frombuffer(base, np.uint8, count=1))


class MappedPages:
    """The pages under an array that is mapped read-only, or none.

    A pass over a file larger than memory would otherwise keep every page it has touched.
    """

    def __init__(self, X: object) -> None:
        self._map: mmap.mmap | None = None
        mode, base = "", X
        while isinstance(base, np.ndarray):
            mode, base = getattr(base, "mode", mode), base.base
        if mode == "r" and isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            self._map, self._released = base, 0
            self._start = _address(np.frombuffer(base, np.uint8, count=1))

    def release(self, rows_read: AnyArray) -> None:
        """Hand back the pages of `rows_read` and of all rows before them."""
        if self._map is None or not rows_read.flags.c_contiguous:
            return
        end = _address(rows_read) + rows_read.nbytes - self._start
        end -= end % mmap.PAGESIZE
        if end > self._released:
            self._map.madvise(mmap.MADV_DONTNEED, self._released, end - self._released)
            self._released = end


def _address(array: AnyArray) -> int:
    return int(array.__array_interface__["data"][0])
