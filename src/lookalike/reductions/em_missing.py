"""Expected moments of rows with missing values under a Gaussian: the E-step of EM."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.kernels.gaussian_missing import Gaussian, by_missing
from lookalike.kernels.scatter import Moments, no_rows, scatter
from lookalike.reductions.covariance import Covariance


class ExpectedMoments(NamedTuple):
    """Moments of the completed rows, and the log-likelihood of the values present."""

    moments: Moments
    log_likelihood: float
    empty: int  # rows without any value


class GaussianEStep:
    r"""The E-step of EM for a Gaussian with values missing at random.

    .. math:: E\Big[\sum_n w_n (x_n - \bar x)(x_n - \bar x)^\top\Big] =
              \sum_n w_n \big( (\hat x_n - \bar x)(\hat x_n - \bar x)^\top + C_n \big)

    where :math:`\hat x_n` is the row with its missing values replaced by their expectations, and
    :math:`C_n` the covariance of those [TippingBishop]. Rows without any value are left out.

    Parameters
    ----------
    density : Gaussian
        The Gaussian of the last iteration.
    """

    def __init__(self, density: Gaussian) -> None:
        self.density = density

    def init(self, n_features: int) -> ExpectedMoments:
        """Return the moments of no rows."""
        return ExpectedMoments(no_rows(n_features), 0.0, 0)

    def update(self, state: ExpectedMoments, chunk: Chunk) -> ExpectedMoments:
        """Complete and join the rows of `chunk`."""
        n_rows, n_features = chunk.X.shape
        weight = np.ones(n_rows) if chunk.weight is None else chunk.weight
        filled, used = np.empty((n_rows, n_features)), np.zeros(n_rows)
        spread, log_likelihood, empty = np.zeros((n_features, n_features)), 0.0, 0
        for group in by_missing(chunk.X, self.density):
            filled[group.rows] = group.filled
            if len(group.missing) == n_features:
                empty = len(group.rows)
                continue
            used[group.rows] = weight[group.rows]
            spread[np.ix_(group.missing, group.missing)] += (
                weight[group.rows].sum() * group.covariance
            )
            log_likelihood += float(weight[group.rows] @ group.log_density)
        moments = scatter(filled, used)
        moments = moments._replace(scatter=moments.scatter + spread)
        return self.merge(state, ExpectedMoments(moments, log_likelihood, empty))

    def merge(self, left: ExpectedMoments, right: ExpectedMoments) -> ExpectedMoments:
        """Join two groups of rows."""
        return ExpectedMoments(
            Covariance().merge(left.moments, right.moments),
            left.log_likelihood + right.log_likelihood,
            left.empty + right.empty,
        )

    def finalize(self, state: ExpectedMoments) -> ExpectedMoments:
        """Return the moments and the log-likelihood."""
        return state
