"""Probabilistic PCA: a Gaussian with a few components and isotropic noise."""

from __future__ import annotations

import numpy as np

from lookalike.data.checks import require_finite
from lookalike.data.chunk import Chunk, Column
from lookalike.kernels.gaussian_missing import by_missing
from lookalike.kernels.native_arrays import as_dense
from lookalike.models.estimator import Model, check_is_fitted
from lookalike.models.linalg.magnitude import MIN_SQUARES_FLOAT64, require_range
from lookalike.typing import AnyArray, Array


class ProbabilisticScores(Model):
    r"""The density of rows under a fitted PCA (probabilistic PCA) [Tipping99].

    .. math:: x \sim N\big(\bar x, \; U (\Lambda - \sigma^2 I) U^\top + \sigma^2 I\big)

    The density does not depend on `whiten`. Where rows vary in no other direction the noise
    is zero and there is no density; variances then count as at least the precision of numbers
    times the largest, so that likelihoods stay finite.
    """

    components_: AnyArray
    explained_variance_: Array
    noise_variance_: float
    rank_: int
    mean_: Array
    missing: str

    def score_samples(self, X: object) -> Array:
        """Return the log-likelihood of every row of `X`.

        With ``missing="em"``, that of the values present.
        """
        check_is_fitted(self)
        return self._map_chunks(self._log_density, X)

    def score(self, X: object, y: object = None) -> float:
        """Return the mean log-likelihood of the rows of `X`; `y` is ignored."""
        return float(self.score_samples(X).mean())

    def get_covariance(self) -> Array:
        r"""Return :math:`U (\Lambda - \sigma^2 I) U^\top + \sigma^2 I`."""
        check_is_fitted(self)
        U = self.components_.astype(np.float64)
        beyond = np.maximum(self.explained_variance_ - self.noise_variance_, 0.0)
        return (U.T * beyond) @ U + self.noise_variance_ * np.eye(U.shape[1])

    def get_precision(self) -> Array:
        r"""Return :math:`U (\Lambda^{-1} - \sigma^{-2} I) U^\top + \sigma^{-2} I`, its inverse."""
        check_is_fitted(self)
        U = self.components_.astype(np.float64)
        variance, noise = self._positive_variances()
        if len(U) == U.shape[1]:
            return (U.T / variance) @ U
        return (U.T * (1.0 / variance - 1.0 / noise)) @ U + np.eye(U.shape[1]) / noise

    def _gaussian(self) -> tuple[Array, Array, float]:
        """Return the mean, the loadings and the variance of the noise."""
        variance, noise = self._positive_variances()
        U = self.components_.astype(np.float64)
        return self.mean_, U.T * np.sqrt(np.maximum(variance - noise, 0.0)), noise

    def _positive_variances(self) -> tuple[Array, float]:
        """Return the variances kept and that of the noise, both at least the precision."""
        largest = float(self.explained_variance_.max(initial=self.noise_variance_))
        require_range(np.full(1, largest), least=MIN_SQUARES_FLOAT64 if self.rank_ else 0.0)
        least = max(np.finfo(float).eps * largest, np.finfo(float).tiny)
        noise = max(self.noise_variance_, least)
        return np.maximum(self.explained_variance_, max(self.noise_variance_, least)), noise

    def _log_density(self, columns: tuple[Column, ...], chunk: Chunk) -> Array:
        incomplete = self.missing == "em"
        require_finite(chunk.X, chunk.offset, columns, allow_nan=incomplete)
        X = as_dense(chunk.X)
        if incomplete and np.isnan(X).any():
            density = np.empty(len(X))
            for rows, *_, log_density in by_missing(X, *self._gaussian()):
                density[rows] = log_density
            return density
        difference = X - self.mean_
        U = self.components_.astype(np.float64)
        variance, noise = self._positive_variances()
        along = difference @ U.T
        residual = difference - along @ U
        n_residual = difference.shape[1] - len(U)
        far = (along**2 / variance).sum(axis=1)
        size = difference.shape[1] * np.log(2.0 * np.pi) + np.log(variance).sum()
        if n_residual:
            far += (residual**2).sum(axis=1) / noise
            size += n_residual * np.log(noise)
        return np.asarray(-0.5 * (far + size))
