"""The kernels of a density: their heights, how far they matter, and what they integrate to."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from lookalike.typing import Array

COMPACT_KERNELS = ("tophat", "epanechnikov", "linear", "cosine")  # zero from the bandwidth on
DENSITY_KERNELS = ("gaussian", "exponential", *COMPACT_KERNELS)
NEGLIGIBLE_SHARE_OF_SUM = 1e-16  # of a sum, at most, that rows out of reach add together
GAUSS_NODES_BEYOND_HALF = 16  # more than a polynomial of this degree needs, for the cosine


def log_kernel(kernel: str, distance: Array, bandwidth: float) -> Array:
    """Return the logarithm of a kernel of height 1 at these distances.

    Examples
    --------
    >>> log_kernel("gaussian", np.array([0.0, 2.0]), 1.0)
    array([-0., -2.])
    """
    with np.errstate(over="ignore", divide="ignore"):
        u = np.asarray(distance) / bandwidth
        if kernel == "gaussian":
            return np.asarray(-0.5 * u * u)
        if kernel == "exponential":
            return np.asarray(-u)
        if kernel == "epanechnikov":
            height = 1.0 - u * u
        elif kernel == "linear":
            height = 1.0 - u
        elif kernel == "cosine":
            height = np.cos(0.5 * np.pi * np.minimum(u, 1.0))
        else:
            height = np.ones_like(u)
        return np.asarray(np.log(np.where(u < 1.0, height, 0.0)))


def kernel_reach(
    kernel: str, first: Array, bandwidth: float, n_rows: int, weight: Array | None
) -> Array:
    """Return how far from each query rows matter, whose nearest row is `first` away."""
    if kernel in COMPACT_KERNELS:
        return np.full(len(first), bandwidth)
    spread = 0.0 if weight is None else float(np.log(weight.max()) - np.log(weight.min()))
    widths = np.log(n_rows / NEGLIGIBLE_SHARE_OF_SUM) + spread
    with np.errstate(over="ignore"):
        if kernel == "exponential":
            return np.asarray(first + bandwidth * widths)
        return np.asarray(np.hypot(first, bandwidth * np.sqrt(2 * widths)) * (1 + 1e-12))


def log_kernel_norm(kernel: str, n_columns: int, bandwidth: float) -> float:
    """Return the logarithm of what makes a kernel integrate to 1 over this many columns.

    Examples
    --------
    >>> round(float(np.exp(log_kernel_norm("tophat", 1, 0.5))), 9)  # of an interval of length 1
    1.0
    """
    d = n_columns
    log_ball = 0.5 * d * np.log(np.pi) - gammaln(0.5 * d + 1)  # volume of the unit ball
    log_sphere = np.log(d) + log_ball  # surface of it
    if kernel == "gaussian":
        integral = 0.5 * d * np.log(2 * np.pi)
    elif kernel == "exponential":
        integral = log_sphere + gammaln(d)
    elif kernel == "cosine":
        node, share = np.polynomial.legendre.leggauss(d // 2 + GAUSS_NODES_BEYOND_HALF)
        u = (node + 1) / 2
        integral = log_sphere + np.log(0.5 * (share * np.cos(0.5 * np.pi * u) * u ** (d - 1)).sum())
    else:
        inside = {"tophat": 1.0, "epanechnikov": 2 / (d + 2), "linear": 1 / (d + 1)}[kernel]
        integral = log_ball + np.log(inside)
    return float(-integral - d * np.log(bandwidth))
