"""Values whose squares leave the range of float64, brought near 1 by a power of two and back."""

from __future__ import annotations

import numpy as np

from lookalike.typing import AnyArray

USUAL = (1e-100, 1e100)  # magnitudes that need no scaling
LARGEST_QUERY = 1e150  # scaled; its square is still finite


def scale_of(largest: float, usual: tuple[float, float] = USUAL) -> float:
    """Return the power of two that brings `largest` near 1, and 1 where it is usual.

    Examples
    --------
    >>> scale_of(3.0), scale_of(2.0**500)
    (1.0, 1.5274681817498023e-151)
    """
    if largest == 0 or usual[0] <= largest <= usual[1]:
        return 1.0
    return float(np.ldexp(1.0, int(np.clip(-np.frexp(largest)[1], -1000, 1000))))


def scales_of(sizes: AnyArray) -> AnyArray:
    """Return the power of two that brings each size near 1, and 1 for those that are usual."""
    usual = (sizes == 0) | ((sizes >= USUAL[0]) & (sizes <= USUAL[1])) | ~np.isfinite(sizes)
    power = np.clip(-np.frexp(np.where(usual, 1.0, sizes))[1], -1000, 1000)
    return np.where(usual, 1.0, np.ldexp(1.0, power))


def stretched(distance: AnyArray, by: float, degree: int) -> AnyArray:
    """Return distances as they are when all rows are multiplied by `by`, a power of two."""
    with np.errstate(over="ignore"):  # a distance that float64 cannot hold is infinite
        for _ in range(degree if by != 1 else 0):  # `by` squared may be zero
            distance = distance * by
    return distance
