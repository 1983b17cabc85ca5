"""Similarities of rows by a kernel: the dot products of a space that is never visited."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from lookalike.errors import ParameterTypeError
from lookalike.interrupt import interruptible
from lookalike.kernels.distance import squared_distances
from lookalike.kernels.native_arrays import as_dense
from lookalike.kernels.transform import map_rows
from lookalike.typing import AnyArray, Array
from lookalike.validation import is_float, shown

GRAM_KERNELS = ("linear", "poly", "rbf", "sigmoid", "cosine", "precomputed")
GRAM_BLOCK_VALUES = 2**20  # numbers made of a block of rows
MIN_GRAM_BLOCK_ROWS = 256
CACHED_ENTRIES = 2**17  # entries that stay in the cache while they are worked on
MAX_EXPANSION_ERROR = 1e-9  # of gamma * distance², when the square is expanded


@dataclass(frozen=True)
class Kernel:
    r"""A kernel and its settings; called with rows, it gives their Gram matrix in float64.

    ===========  ==========================================================
    ``linear``   :math:`x^\top y`
    ``poly``     :math:`(\gamma\, x^\top y + c_0)^{degree}`
    ``rbf``      :math:`\exp(-\gamma \|x - y\|^2)`; for infinite
                 :math:`\gamma`, 1 where rows are equal and 0 elsewhere
    ``sigmoid``  :math:`\tanh(\gamma\, x^\top y + c_0)`
    ``cosine``   :math:`x^\top y / (\|x\| \|y\|)`; 0 with a row of zeros
    ===========  ==========================================================

    A function of two rows is a kernel too, called with `parameters`.

    Examples
    --------
    >>> Kernel("poly", gamma=1.0, degree=2, coef0=1.0)(np.array([[1.0], [2.0]]))
    array([[ 4.,  9.],
           [ 9., 25.]])
    """

    name: str | Callable[..., float]
    gamma: float = 1.0
    degree: float = 3
    coef0: float = 1.0
    parameters: Mapping[str, object] = field(default_factory=dict)
    n_jobs: int | None = None
    shift: Array | None = None  # subtracted from dense rows where the kernel allows it

    def __call__(self, X: Any, Y: Any = None) -> Array:
        """Return the kernel of every row of `X` with every row of `Y`, or of `X`."""
        if self.name == "precomputed":
            return np.asarray(as_dense(X), dtype=np.float64)
        if callable(self.name) or sp.issparse(X) or sp.issparse(Y):
            return self._general(X, Y)
        left = self._ready(X)
        right = left if Y is None else self._ready(Y)
        if self.name == "rbf":
            return _rbf(left, right, self.gamma)
        product: Array = interruptible(np.matmul, left, right.T)
        return self._of_products(product)

    def of_rows(self, X: Any, Y: Any) -> Array:
        """Return the kernel of every row of `X` with every row of `Y`.

        A row gives the same bits alone and among others; `Y` is not sparse where `X` is dense.
        """
        if not isinstance(self.name, str) or self.name == "precomputed" or sp.issparse(X):
            return self(X, Y)
        left, right = (np.ascontiguousarray(self._ready(rows)) for rows in (X, Y))
        if self.name != "rbf":
            return self._of_products(map_rows(left, right))
        distance = squared_distances(left, right)
        if np.isinf(self.gamma):
            return np.asarray(distance == 0, dtype=np.float64)
        distance *= -self.gamma
        return np.exp(distance, out=distance)

    def _of_products(self, product: Array) -> Array:
        """Return the kernel of rows from their inner products, in their place."""
        if self.name in ("poly", "sigmoid"):
            product *= self.gamma
            product += self.coef0
        if self.name == "poly":
            return np.power(product, self.degree, out=product)
        return np.tanh(product, out=product) if self.name == "sigmoid" else product

    def diagonal(self, X: Any) -> Array:
        """Return the kernel of every row of `X` with itself."""
        if self.name == "rbf":
            return np.ones(X.shape[0])
        if callable(self.name) or sp.issparse(X):
            return np.array([self(X[[row]])[0, 0] for row in range(X.shape[0])])
        rows = self._ready(X)
        product = np.einsum("ij,ij->i", rows, rows)
        if self.name == "poly":
            return np.asarray((self.gamma * product + self.coef0) ** self.degree)
        if self.name == "sigmoid":
            return np.asarray(np.tanh(self.gamma * product + self.coef0))
        return np.asarray(product)

    def _ready(self, X: AnyArray) -> Array:
        rows = np.asarray(X, dtype=np.float64)
        if self.name in ("linear", "rbf") and self.shift is not None:
            return np.asarray(rows - self.shift)
        if self.name == "cosine":
            length = np.linalg.norm(rows, axis=1, keepdims=True)
            return np.asarray(np.divide(rows, length, out=np.zeros_like(rows), where=length > 0))
        return rows

    def _general(self, X: object, Y: object) -> Array:
        from sklearn.metrics.pairwise import pairwise_kernels

        known = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        parameters = self.parameters if callable(self.name) else known
        kernel = _number(self.name) if callable(self.name) else self.name
        gram = pairwise_kernels(
            X, Y, metric=kernel, filter_params=True, n_jobs=self.n_jobs, **parameters
        )
        return np.asarray(gram, dtype=np.float64)


def _number(kernel: Callable[..., object]) -> Callable[..., float]:
    """Return the user's kernel, which then raises where it returns no finite number."""

    def checked(*args: object, **kwargs: object) -> float:
        value = kernel(*args, **kwargs)
        if not is_float(value) or not np.isfinite(float(value)):
            raise ParameterTypeError(
                f"kernel returned {shown(value)} for two rows. Let it return a finite number."
            )
        return float(value)

    return checked


def row_blocks(n_rows: int, width: int) -> Iterator[slice]:
    """Give slices that cover the rows, of which this many times `width` numbers are soon made."""
    step = max(MIN_GRAM_BLOCK_ROWS, GRAM_BLOCK_VALUES // max(1, width))
    for start in range(0, n_rows, step):
        yield slice(start, start + step)


def _rbf(left: Array, right: Array, gamma: float) -> Array:
    """Expand the square where that is exact enough, and take differences elsewhere."""
    square = np.einsum("ij,ij->i", left, left)
    other = square if right is left else np.einsum("ij,ij->i", right, right)
    reach = max(square.max(initial=0.0), other.max(initial=0.0))
    if not gamma * reach * np.finfo(float).eps * np.sqrt(left.shape[1]) < MAX_EXPANSION_ERROR:
        from scipy.spatial.distance import cdist  # slow to import, and seldom needed

        distance: Array = cdist(left, right, "sqeuclidean")
        if np.isinf(gamma):
            return np.asarray(distance == 0, dtype=np.float64)
        distance *= -gamma
        np.exp(distance, out=distance)
        return distance
    gram: Array = interruptible(np.matmul, left, right.T)
    step = max(1, CACHED_ENTRIES // max(1, len(other)))
    for start in range(0, len(gram), step):
        block = gram[start : start + step]
        block *= 2 * gamma
        block -= (gamma * square[start : start + step])[:, None]
        block -= gamma * other
        np.minimum(block, 0.0, out=block)
        np.exp(block, out=block)
    if right is left:
        np.fill_diagonal(gram, 1.0)
    return gram
