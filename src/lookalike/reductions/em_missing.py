"""Expected moments of rows with missing values under a Gaussian: the E-step of EM."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from lookalike.data.chunk import Chunk
from lookalike.kernels.gaussian_missing import by_missing
from lookalike.kernels.scatter import Moments, no_rows, scatter
from lookalike.reductions.covariance import Covariance
from lookalike.typing import Array

# Moments of the completed rows, log-likelihood of the values present, rows without any value.
ExpectedMoments: TypeAlias = tuple[Moments, float, int]


class GaussianEStep:
    r"""The E-step of EM for a Gaussian with values missing at random.

    .. math:: E\Big[\sum_n w_n (x_n - \bar x)(x_n - \bar x)^\top\Big] =
              \sum_n w_n \big( (\hat x_n - \bar x)(\hat x_n - \bar x)^\top + C_n \big)

    where :math:`\hat x_n` is the row with its missing values replaced by their expectations, and
    :math:`C_n` the covariance of those [Tipping99]. Rows without any value are left out.

    Parameters
    ----------
    mean, loadings, noise
        The Gaussian of the last iteration, as in :func:`by_missing`.
    """

    def __init__(self, mean: Array, loadings: Array, noise: float) -> None:
        self.gaussian: tuple[Array, Array, float] = mean, loadings, noise

    def init(self, n_features: int) -> ExpectedMoments:
        """Return the moments of no rows."""
        return no_rows(n_features), 0.0, 0

    def update(self, state: ExpectedMoments, chunk: Chunk) -> ExpectedMoments:
        """Complete and join the rows of `chunk`."""
        n_rows, n_features = chunk.X.shape
        weight = np.ones(n_rows) if chunk.weight is None else chunk.weight
        filled, used = np.empty((n_rows, n_features)), np.zeros(n_rows)
        spread, log_likelihood, empty = np.zeros((n_features, n_features)), 0.0, 0
        for rows, missing, completed, covariance, density in by_missing(chunk.X, *self.gaussian):
            filled[rows] = completed
            if len(missing) == n_features:
                empty = len(rows)
                continue
            used[rows] = weight[rows]
            spread[np.ix_(missing, missing)] += weight[rows].sum() * covariance
            log_likelihood += float(weight[rows] @ density)
        moments = scatter(filled, used)
        moments = moments._replace(scatter=moments.scatter + spread)
        return self.merge(state, (moments, log_likelihood, empty))

    def merge(self, left: ExpectedMoments, right: ExpectedMoments) -> ExpectedMoments:
        """Join two groups of rows."""
        return Covariance().merge(left[0], right[0]), left[1] + right[1], left[2] + right[2]

    def finalize(self, state: ExpectedMoments) -> ExpectedMoments:
        """Return the moments and the log-likelihood."""
        return state
