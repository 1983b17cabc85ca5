"""Rows of a mapped file, whose pages are handed back once they have been read."""

from __future__ import annotations

import mmap

import numpy as np

from lookalike.typing import AnyArray


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
