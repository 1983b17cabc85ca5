"""The nearest center of every row, and sums of rows a center: the native k-means."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lookalike import _core
from lookalike.kernels.metrics import metric_from
from lookalike.kernels.metrics.rows import sparse_rows
from lookalike.kernels.native_arrays import NUMBER_TYPES, native_matrix
from lookalike.typing import AnyArray, Array, is_tensor, to_host

BLOCK_DIRECTIONS = _core.BLOCK_DIRECTIONS
EXTRA_SUMS = _core.EXTRA_SUMS  # columns of the sums after those of the rows: weights and squares


def assigner_of(X: object, scale: float, threads: int) -> Any:
    """Return the assigner of rows: the native one, or that of a GPU where they lie there."""
    if not is_tensor(X):
        return Assigner(X, scale, threads)
    from lookalike.kernels.gpu.assign import GPUAssigner

    return GPUAssigner(X, scale)


class Assigner:
    """Rows kept for one assignment after another.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        Finite values.
    scale : float
        A power of two that brings usual differences of rows near 1.
    threads : int
        Of every call.
    """

    def __init__(self, X: AnyArray | sp.csr_array, scale: float, threads: int) -> None:
        self.n_rows: int = X.shape[0]
        if sp.issparse(X):
            rows = sparse_rows(X).native()
            self._native = _core.Assigner(**rows, scale=scale, threads=threads)
        else:
            values = native_matrix(X, NUMBER_TYPES)
            self._native = _core.Assigner(X=values, scale=scale, threads=threads)

    def no_labels(self) -> AnyArray:
        """Return the labels of rows that have no center yet."""
        return np.full(self.n_rows, -1, np.int32)

    def code(self, middle: Array, scale: float) -> None:
        """Keep short codes of the rows less `middle`."""
        none = np.empty(0, np.float32)
        self._native.code(middle=middle, scale=scale, directions=none, used=0, defect=0.0)

    def code_projected(self, middle: Array, scale: float, directions: Array) -> None:
        """Keep short codes of the rows less `middle`, along orthonormal `directions`."""
        used, d = directions.shape
        padded = np.zeros((-(-used // BLOCK_DIRECTIONS) * BLOCK_DIRECTIONS, d), np.float32)
        padded[:used] = directions
        P = padded[:used].astype(np.float64)  # as the projection reads them
        defect = float(np.linalg.norm(P @ P.T - np.eye(used))) + 1e-12
        blocks = padded.reshape(-1, BLOCK_DIRECTIONS, d).transpose(0, 2, 1)
        self._native.code(
            middle=middle,
            scale=scale,
            directions=np.ascontiguousarray(blocks).reshape(-1),
            used=used,
            defect=defect,
        )

    def drop_codes(self) -> None:
        """Forget the codes."""
        self._native.drop_codes()

    def step(
        self, centers: Array, labels: AnyArray, weight: Array | None, grid: Array, sums: Array
    ) -> int:
        """Assign all rows, in place, and move those that changed between the sums, in place.

        Return how many distances the bounds left to be computed in float64.
        """
        high, low = sums
        weight = np.empty(0) if weight is None else np.ascontiguousarray(weight, np.float64)
        _, _, distances = self._native.step(
            centers=centers, label=labels, weight=weight, grid=grid, high=high, low=low
        )
        return int(distances)

    def assign(self, centers: Array, labels: AnyArray) -> None:
        """Assign all rows, in place."""
        self._native.assign(centers=centers, label=labels)

    def keys(self, centers: Array, labels: AnyArray) -> Array:
        """Return the squared distance of every row to its center."""
        key = np.empty(self.n_rows)
        self._native.keys(centers=centers, label=labels, key=key)
        return key

    def all_keys(self, centers: Array) -> Array:
        """Return the squared distance of every center to every row, (centers, n)."""
        first = np.zeros(self.n_rows, np.int32)
        return np.stack([self.keys(center[None], first) for center in centers])


def no_sums(n_clusters: int, n_features: int) -> Array:
    """Return the sums of no rows, (2, k, d + 2).

    Sums of the rows of each center, each less a shift; of their weights; of their squares. The
    second of each has what the coarse grid of the first leaves over.
    """
    return np.zeros((2, n_clusters, n_features + EXTRA_SUMS))


def unit_rows(X: AnyArray | sp.csr_array, what: str = "X") -> AnyArray | sp.csr_array:
    """Return the rows divided by their lengths; a row of zeros has no direction, an error."""
    if is_tensor(X):
        from lookalike.kernels.gpu.assign import like_rows

        return like_rows(X, unit_rows(to_host(X), what))  # the CPU's bits
    rows = metric_from("cosine").embed(X, what=what)  # type: ignore[attr-defined]
    if not sp.issparse(X):
        return np.asarray(rows)
    return sp.csr_array((rows.value, rows.column, rows.start), shape=X.shape)
