"""Targets as trees are grown on them: centered and scaled where their size would decide a split."""

from __future__ import annotations

import numpy as np

from lookalike.models.targets import require_sums
from lookalike.typing import AnyArray, Array

USUAL_DEVIATION = (1e-4, 1e30)  # of targets that trees take as they are
MOST_USUAL_OFFSET = 1e4  # in deviations
LARGEST_TARGET = 1e300  # of which sums over many trees stay finite


def growth_targets(targets: AnyArray) -> AnyArray:
    """Return the targets, or what is left of them without their mean and scale.

    Splits are the same for any offset and scale. Those who grow trees stop at an absolute impurity,
    or sum float32, so that targets of size 1e-8, or at 1e12, would grow no trees. Classes are codes
    and stay as they are.

    Examples
    --------
    >>> growth_targets(np.array([1.0, 2.0]))
    array([1., 2.])
    >>> growth_targets(np.array([1e-9, 3e-9])).round(2)
    array([-0.54,  0.54])
    """
    if targets.dtype.kind != "f" or not targets.size:
        return targets
    require_sums(targets, LARGEST_TARGET)
    exponent = int(np.frexp(np.abs(targets).max())[1])
    scaled = np.ldexp(targets, -exponent)
    mean = scaled.mean(axis=0)
    deviation = float(np.sqrt(np.square(scaled - mean).mean(axis=0).max()))
    usual = USUAL_DEVIATION[0] <= np.ldexp(deviation, exponent) <= USUAL_DEVIATION[1]
    if deviation == 0.0 or (usual and np.abs(mean).max() <= MOST_USUAL_OFFSET * deviation):
        return targets
    centered: AnyArray = (scaled - mean) * np.ldexp(1.0, -int(np.frexp(deviation)[1]))
    return centered


def root_mean_square(difference: Array) -> float:
    """Return the root of the mean square of differences, also where their squares overflow."""
    largest = float(np.abs(difference).max(initial=0.0))
    if largest == 0.0 or USUAL_DEVIATION[0] <= largest <= USUAL_DEVIATION[1]:
        return float(np.sqrt((difference**2).mean()))
    return float(np.sqrt(((difference / largest) ** 2).mean()) * largest)
