"""The one rule for the signs of directions, which are otherwise arbitrary."""

from __future__ import annotations

import numpy as np

from lookalike.typing import Array


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
