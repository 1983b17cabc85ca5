"""The few largest eigenvalues of a matrix that is known only by what it makes of vectors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lookalike.interrupt import interruptible
from lookalike.typing import Array

KRYLOV_BLOCKS = 8  # blocks of vectors in memory before the search space is restarted


def leading_pairs(
    apply: Callable[[Array], Array], start: Array, n_pairs: int, *, tolerance: float, passes: int
) -> tuple[Array, Array, float, int]:
    r"""Find the `n_pairs` largest eigenvalues of a symmetric matrix without negative ones.

    The space :math:`[V, A V, A^2 V, \dots]` is grown by a block a pass and the best
    approximations within it are taken (Rayleigh-Ritz): block Krylov with thick restarts
    [MuscoMusco15]. Only pairs that have not converged grow the space further.

    Parameters
    ----------
    apply : callable
        Gives A V for a block V of shape (d, b).
    start : ndarray of shape (d, b)
        Any block of full rank, b >= n_pairs.
    n_pairs : int
        How many pairs.
    tolerance : float
        Stops when every residual is below this part of the largest eigenvalue.
    passes : int
        Stops after this many applications at the latest.

    Returns
    -------
    values, vectors : ndarray of shape (n_pairs,) and (n_pairs, d)
        By falling value.
    residual : float
        The largest :math:`|A u - \lambda u|`, as a part of the largest eigenvalue.
    passes : int
        How often the matrix was applied.
    """
    block = orthonormal(start)
    width, done = block.shape[1], 0
    V = AV = np.empty((len(start), 0))
    while True:
        V, AV = np.hstack([V, block]), np.hstack([AV, apply(block)])
        done += 1
        H = V.T @ AV
        values, turn = interruptible(np.linalg.eigh, (H + H.T) / 2)
        values, turn = values[::-1], turn[:, ::-1]
        wanted = min(width, len(values))
        U, AU = V @ turn[:, :wanted], AV @ turn[:, :wanted]
        rest = AU - U * values[:wanted]
        length = np.linalg.norm(rest, axis=0)
        largest = max(float(values[0]), np.finfo(float).tiny)
        residual = float(length[:n_pairs].max()) / largest
        open_ = length > 0.5 * tolerance * largest
        if residual <= tolerance or done >= passes or not open_.any():
            break
        if V.shape[1] >= KRYLOV_BLOCKS * width:
            kept = turn[:, : 2 * width]
            V, AV = V @ kept, AV @ kept
        block = orthonormal(rest[:, open_], V)
        if not block.shape[1]:
            break  # the space is closed under the matrix: nothing is left to find
    return values[:n_pairs], U[:, :n_pairs].T, residual, done


def orthonormal(block: Array, against: Array | None = None) -> Array:
    """Return an orthonormal basis of the span of `block`, or of what it adds to `against`."""
    length = np.linalg.norm(block, axis=0)
    block = block / np.where(length > 0, length, 1.0)
    for _ in range(2):  # the second time removes what rounding left
        if against is not None:
            block = block - against @ (against.T @ block)
        squares, turn = interruptible(np.linalg.eigh, block.T @ block)
        if squares.min(initial=1.0) > 1e-10:
            block = block @ (turn / np.sqrt(squares))
            continue
        left, size, _ = interruptible(np.linalg.svd, block, full_matrices=False)  # some add nothing
        block = left[:, size > 1e-10]
    return block
