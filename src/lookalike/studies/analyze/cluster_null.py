"""Rows without clusters that are otherwise like given ones: same margins and correlations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import norm, rankdata
from sklearn.isotonic import isotonic_regression

from lookalike.typing import Array

MARGIN_LEVELS = np.unique(
    np.concatenate([[0, 0.005, 0.01, 0.02], np.linspace(0.04, 0.96, 24), [0.98, 0.99, 0.995, 1]])
)


class UnimodalMargin(NamedTuple):
    """Quantiles of a column, and the levels that they have in the nearest unimodal distribution."""

    quantile: Array
    level: Array


def draw_without_clusters(Z: Array, n_draws: int, rng: np.random.Generator) -> Array:
    """Return tables of as many rows as `Z` without clusters, in three ways (3 n_draws, …).

    Columns are drawn by a Gaussian copula with the rank correlations of `Z`, each with the margin
    of `Z` made unimodal: skewed, heavy-tailed and correlated columns stay so, and have one mode. A
    column of few values keeps its own. The same is done along the principal components, and rows
    are drawn that fill the box of these [Tibshirani01].
    """
    middle = Z.mean(axis=0)
    axes = np.linalg.svd(Z - middle, full_matrices=False)[2]
    along = (Z - middle) @ axes.T
    ends = along.min(axis=0), along.max(axis=0)
    box = rng.uniform(*ends, size=(n_draws, *along.shape)) @ axes
    return np.concatenate(
        [_copula(Z, n_draws, rng), _copula(along, n_draws, rng) @ axes + middle, box + middle]
    )


def _copula(Z: Array, n_draws: int, rng: np.random.Generator) -> Array:
    """Return tables drawn with unimodal margins and the rank correlations of `Z`."""
    n_rows, n_columns = Z.shape
    scores = norm.ppf((rankdata(Z, axis=0) - 0.5) / n_rows)
    scores /= np.maximum(scores.std(axis=0), 1e-12)
    variance, axes = np.linalg.eigh(scores.T @ scores / n_rows)
    mixing = axes * np.sqrt(np.maximum(variance, 0.0))
    level = norm.cdf(rng.normal(size=(n_draws, n_rows, n_columns)) @ mixing.T)
    drawn: Array = np.empty_like(level)
    for j, column in enumerate(Z.T):
        margin = _unimodal(column)
        if margin is None:
            drawn[..., j] = np.quantile(column, level[..., j], method="inverted_cdf")
        else:
            drawn[..., j] = np.interp(level[..., j], margin.level, margin.quantile)
    return drawn


def _unimodal(column: Array) -> UnimodalMargin | None:
    """Return the unimodal distribution nearest to a column; None of a column with few values.

    Between quantiles the density is constant; it rises up to a mode and falls from there on, by
    isotonic regression, for the mode with the smallest difference of distribution functions.
    """
    quantile = np.quantile(column, MARGIN_LEVELS)
    width, mass = np.diff(quantile), np.diff(MARGIN_LEVELS)
    if not (width > 1e-9 * max(float(np.ptp(column)), 1e-300)).all():
        return None
    density = mass / width
    best, least = MARGIN_LEVELS, np.inf
    for mode in range(len(density)):
        rise = isotonic_regression(density[: mode + 1], sample_weight=width[: mode + 1])
        fall = isotonic_regression(density[mode:], sample_weight=width[mode:], increasing=False)
        height = np.concatenate([rise[:-1], [max(rise[-1], fall[0])], fall[1:]])
        level = np.append(0.0, np.cumsum(height * width))
        level /= level[-1]
        difference = float(np.abs(level - MARGIN_LEVELS).max())
        if difference < least:
            best, least = level, difference
    return UnimodalMargin(quantile, best)
