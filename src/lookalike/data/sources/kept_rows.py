"""Rows that a model keeps: no one can change them any more, or a change is noticed.

A model that answers from its training rows keeps a copy of them. Memory that cannot be written
to is kept as it is: an array whose `writeable` flag is off, or a file mapped for reading, whose
size and time of change are compared before every use.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import scipy.sparse as sp

from lookalike.data.batches import join, within_budget
from lookalike.data.source import Source
from lookalike.data.sources.page_release import MappedFile
from lookalike.errors import SourceError
from lookalike.typing import is_tensor


def kept_rows(source: Source) -> Any:
    """Return all rows of `source` as one matrix that stays as it is.

    Examples
    --------
    >>> from lookalike.data import open_source
    >>> X = np.eye(2)
    >>> rows = kept_rows(open_source(X))
    >>> X[:] = 7
    >>> rows
    array([[1., 0.],
           [0., 1.]])
    """
    chunks = list(within_budget(source, source.chunks(source.n_rows)))
    rows = join(chunks).X
    if is_tensor(rows):
        return rows  # a copy would take the memory of the GPU
    return rows if len(chunks) > 1 or _is_fixed(rows) else rows.copy()


def read_only(rows: object) -> Any:
    """Return the rows of an array of our own, which nobody writes to from now on.

    Models keep such rows without a copy. Views and sparse rows are returned as they are.

    Examples
    --------
    >>> from lookalike.data import open_source
    >>> rows = read_only(np.eye(2))
    >>> np.shares_memory(kept_rows(open_source(rows)), rows)
    True
    """
    if isinstance(rows, np.ndarray) and rows.base is None:
        rows.flags.writeable = False
    return rows


def require_unchanged(file: MappedFile | None) -> None:
    """Raise where rows are mapped from a file that was written to since.

    A file that was deleted or replaced by another leaves the rows as they were.
    """
    if file is None:
        return
    path, before = file
    try:
        status = os.stat(path)
    except OSError:
        return
    same = (status.st_size, status.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    if status.st_ino == before.st_ino and not same:
        raise SourceError(
            f"The rows changed: {path}, from which they are mapped, was written to after "
            "fit. Fit again, or fit on a copy: numpy.array(X)."
        )


def _is_fixed(rows: Any) -> bool:
    """Return whether nobody can write to the memory of `rows`."""
    if sp.issparse(rows):
        return all(_is_fixed(part) for part in (rows.data, rows.indices, rows.indptr))
    while isinstance(rows, np.ndarray):
        if rows.flags.writeable:
            return False
        rows = rows.base
    return not isinstance(rows, (memoryview, bytearray))
