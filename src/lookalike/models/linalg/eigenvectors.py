"""Eigenvectors of covariances: sorted, with fixed signs, and defined where rows are constant."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from lookalike.errors import MagnitudeError
from lookalike.kernels.symmetric import Symmetric
from lookalike.typing import Array

FLOAT64_EPSILON = 2.0**-52


def principal_axes(covariance: Array, n_axes: int | None = None) -> tuple[Array, Array, int]:
    r"""Return the variances along the directions, the directions, and the rank.

    .. math:: S u_j = \lambda_j u_j, \qquad \lambda_1 \ge \lambda_2 \ge \dots \ge 0

    [Bishop95, eq. 8.22]. A variance that is rounding counts as zero.

    Parameters
    ----------
    covariance : ndarray of shape (d, d)
        Symmetric.
    n_axes : int, optional
        How many directions are returned, one per row; all of them when None. Variances are all
        returned.
    """
    n_features = len(covariance)
    if not np.isfinite(covariance).all():
        raise MagnitudeError(
            "The values are so large that their squares overflow float64. Rescale the "
            "rows, for example with StandardScaler."
        )
    eigen = Symmetric(covariance)
    variance, rank = cut_rounding(eigen.values, rounding(n_features))
    n_axes = n_features if n_axes is None else n_axes
    return variance, settled_axes(eigen.vectors, variance, rank, n_axes, n_features), rank


def rounding(n_features: int, dtype: object = np.float64) -> float:
    """Return the part of the largest variance below which a variance is rounding.

    In float64 ``max(d, 64)`` times the precision of numbers. Products of float32 rows are summed
    in float32, which leaves about ten times the precision of those numbers.
    """
    exact = max(n_features, 64) * FLOAT64_EPSILON
    return max(exact, 10 * float(np.finfo(np.float32).eps)) if dtype == np.float32 else exact


def cut_rounding(variance: Array, share: float) -> tuple[Array, int]:
    """Return falling `variance` with zeros where it is rounding, and how many others there are."""
    largest = max(float(variance[0]), 0.0) if len(variance) else 0.0
    rank = int(np.count_nonzero(variance > largest * share))
    return np.where(np.arange(len(variance)) < rank, variance, 0.0), rank


def settled_axes(
    vectors: Callable[[int], Array], variance: Array, rank: int, n_axes: int, n_features: int
) -> Array:
    """Return the first `n_axes` directions, the same whichever solver gave `vectors`.

    Directions of equal variance, and those beyond the rank, could be turned at will within
    their space. They depend on that space alone: the coordinate axes, in order, are projected
    into it and made orthogonal. Each direction is then turned so that its largest entry is
    positive.

    Parameters
    ----------
    vectors : callable
        Gives the first this many directions, one per row, for any number up to the rank.
    variance : ndarray
        Along all directions known, falling, zero beyond the rank.
    rank, n_axes, n_features : int
        Directions with variance, directions wanted, length of a direction.
    """
    close = rounding(n_features) * (variance[0] if len(variance) else 0.0)
    kept = min(n_axes, rank)
    while 0 < kept < rank and variance[kept - 1] - variance[kept] <= close:
        kept += 1  # the whole space of a variance is needed to settle directions within it
    axes = np.array(vectors(kept), dtype=np.float64)
    for start, stop in _equal_runs(variance[:kept], close):
        space = axes[start:stop]
        axes[start:stop] = _basis(_onto(space), range(n_features), len(space), n_features)
    if n_axes > rank:
        axes = np.concatenate([axes, _empty_directions(axes, n_axes - rank)])
    return fix_signs(axes[:n_axes])


def fix_signs(directions: Array) -> Array:
    """Return the rows of `directions`, each turned so that its largest entry is positive.

    Of entries equally large in size the one in the lowest column decides. Entries within a
    millionth of the largest count as equally large, so that rounding does not decide.

    Examples
    --------
    >>> fix_signs(np.array([[0.6, -0.8], [-0.6, 0.6]]))
    array([[-0.6,  0.8],
           [ 0.6, -0.6]])
    """
    size = np.abs(directions)
    largest = size >= (1 - 1e-6) * size.max(axis=1, keepdims=True)
    deciding = np.take_along_axis(directions, largest.argmax(axis=1)[:, None], axis=1)
    return np.where(deciding < 0, -directions, directions)


def _equal_runs(variance: Array, close: float) -> Iterable[tuple[int, int]]:
    """Give the runs of two or more variances no further than `close` from their first."""
    start = 0
    while start < len(variance):
        stop = start + 1
        while stop < len(variance) and variance[start] - variance[stop] <= close:
            stop += 1
        if stop - start > 1:
            yield start, stop
        start = stop


def _onto(space: Array) -> Callable[[int], Array]:
    """Return what projects a coordinate axis onto the span of `space`."""
    return lambda j: np.asarray(space[:, j] @ space)


def _empty_directions(axes: Array, n_wanted: int) -> Array:
    """Return the first orthonormal directions of all that is orthogonal to `axes`."""
    n_features = axes.shape[1]
    outside = 1.0 - (axes**2).sum(axis=0)  # squared length of each projected coordinate axis

    def project(j: int) -> Array:
        vector = -(axes[:, j] @ axes)
        vector[j] += 1.0
        return vector - (vector @ axes.T) @ axes

    likely = np.flatnonzero(outside > 0.25 / n_features)
    return _basis(project, likely, n_wanted, n_features)


def _basis(
    project: Callable[[int], Array], order: Iterable[int], n_wanted: int, n_features: int
) -> Array:
    """Return `n_wanted` of the projected coordinate axes, made orthonormal in `order`.

    Those left shorter than ``1 / (2 sqrt(d))`` are passed over. Were fewer than the dimension
    taken, the squared lengths of all that is left would sum to at least one, so never too few.
    """
    basis = np.zeros((n_wanted, n_features))
    taken = 0
    for j in order:
        if taken == n_wanted:
            break
        vector = project(j)
        for _ in range(2):  # the second time removes what rounding left
            vector = vector - (basis[:taken] @ vector) @ basis[:taken]
        length = float(np.linalg.norm(vector))
        if length > 0.5 / np.sqrt(n_features):
            basis[taken] = vector / length
            taken += 1
    return basis[:taken]
