"""Mean and covariance of the rows."""

from __future__ import annotations

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.kernels.compensated import join_means, two_sum
from lookalike.kernels.scatter import Moments, no_rows, scatter
from lookalike.typing import Array


class Covariance:
    r"""Mean and covariance of the rows.

    .. math:: S = \frac{1}{N-1} \sum_n (x_n - \bar x)(x_n - \bar x)^\top

    [Barber, eq. 15.2.10]. Pieces are joined with the pairwise update of [Chan83].

    Parameters
    ----------
    ddof : int
        1 divides by N - 1 [Barber], 0 by N [Bishop95].

    Examples
    --------
    >>> import numpy as np
    >>> from lookalike.data.chunk import Chunk
    >>> reduction = Covariance()
    >>> state = reduction.update(reduction.init(1), Chunk(np.array([[1.0], [2.0], [6.0]])))
    >>> count, mean, covariance = reduction.finalize(state)
    >>> covariance
    array([[7.]])
    """

    on_gpu = True

    def __init__(self, *, ddof: int = 1) -> None:
        self.ddof = ddof

    def init(self, n_features: int) -> Moments:
        """Return the moments of no rows."""
        return no_rows(n_features)

    def update(self, state: Moments, chunk: Chunk) -> Moments:
        """Join the moments of `chunk` to `state`."""
        return self.merge(state, scatter(chunk.X, chunk.weight))

    @np.errstate(over="ignore", invalid="ignore")
    def merge(self, left: Moments, right: Moments) -> Moments:
        """Join two groups of rows."""
        if right.count == 0:
            return left
        if left.count == 0:
            return right
        count = left.count + right.count
        share = right.count / count
        mean, tail, difference = join_means((left.mean, left.tail), (right.mean, right.tail), share)
        joined = np.multiply.outer(left.count * share * difference, difference)
        joined += left.scatter
        joined += right.scatter
        return Moments(count, mean, tail, joined)

    def unmerge(self, whole: Moments, part: Moments) -> Moments:
        """Return the moments of `whole` without those of `part`, which are among its rows."""
        if part.count == 0:
            return whole
        count = whole.count - part.count
        share = part.count / whole.count
        difference = ((part.mean - whole.mean) + (part.tail - whole.tail)) / (1.0 - share)
        mean, tail = two_sum(whole.mean, whole.tail - share * difference)
        left = whole.scatter - part.scatter
        left -= np.multiply.outer(count * share * difference, difference)
        return Moments(count, mean, tail, left)

    def finalize(self, state: Moments) -> tuple[float, Array, Array]:
        """Return weight, mean and covariance of the rows; with too few rows the last is zero."""
        degrees = state.count - self.ddof
        covariance = state.scatter / degrees if degrees > 0 else np.zeros_like(state.scatter)
        return state.count, state.mean, covariance
