"""Rows of one request as arrays: a matrix, columns of a table, or documents."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

import numpy as np

from lookalike.typing import AnyArray

RowBatch: TypeAlias = "AnyArray | dict[str, AnyArray] | list[str]"
OBJECT_BYTES = 64  # about what a cell that is a short text takes


def count_rows(batch: RowBatch) -> int:
    """Return how many rows there are."""
    return len(next(iter(batch.values()))) if isinstance(batch, dict) else len(batch)


def count_bytes(batch: RowBatch) -> int:
    """Return about how much memory the rows take."""
    if isinstance(batch, dict):
        return sum(count_bytes(column) for column in batch.values())
    if isinstance(batch, list):
        return sum(OBJECT_BYTES + len(text) for text in batch)
    return batch.size * (OBJECT_BYTES if batch.dtype.kind == "O" else batch.itemsize)


def rows_between(batch: RowBatch, start: int, stop: int) -> RowBatch:
    """Return some consecutive rows.

    >>> rows_between(["a", "b", "c"], 1, 3)
    ['b', 'c']
    """
    if isinstance(batch, dict):
        return {name: column[start:stop] for name, column in batch.items()}
    return batch[start:stop]


def layout(batch: RowBatch) -> Hashable:
    """Return what two batches must have in common to be stacked without changing a value."""
    if isinstance(batch, dict):
        return tuple((name, column.dtype.str) for name, column in batch.items())
    return "texts" if isinstance(batch, list) else (batch.dtype.str, batch.shape[1])


def stacked(batches: Sequence[RowBatch]) -> RowBatch:
    """Return the rows of batches of one layout, in order.

    >>> stacked([["a"], ["b", "c"]])
    ['a', 'b', 'c']
    """
    first = batches[0]
    if len(batches) == 1:
        return first
    if isinstance(first, dict):
        parts = [batch for batch in batches if isinstance(batch, dict)]
        return {name: np.concatenate([part[name] for part in parts]) for name in first}
    if isinstance(first, list):
        return [text for batch in batches for text in batch]
    return np.concatenate([batch for batch in batches if isinstance(batch, np.ndarray)])
