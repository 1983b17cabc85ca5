"""All rows at once, centered, for solvers that cannot take them in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from lookalike.data.batches import join
from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk
from lookalike.data.source import Source
from lookalike.errors import MemoryBudgetError
from lookalike.interrupt import interruptible
from lookalike.models.inputs import as_floats
from lookalike.reductions.columns import Columns
from lookalike.settings import settings
from lookalike.typing import AnyArray, Array


class CenteredRows:
    """Rows less their mean, each times the root of its weight; sparse rows stay sparse.

    Of sparse rows the mean is taken out of products with them instead.

    Parameters
    ----------
    source : Source
        The rows; they and a centered copy must fit the memory budget.
    dtype : dtype
        The type of dense rows.
    """

    def __init__(self, source: Source, dtype: np.dtype) -> None:
        chunk = join(list(_affordable(source, dtype.itemsize)))
        self.precision: float = float(np.finfo(as_floats(np.empty(0, source.dtype)).dtype).eps)
        weight = chunk.weight
        X = chunk.X
        if weight is not None:
            X, weight = X[weight > 0], weight[weight > 0]
        self.rows: int = X.shape[0]
        reduction = Columns()
        moments = reduction.update(reduction.init(X.shape[1]), Chunk(X, weight=weight))
        self.count: float = float(self.rows if weight is None else weight.sum())
        self.mean: Array = moments.mean
        self.column_scatter: Array = moments.scatter
        self._root = None if weight is None else np.sqrt(weight)
        self.X = self._sparse(X) if sp.issparse(X) else self._dense(X, dtype, moments.tail)
        self.shape: tuple[int, int] = self.X.shape

    def times(self, vectors: AnyArray) -> AnyArray:
        """Return the centered rows times `vectors`."""
        product: AnyArray = self.X @ vectors
        return (
            product - np.outer(self._ones(), self.mean @ vectors) if self._held_apart else product
        )

    def transposed_times(self, vectors: AnyArray) -> AnyArray:
        """Return the transposed centered rows times `vectors`."""
        product: AnyArray = self.X.T @ vectors
        return (
            product - np.outer(self.mean, self._ones() @ vectors) if self._held_apart else product
        )

    def gram(self) -> Array:
        """Return the inner product of every two centered rows."""
        sparse = sp.issparse(self.X)
        product: Any = self.X @ self.X.T if sparse else interruptible(np.matmul, self.X, self.X.T)
        if not self._held_apart:
            return np.asarray(product)
        ones, along = self._ones(), self.X @ self.mean
        dense: Array = product.toarray() - np.outer(ones, along) - np.outer(along, ones)
        return dense + np.outer(ones, ones) * (self.mean @ self.mean)

    def operator(self) -> LinearOperator:
        """Return the centered rows as something that multiplies vectors."""
        if not self._held_apart:
            return aslinearoperator(self.X)
        return LinearOperator(
            self.shape,
            matvec=lambda v: self.times(v.reshape(-1, 1)),
            rmatvec=lambda v: self.transposed_times(v.reshape(-1, 1)),
            dtype=self.X.dtype,
        )

    def _dense(self, X: AnyArray, dtype: np.dtype, tail: Array) -> AnyArray:
        self._held_apart = False
        center = self.mean.astype(dtype)
        centered = X.astype(dtype)  # a copy: the rows given are not changed
        centered -= center
        centered -= ((self.mean - center) + tail).astype(dtype)
        if self._root is not None:
            centered *= self._root[:, None].astype(dtype)
        return centered

    def _sparse(self, X: sp.csr_array) -> sp.csr_array:
        self._held_apart = True
        X = X.astype(np.float64)
        return X if self._root is None else sp.csr_array(sp.diags_array(self._root) @ X)

    def _ones(self) -> Array:
        return np.ones(self.rows) if self._root is None else self._root


def _affordable(source: Source, itemsize: int) -> Iterator[Chunk]:
    """Give the chunks, checked, while they and their centered copy fit the memory budget."""
    budget, size = settings().memory, 0
    for chunk in map(Chunk.in_memory, source.chunks()):
        require_finite(chunk.X, chunk.offset, source.columns)
        size += chunk.X.data.nbytes if sp.issparse(chunk.X) else chunk.X.size * itemsize
        if 2 * size > budget:
            raise MemoryBudgetError(
                f"The solver keeps all rows in memory twice, which exceeds memory={budget:,} "
                f"bytes at row {chunk.offset}. Choose svd_solver='covariance_eigh' or 'leading', "
                "or raise the budget: lookalike.config(memory=...)."
            )
        yield chunk
