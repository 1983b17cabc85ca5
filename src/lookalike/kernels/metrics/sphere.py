"""Distance along the surface of the earth, or of any sphere."""

from __future__ import annotations

import warnings

import numpy as np

from lookalike import _core
from lookalike.errors import ShapeError
from lookalike.kernels.metrics.base import Embedded
from lookalike.kernels.metrics.rows import MetricRows
from lookalike.kernels.native_arrays import RowsLike, native_rows
from lookalike.typing import Array


class Haversine(Embedded):
    r"""The angle between two points given by latitude and longitude in radians.

    .. math:: d(x, y) = 2 \arcsin \frac{\|u(x) - u(y)\|}{2}, \qquad
              u = (\cos\phi\cos\lambda, \cos\phi\sin\lambda, \sin\phi)

    The chord in the ball is what is compared, so the order is that of the Euclidean
    distance between the points `u`, and no rounding leaves the range of the arcsine: 0 for equal
    points, at most :math:`\pi`. Angles are right to about 2e-16 radians in absolute terms (a
    nanometre on the earth), and to about 1e-8 within 1e-8 of the opposite point. Multiply by the
    radius, 6371 km for the earth. A latitude beyond :math:`\pi/2` is that of the point behind the
    pole, with a warning: it may be in degrees. Axioms hold for points of the sphere:
    longitudes that differ by a turn are one point.
    """

    name = "haversine"
    indexes: frozenset[str] = frozenset({"exact", "kd_tree", "lsh", "scan"})

    def embed(self, X: RowsLike, *, what: str = "X") -> MetricRows:
        """Return the points of the unit sphere."""
        rows = native_rows(X, what).values
        if rows.shape[1] != 2:
            raise ShapeError(
                f"{what} has {rows.shape[1]} columns. haversine needs two: latitude and longitude."
            )
        rows = np.ascontiguousarray(rows, np.float64)
        bad = np.flatnonzero(np.abs(rows[:, 0]) > np.pi / 2 * (1 + 1e-7))
        if bad.size:
            warnings.warn(
                f"{what} has latitude {rows[bad[0], 0]} at row {bad[0]}, beyond pi/2. haversine "
                f"wants [latitude, longitude] in radians: give numpy.radians({what}).",
                UserWarning,
                stacklevel=2,
            )
        out = np.empty((len(rows), 3))
        _core.sphere_rows(X=rows, out=out)
        return out

    def distance(self, key: Array) -> Array:
        """Return the angles of the chords."""
        return 2 * np.arcsin(np.minimum(np.sqrt(key) / 2, 1.0))
