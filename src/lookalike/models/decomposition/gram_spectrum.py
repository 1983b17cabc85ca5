"""The leading eigenvectors of a centered Gram matrix, by the solver that suits its size."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dsymv  # reads one half of the matrix, which is what takes time
from scipy.sparse.linalg import LinearOperator, eigsh

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.interrupt import interruptible
from lookalike.kernels.lapack import all_symmetric_pairs, symmetric_pairs
from lookalike.models.linalg.krylov import leading_pairs
from lookalike.typing import Array

GRAM_SOLVERS = ("auto", "dense", "arpack", "randomized")
MIN_ROWS_FOR_PARTIAL_SOLVERS = 500  # below, the dense solver is always the quickest
BLOCK_AXES = 8  # from which multiplying a block at once pays
ZERO_EIGENVALUE_SHARE = 1e-12  # of the largest eigenvalue: smaller ones are rounding
EIGENVECTOR_RESIDUAL_SHARE = 1e-10  # of an eigenvector, as a part of the largest eigenvalue
INDEFINITE_KERNEL_SHARE = 1e-5  # of the largest eigenvalue, below zero


def center(K: Array) -> tuple[Array, float]:
    r"""Center a Gram matrix in place; return the means of its columns and of all entries.

    .. math:: K_c = (I - \tfrac1n 1 1^\top) K (I - \tfrac1n 1 1^\top)

    [UCSD].
    """
    columns, rows = K.mean(axis=0), K.mean(axis=1)
    mean = float(columns.mean())
    step = max(1, 2**18 // len(K))
    for start in range(0, len(K), step):
        block = K[start : start + step]
        block -= columns
        block -= (rows[start : start + step] - mean)[:, None]
    return columns, mean


def leading_spectrum(
    K: Array,
    n_axes: int,
    solver: str,
    decisions: Decisions,
    *,
    tol: float,
    max_iter: int | None,
    iterated_power: int | str,
    seed: np.random.RandomState,
) -> tuple[Array, Array]:
    """Return the `n_axes` largest eigenvalues of `K`, falling, and their eigenvectors as columns.

    The solver and its parameters are those of scikit-learn's KernelPCA. `K` may be overwritten.
    """
    name = solver
    if name == "auto":
        name = "dense"
        if len(K) >= MIN_ROWS_FOR_PARTIAL_SOLVERS and n_axes < BLOCK_AXES:
            name = "arpack"
        elif len(K) >= MIN_ROWS_FOR_PARTIAL_SOLVERS and n_axes <= len(K) // 10:
            pairs = _block_krylov(K, n_axes, seed)
            if pairs is not None:
                decisions.add("eigen_solver", "block Krylov", f"{n_axes} of {len(K)} are wanted")
                return pairs
        decisions.add("eigen_solver", name, f"{n_axes} of {len(K)} eigenvectors are wanted")
    if name == "arpack":
        if n_axes >= len(K):
            raise ParameterError(
                f"eigen_solver='arpack' finds fewer eigenvectors than the {len(K)} rows, and "
                f"{n_axes} are wanted. Give a smaller n_components, or eigen_solver='dense'."
            )
        start = seed.uniform(-1, 1, len(K))
        half = LinearOperator(K.shape, matvec=lambda x: dsymv(1.0, K.T, x), dtype=K.dtype)
        value, vector = eigsh(half, n_axes, which="LA", tol=tol, maxiter=max_iter, v0=start)
    elif name == "randomized":
        from sklearn.utils.extmath import _randomized_eigsh

        value, vector = _randomized_eigsh(K, n_axes, n_iter=iterated_power, random_state=seed)
    else:
        value, vector = _dense(K, n_axes)
    order = np.argsort(-value, kind="stable")
    return value[order], vector[:, order]


def clip(value: Array, floor: float, decisions: Decisions) -> Array:
    """Return eigenvalues of which those below zero, and those that are rounding, are zero.

    `floor` is the rounding of the matrix itself: what eigenvalues of equal rows may come to. An
    eigenvalue well below zero is an error: the kernel is not an inner product.
    """
    largest = max(float(value.max(initial=0.0)), 0.0)
    floor = max(floor, ZERO_EIGENVALUE_SHARE * largest)
    negative = value < -floor
    if negative.any():
        extent = f"the least {value.min():.3g} against a largest of {largest:.3g}"
        if value.min() < -max(INDEFINITE_KERNEL_SHARE * largest, floor):
            raise ParameterError(
                f"There are significant negative eigenvalues ({int(negative.sum())} of "
                f"{len(value)}, {extent}): the kernel is not positive semi-definite. Give a "
                f"smaller n_components (at most {int((value > 0).sum())}), or another kernel."
            )
        decisions.add(
            "eigenvalues_", f"{int(negative.sum())} clipped to 0", f"they are negative, {extent}"
        )
    return np.where(value > floor, value, 0.0)


def _block_krylov(K: Array, n_axes: int, seed: np.random.RandomState) -> tuple[Array, Array] | None:
    """Return leading eigenpairs of known residual, or None when the spectrum falls too slowly.

    At most about as many products are spent as the dense solver would need.
    """
    width = n_axes + max(8, n_axes // 4)
    start = seed.standard_normal((len(K), width))
    passes = max(12, len(K) // (2 * width))
    value, vector, residual, _ = leading_pairs(
        lambda V: K @ V, start, n_axes, tolerance=EIGENVECTOR_RESIDUAL_SHARE, passes=passes
    )
    return (value, vector.T) if residual <= EIGENVECTOR_RESIDUAL_SHARE else None


def _dense(K: Array, n_axes: int) -> tuple[Array, Array]:
    """Return the largest eigenpairs; a full set is quickest by divide and conquer."""
    n_rows = len(K)
    if n_axes > n_rows // 4:
        value, vector = interruptible(all_symmetric_pairs, K.T, overwrite=True)
        return value[n_rows - n_axes :], vector[:, n_rows - n_axes :]
    return interruptible(symmetric_pairs, K.T, n_rows - n_axes, n_rows - 1, overwrite=True)
