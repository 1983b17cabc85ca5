"""The largest singular values of a sparse matrix, which is never made dense."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh

from lookalike.decisions import Decision
from lookalike.engines.blas import single_threaded_blas
from lookalike.index.rescale import scale_of
from lookalike.interrupt import interruptible
from lookalike.kernels.lapack import symmetric_pairs
from lookalike.models.linalg.eigenvectors import fix_signs
from lookalike.progress import progress
from lookalike.settings import require_memory
from lookalike.typing import Array

GRAM_ROWS = 4000  # products of all pairs are formed up to this size of the smaller side
VALUES_PER_WANTED_VALUE = 8  # and pay where more than one in this many singular values is wanted
MAX_SIDE_ALWAYS_GRAM = 256  # below this the products of all pairs always pay
SVD_RESIDUAL_TOLERANCE = 1e-7  # relative to the eigenvalue, which is good to its square
ILL_CONDITIONED = 1e-3  # smallest by largest singular value below which vectors are recomputed


Svd: TypeAlias = tuple[Array, Array, Array, Decision]  # what `truncated_svd` returns


def truncated_svd(X: sp.csr_array, n_components: int) -> Svd:
    r"""Return the leading part of the singular value decomposition, by falling value.

    .. math:: X \approx U_M D_M V_M^\top

    [Barber, eq. 15.3.8]. The eigenvectors of :math:`X X^\top`, or of :math:`X^\top X` where that
    is smaller [Barber, eq. 15.3.4], come from the matrix itself where it is small, and from
    products with vectors (Lanczos with implicit restarts, from a fixed start) where it is not.
    Each right vector has a positive largest entry; values that are zero up to rounding are zero.

    Parameters
    ----------
    X : csr_array
        Finite numbers.
    n_components : int
        From 1 to min(X.shape).

    Returns
    -------
    values : ndarray of shape (k,)
        The singular values.
    right : ndarray of shape (k, n_columns)
        The right vectors, one direction per row.
    projected : ndarray of shape (n_rows, k)
        :math:`X V_M`.
    solver : Decision
        Which one, and the largest :math:`|X v - s u|` or :math:`|X^\top u - s v|`, as a part of the
        largest singular value.
    """
    scale = scale_of(float(np.abs(X.data).max(initial=0.0)))
    if scale != 1.0:  # products of the values would leave the range of float64
        values, right, projected, decision = truncated_svd(X * scale, n_components)
        return values / scale, right, projected / scale, decision
    flat = X.shape[0] <= X.shape[1]
    rows = X if flat else X.T.tocsr()
    with single_threaded_blas():
        solver, side = _solve(rows, n_components)
        side, values, other = _vectors(rows, side)
        left, right = (side, other) if flat else (other, side)
        signed = fix_signs(right.T)
        left = np.where((signed != right.T).any(axis=1), -left, left)
        projected = np.asarray(X @ signed.T)
        rest = projected - left * values if flat else X.T @ left - signed.T * values
    largest = values[0] if values[0] > 0 else 1.0
    residual = float(np.linalg.norm(rest, axis=0).max() / largest)
    decision = Decision("solver", solver, f"residual {residual:.1e} of the largest value")
    return values, signed, projected, decision


def _solve(rows: sp.csr_array, n_components: int) -> tuple[str, Array]:
    """Return the solver and the leading eigenvectors of the products of all pairs of rows."""
    n_rows = rows.shape[0]
    many = VALUES_PER_WANTED_VALUE * n_components > n_rows
    if rows.nnz == 0:
        return "none", np.eye(n_rows, n_components)
    if (
        n_rows <= MAX_SIDE_ALWAYS_GRAM
        or (many and n_rows <= GRAM_ROWS)
        or 2 * n_components >= n_rows
    ):
        _afford(n_rows)
        gram = (rows @ rows.T).toarray()
        first = n_rows - n_components
        vectors = interruptible(symmetric_pairs, gram, first, n_rows - 1, overwrite=True)[1]
        return "gram", vectors[:, ::-1]
    columns = rows.T.tocsr()
    with progress("products", None) as advance:

        def product(vector: Array) -> Array:
            advance(1)
            return np.asarray(rows @ (columns @ vector))

        operator = LinearOperator((n_rows, n_rows), matvec=product, dtype=np.float64)
        start = np.random.default_rng(0).standard_normal(n_rows)
        basis = min(n_rows, max(3 * n_components // 2, n_components + 15))
        vectors = eigsh(operator, n_components, v0=start, tol=SVD_RESIDUAL_TOLERANCE, ncv=basis)[1]
    return "lanczos", vectors[:, ::-1]


def _afford(n_rows: int) -> None:
    require_memory(
        3 * 8 * n_rows**2,
        f"That many components of {n_rows} rows or columns take",
        f"Choose fewer than {n_rows // 2}, or raise lookalike.config(memory=…).",
    )


def _vectors(rows: sp.csr_array, side: Array) -> tuple[Array, Array, Array]:
    """Return left vectors, singular values and right vectors from nearly converged left vectors."""
    other = np.asarray(rows.T @ side)
    values = np.linalg.norm(other, axis=0)
    falling = bool((np.diff(values) <= 0).all())
    if values[-1] > ILL_CONDITIONED * values[0] and falling:
        return side, values, other / values
    basis, triangle = interruptible(scipy.linalg.qr, other, mode="economic", check_finite=False)
    turn, values, back = interruptible(np.linalg.svd, triangle)
    noise = values[0] * max(rows.shape) * np.finfo(float).eps
    return side @ back.T, np.where(values > noise, values, 0.0), basis @ turn
