"""Kernels of the distance: their values, how far they reach, and what makes them integrate to 1."""

from __future__ import annotations

from collections.abc import Callable
from math import lgamma, log, pi
from typing import NamedTuple

import numpy as np

from lookalike.typing import Array


class DistanceKernel(NamedTuple):
    """A kernel of the distance in bandwidths."""

    log_value: Callable[[Array], Array]  # of distances, in bandwidths
    log_norm: Callable[[int], float]  # of the number of columns, for a bandwidth of 1
    reach: float  # distance from which on the kernel is 0, or too small for float64
    compact: bool  # whether the kernel is 0 from `reach` on, the end of a tophat left out


def log_unit_ball(n_columns: int) -> float:
    """Return the logarithm of the volume of the unit ball."""
    return 0.5 * n_columns * log(pi) - lgamma(0.5 * n_columns + 1)


def _log_cosine_integral(n_columns: int) -> float:
    r"""Return the logarithm of the integral of cos(pi r / 2) over the unit ball.

    By parts, :math:`I_n = \int_0^1 r^n \cos(\pi r/2) = \tfrac2\pi - (\tfrac2\pi)^2 n(n-1) I_{n-2}`.
    The recursion loses digits as n rises, so a Gauss-Legendre rule is summed instead.
    """
    node, weight = np.polynomial.legendre.leggauss(200)
    radius = (node + 1) / 2
    power = radius ** (n_columns - 1)
    shell = float(np.sum(weight / 2 * power * np.cos(pi * radius / 2)))
    return log(shell) + log(n_columns) + log_unit_ball(n_columns)


@np.errstate(divide="ignore")
def _log(values: Array) -> Array:
    return np.asarray(np.log(np.maximum(values, 0.0)))


DISTANCE_KERNELS = {
    "gaussian": DistanceKernel(
        lambda u: -0.5 * u * u, lambda d: 0.5 * d * log(2 * pi), 38.7, compact=False
    ),
    "tophat": DistanceKernel(
        lambda u: _log(np.where(u < 1, 1.0, 0.0)), log_unit_ball, 1.0, compact=True
    ),
    "epanechnikov": DistanceKernel(
        lambda u: _log(1 - u * u), lambda d: log_unit_ball(d) + log(2 / (d + 2)), 1.0, compact=True
    ),
    "exponential": DistanceKernel(
        lambda u: -u, lambda d: log_unit_ball(d) + lgamma(d + 1), 746.0, compact=False
    ),
    "linear": DistanceKernel(
        lambda u: _log(1 - u), lambda d: log_unit_ball(d) - log(d + 1), 1.0, compact=True
    ),
    "cosine": DistanceKernel(
        lambda u: _log(np.where(u < 1, np.cos(0.5 * pi * u), 0.0)),
        _log_cosine_integral,
        1.0,
        compact=True,
    ),
}
