"""Rows with missing values under a Gaussian of few directions and equal noise around them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from lookalike.typing import AnyArray, Array, Rows

# Places of rows that miss the same columns; these columns; the rows completed by the expectations
# of what they miss; the covariance of that; the log density of the values present in each row.
MissingPattern: TypeAlias = tuple[Rows, Rows, Array, Array, Array]


def by_missing(X: AnyArray, mean: Array, loadings: Array, noise: float) -> Iterator[MissingPattern]:
    r"""Give the rows of `X` in groups that miss the same columns, with their expectations.

    The density is :math:`N(\mu, W W^\top + \sigma^2 I)` [Tipping99], with the mean (d,), the
    loadings W (d, q) and the variance of the noise around them. With :math:`W_o` the rows of W that
    belong to the values present,

    .. math:: M = W_o^\top W_o + \sigma^2 I, \qquad
              E[x_m] = \mu_m + W_m M^{-1} W_o^\top (x_o - \mu_o), \qquad
              \mathrm{cov}[x_m] = \sigma^2 (I + W_m M^{-1} W_m^\top)
    """
    absent = np.isnan(X)
    patterns, group = np.unique(np.packbits(absent, axis=1), axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable").astype(np.int64)
    ends = np.cumsum(np.bincount(group.ravel(), minlength=len(patterns)))
    for rows in np.split(order, ends[:-1]):
        yield _expect(X, rows, absent[rows[0]], mean=mean, W=loadings, noise=noise)


def _expect(
    X: AnyArray, rows: Rows, absent: AnyArray, *, mean: Array, W: Array, noise: float
) -> MissingPattern:
    missing, present = np.flatnonzero(absent), np.flatnonzero(~absent)
    q = W.shape[1]
    filled = X[rows].astype(np.float64)
    difference = filled[:, present] - mean[present]
    factor = cho_factor(W[present].T @ W[present] + noise * np.eye(q)) if q else None
    along = difference @ W[present]
    latent = cho_solve(factor, along.T).T if factor is not None else along
    filled[:, missing] = mean[missing] + latent @ W[missing].T
    covariance = noise * np.eye(len(missing))
    log_det = (len(present) - q) * np.log(noise)
    if factor is not None:
        covariance += noise * W[missing] @ cho_solve(factor, W[missing].T)
        log_det += 2.0 * np.log(np.diag(factor[0])).sum()
    far = ((difference**2).sum(axis=1) - (along * latent).sum(axis=1)) / noise
    log_density = -0.5 * (far + log_det + len(present) * np.log(2.0 * np.pi))
    return rows, missing, filled, covariance, log_density
