"""Sum of every column over the rows of every class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from lookalike.data.chunk import Chunk
from lookalike.kernels.scatter import SCATTER_BLOCK_ROWS
from lookalike.reductions.by_class import (
    MAX_CLASSES_COUNTED,
    labels_of,
    require_few_classes,
    with_weight,
)
from lookalike.typing import AnyArray, Array


class ClassSumSummary(NamedTuple):
    """Counts and sums of each class, in the sorted order of the labels."""

    classes: AnyArray  # (c,)
    count: Array  # type: ignore[assignment]  # hides tuple.count; (c, d), of the values present
    total: Array  # (c, d)
    least: Array  # (d,)
    varies: AnyArray  # (d,), whether a column has more than one value


# Counts and sums of each class (2, d), minimum of each column, and whether it varies.
ClassTotals: TypeAlias = tuple[Mapping[Any, Array], Array, AnyArray]


class ClassSums:
    r"""Sum of the values present in each column, class by class: :math:`\sum_{n \in c} w_n x_{nj}`.

    For columns that count something: it is their plain sum that is compared. Rows without weight
    name no class.

    Parameters
    ----------
    limit : int
        The most classes; more of them are an error, since the state must stay small.
    """

    def __init__(self, *, limit: int = MAX_CLASSES_COUNTED) -> None:
        self.limit = limit

    def init(self, n_features: int) -> ClassTotals:
        """Return the sums of no rows."""
        return {}, np.full(n_features, np.inf), np.zeros(n_features, bool)

    def update(self, state: ClassTotals, chunk: Chunk) -> ClassTotals:
        """Add the rows of `chunk` to their classes."""
        chunk = with_weight(chunk)
        X, y = chunk.X, labels_of(chunk)
        weight = np.ones(len(y)) if chunk.weight is None else chunk.weight
        if not len(y):
            return state
        labels, code = np.unique(y, return_inverse=True)
        member = np.zeros((len(labels), len(y)))
        member[code, np.arange(len(y))] = weight
        count, total, least, varies = (_sparse if sp.issparse(X) else _dense)(X, member)
        sums = np.ascontiguousarray(np.stack([count, total], axis=1))
        by_label = dict(zip(labels.tolist(), sums, strict=True))
        return self.merge(state, (by_label, least, varies))

    def merge(self, left: ClassTotals, right: ClassTotals) -> ClassTotals:
        """Add two groups of rows, class by class."""
        classes = dict(left[0])
        for label, sums in right[0].items():
            classes[label] = classes[label] + sums if label in classes else sums
        require_few_classes(classes, self.limit)
        least, varies = _join(*left[1:], *right[1:])
        return classes, least, varies

    def finalize(self, state: ClassTotals) -> ClassSumSummary:
        """Return the sums with the classes in sorted order."""
        classes, least, varies = state
        labels = sorted(classes)
        sums = np.stack([classes[label] for label in labels])
        return ClassSumSummary(np.array(labels), sums[:, 0], sums[:, 1], least, varies)


def _dense(X: AnyArray, member: Array) -> tuple[AnyArray, ...]:
    """Return counts, sums, least values and whether there are other values, block by block."""
    n_features = X.shape[1]
    count, total = np.zeros((2, len(member), n_features))
    least, varies = np.full(n_features, np.inf), np.zeros(n_features, bool)
    for start in range(0, len(X), SCATTER_BLOCK_ROWS):
        block = X[start : start + SCATTER_BLOCK_ROWS].astype(np.float64, copy=False)
        here = member[:, start : start + SCATTER_BLOCK_ROWS]
        low = block.min(axis=0)
        if not np.isnan(low).any():
            count += here.sum(axis=1)[:, None]
            total += here @ block
            high = _largest(block, low)
        else:
            present = ~np.isnan(block)
            count += here @ present
            total += here @ np.where(present, block, 0.0)
            low = np.where(present, block, np.inf).min(axis=0)
            high = np.where(present, block, -np.inf).max(axis=0)
        least, varies = _join(least, varies, low, high > low)
    return count, total, least, varies


def _largest(block: Array, low: Array) -> Array:
    """Return the largest value of a column, or a smaller one above `low` where that is seen."""
    high: Array = np.maximum(block[0], block[-1])
    doubtful = np.flatnonzero(high <= low)
    high[doubtful] = block[:, doubtful].max(axis=0)
    return high


def _join(low: Array, varies: AnyArray, other: Array, others: AnyArray) -> tuple[Array, AnyArray]:
    """Return the least values of two groups of rows, and whether there are other values."""
    differ = (low != other) & np.isfinite(low) & np.isfinite(other)
    return np.minimum(low, other), varies | others | differ


def _sparse(X: sp.csr_array, member: Array) -> tuple[AnyArray, ...]:
    X = X.astype(np.float64)
    missing = sp.csr_array((np.isnan(X.data).astype(float), X.indices, X.indptr), shape=X.shape)
    count = member.sum(axis=1)[:, None] - member @ missing
    X = sp.csr_array((np.nan_to_num(X.data), X.indices, X.indptr), shape=X.shape)
    least, most = (np.asarray(part.toarray()).ravel() for part in (X.min(axis=0), X.max(axis=0)))
    return np.asarray(count), np.asarray(member @ X), least, most > least
