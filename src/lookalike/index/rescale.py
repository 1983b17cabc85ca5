"""Values whose squares leave the range of float64, brought near 1 by a power of two and back."""

from __future__ import annotations

import numpy as np

from lookalike.errors import MagnitudeError
from lookalike.kernels.metrics.base import Metric, MetricForm
from lookalike.kernels.metrics.rows import MetricRows, SparseRows
from lookalike.typing import AnyArray

UNSCALED_MAGNITUDES = (1e-100, 1e100)  # magnitudes that need no scaling
LARGEST_SCALED_QUERY = 1e150  # scaled; its square is still finite
LARGEST_SCALED_ROW = 2.0**332  # about the largest that is usual
SQUARED_FORMS = (MetricForm.SQUARED, MetricForm.NAN_EUCLIDEAN)
MIN_SAFE_DIFFERENCE = (
    2.0**-420
)  # larger numbers are equal, or differ by so much that the square keeps its digits


def scale_of(largest: float, usual: tuple[float, float] = UNSCALED_MAGNITUDES) -> float:
    """Return the power of two that brings `largest` near 1, and 1 where it is usual.

    Examples
    --------
    >>> scale_of(3.0), scale_of(2.0**500)
    (1.0, 1.5274681817498023e-151)
    """
    if largest == 0 or usual[0] <= largest <= usual[1]:
        return 1.0
    return float(np.ldexp(1.0, int(np.clip(-np.frexp(largest)[1], -1000, 1000))))


def distance_scale(largest: float, usual: tuple[float, float] = UNSCALED_MAGNITUDES) -> float:
    """Return the power of two by which rows are multiplied before they are compared.

    Large ones come near `LARGEST_SCALED_ROW`, so that squares of usual values beside them do not
    vanish; small ones come near 1.

    Examples
    --------
    >>> distance_scale(3.0), distance_scale(2.0**700) == 2.0**-369
    (1.0, True)
    """
    scale = scale_of(largest, usual)
    return scale * LARGEST_SCALED_ROW if scale < 1.0 else scale


def compares_squares(metric: Metric) -> bool:
    """Return whether the keys of a metric are squares, which vanish sooner than distances."""
    return getattr(metric, "form", None) in SQUARED_FORMS


def require_one_magnitude(X: AnyArray, scale: float, first: int = 0) -> None:
    """Raise where rows hold values whose squares vanish beside those that `scale` is for.

    `first` is the number of the first of the rows; missing values are left out.
    """
    if scale == 1.0 or X.dtype != np.float64 or not X.size:
        return
    size = np.abs(X)
    lost = (size > 0) & (size * scale < MIN_SAFE_DIFFERENCE)
    if not lost.any():
        return
    row, column = np.unravel_index(np.nanargmax(size), size.shape)
    small_row, small_column = np.argwhere(lost)[0]
    raise MagnitudeError(
        f"X holds {X[row, column]:.3g} at row {first + row}, column {column}, and "
        f"{X[small_row, small_column]:.3g} at row {first + small_row}, column {small_column}: the "
        f"squares of both do not fit into float64. Correct or drop row {first + row}, or give its "
        "logarithm."
    )


def query_too_far(Q: MetricRows, scale: float, name: str = "Q") -> MagnitudeError:
    """Return the error of queries whose squared distances to rows times `scale` overflow."""
    values = Q.value if isinstance(Q, SparseRows) else Q.reshape(-1)
    place = int(np.nanargmax(np.abs(values)))
    if isinstance(Q, SparseRows):
        row, column = int(np.searchsorted(Q.start, place, "right")) - 1, int(Q.column[place])
    else:
        row, column = divmod(place, Q.shape[1])
    return MagnitudeError(
        f"{name} holds {values[place]:.3g} at row {row}, column {column}, too far from the rows "
        f"of the index: beyond {LARGEST_SCALED_QUERY / scale:.3g}, squared distances overflow "
        "float64. Correct the row, or scale queries and rows alike."
    )


def scales_of(sizes: AnyArray) -> AnyArray:
    """Return the power of two that brings each size near 1, and 1 for those that are usual."""
    usual = (
        (sizes == 0)
        | ((sizes >= UNSCALED_MAGNITUDES[0]) & (sizes <= UNSCALED_MAGNITUDES[1]))
        | ~np.isfinite(sizes)
    )
    power = np.clip(-np.frexp(np.where(usual, 1.0, sizes))[1], -1000, 1000)
    return np.where(usual, 1.0, np.ldexp(1.0, power))


def stretched(distance: AnyArray, by: float, degree: int) -> AnyArray:
    """Return distances as they are when all rows are multiplied by `by`, a power of two."""
    with np.errstate(over="ignore"):  # a distance that float64 cannot hold is infinite
        for _ in range(degree if by != 1 else 0):  # `by` squared may be zero
            distance = distance * by
    return distance
