"""Equal rows among any number of rows: hashes of all of them in a temporary file, then sorted."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from typing import IO

import numpy as np

from lookalike.settings import settings
from lookalike.typing import AnyArray, Rows

BYTES_PER_HASH = 64  # for a hash that is sorted, with what sorting takes
MEMORY_PARTS = 8  # of the memory budget, that the hashes of a part may take
HASHES_READ_AT_ONCE = 1 << 20  # hashes that are read at once


class FirstCopies:
    """The first of equal rows, by hashes of 64 bits.

    All hashes go to a temporary file, 8 bytes a row; parts of them, by their first bits, are
    sorted in memory. What is kept are the rows that have a copy.

    Parameters
    ----------
    hashes : iterable of array
        The hashes of all rows, in order, such as `row_hashes` gives.

    Examples
    --------
    >>> copies = FirstCopies([np.array([5, 7, 5], np.uint64), np.array([7, 9], np.uint64)])
    >>> copies.of(0, 5)
    array([ 0,  1,  0,  1, -1])
    """

    n_rows: int

    def __init__(self, hashes: Iterable[AnyArray]) -> None:
        with tempfile.TemporaryFile() as file:
            self.n_rows = 0
            for block in hashes:
                file.write(np.ascontiguousarray(block, np.uint64).tobytes())
                self.n_rows += len(block)
            parts = max(1, self.n_rows * BYTES_PER_HASH * MEMORY_PARTS // settings().memory)
            bits = int(parts - 1).bit_length()
            copies = [_copies(*_part(file, bits, number)) for number in range(1 << bits)]
        row = np.concatenate([rows for rows, _ in copies])
        order = np.argsort(row)
        self._row, self._first = row[order], np.concatenate([first for _, first in copies])[order]

    @property
    def n_copies(self) -> int:
        """Rows that have a copy, the first of each group among them."""
        return len(self._row)

    def of(self, start: int, stop: int) -> Rows:
        """Return the first of the rows equal to each of some rows; -1 for one that is alone."""
        low, high = np.searchsorted(self._row, [start, stop])
        first = np.full(stop - start, -1)
        first[self._row[low:high] - start] = self._first[low:high]
        return first


def _part(file: IO[bytes], bits: int, number: int) -> tuple[AnyArray, Rows]:
    """Return the hashes that begin with these bits, and the rows that have them."""
    file.seek(0)
    hashes, rows, start = [], [], 0
    while data := file.read(8 * HASHES_READ_AT_ONCE):
        block = np.frombuffer(data, np.uint64)
        mine = np.arange(len(block))
        if bits:
            mine = np.flatnonzero(block >> np.uint64(64 - bits) == number)
        hashes.append(block[mine])
        rows.append(mine + start)
        start += len(block)
    return np.concatenate(hashes), np.concatenate(rows)


def _copies(hashes: AnyArray, rows: Rows) -> tuple[Rows, Rows]:
    """Return the rows whose hash others have as well, and the first of each group."""
    order = np.argsort(hashes, kind="stable")  # rows of one hash stay in order
    ordered = hashes[order]
    begins = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    group = np.cumsum(begins) - 1
    several = np.bincount(group)[group] > 1
    first = rows[order][np.flatnonzero(begins)][group]
    return rows[order][several], first[several]
