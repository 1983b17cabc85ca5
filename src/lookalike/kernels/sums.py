"""Sums whose bits do not depend on the order of their terms: any thread, chunk or engine."""

from __future__ import annotations

import numpy as np

from lookalike.typing import Array

_LEAST_EXPONENT = -1074  # of a float64 above zero
_MANTISSA_BITS = 52


def sum_grid(size: Array, rows: int) -> Array:
    r"""Return what rounds terms to a coarse and then to a fine grid, as (2, terms).

    Terms of magnitude at most `size` become whole multiples of a quantum so large that `rows` of
    them are added without rounding; what that leaves is summed likewise on a grid that is finer
    by :math:`2^{52 - \log_2 rows}` [Demmel15]. Adding and subtracting an entry rounds.

    Examples
    --------
    >>> coarse, fine = sum_grid(np.array(1.0), 1000)
    >>> (np.pi + coarse) - coarse, float(np.log2(coarse / fine))
    (np.float64(3.1415926535901235), 42.0)
    """
    bits = int(rows).bit_length()
    _, exponent = np.frexp(size)
    coarse = np.maximum(exponent + 1 + bits - _MANTISSA_BITS, _LEAST_EXPONENT)
    fine = np.maximum(coarse + bits - _MANTISSA_BITS, _LEAST_EXPONENT)
    grid = np.ldexp(1.5, np.stack([coarse, fine]) + _MANTISSA_BITS)
    return np.where(size > 0, grid, 0.0)


def ordered_total(terms: Array, size: float, rows: int) -> Array:
    """Return the coarse and the fine sum of some of `rows` terms of at most `size`.

    Such pairs are added without rounding; the sum of the two is the total.

    Examples
    --------
    >>> terms = np.array([0.1, 0.2, 0.3])
    >>> left, right = ordered_total(terms[:1], 1.0, 3), ordered_total(terms[1:], 1.0, 3)
    >>> bool(np.all(left + right == ordered_total(terms, 1.0, 3)))
    True
    """
    coarse, fine = sum_grid(np.array(size, dtype=np.float64), rows)
    high = (terms + coarse) - coarse
    low = ((terms - high) + fine) - fine
    return np.array([high.sum(), low.sum()])
