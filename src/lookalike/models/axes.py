"""Directions of variation of a covariance: sorted, with one sign each, defined even without any."""

from __future__ import annotations

import numpy as np

from lookalike.models.signs import fix_signs
from lookalike.typing import Array


def principal_axes(covariance: Array, n_axes: int | None = None) -> tuple[Array, Array, int]:
    r"""Return the variances along the directions, the directions, and the rank.

    .. math:: S u_j = \lambda_j u_j, \qquad \lambda_1 \ge \lambda_2 \ge \dots \ge 0

    [Bishop95, eq. 8.22]. A variance below ``d * eps`` of the largest is rounding, and counts as
    zero. Directions beyond the rank depend on the empty space alone, not on the solver: the
    coordinate axes, in order, projected into it and made orthogonal.

    Parameters
    ----------
    covariance : ndarray of shape (d, d)
        Symmetric.
    n_axes : int, optional
        How many directions are returned, one a row; all of them when None. Variances are all
        returned.
    """
    n_features = len(covariance)
    n_axes = n_features if n_axes is None else n_axes
    variance, axes = np.linalg.eigh(covariance)
    variance, axes = variance[::-1], axes[:, ::-1].T
    rank = int(
        np.count_nonzero(variance > max(variance[0], 0.0) * n_features * np.finfo(float).eps)
    )
    variance = np.where(np.arange(n_features) < rank, variance, 0.0)
    if n_axes > rank:
        axes = np.concatenate([axes[:rank], _empty_directions(axes[:rank])])
    return variance, fix_signs(axes[:n_axes]), rank


def _empty_directions(axes: Array) -> Array:
    """Return an orthonormal basis of all that is orthogonal to `axes`."""
    n_empty = axes.shape[1] - len(axes)
    projected = np.eye(axes.shape[1]) - axes.T @ axes
    basis, triangle = np.linalg.qr(projected)
    fresh = np.flatnonzero(np.abs(np.diag(triangle)) > 1e-8)[:n_empty]
    if len(fresh) < n_empty:  # axes nearly within the space: any basis must do
        return np.linalg.svd(axes, full_matrices=True)[2][len(axes) :]
    return basis[:, fresh].T
