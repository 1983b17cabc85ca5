"""The within-class covariance: empirical, shrunk, or by a covariance estimator."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import numpy as np

from lookalike.data.source import Source
from lookalike.engines import Engine
from lookalike.errors import ParameterError
from lookalike.reductions.by_class import ClassSummary
from lookalike.reductions.fourth_moments import FourthMoments
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_float

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def check_shrinkage(shrinkage: object, covariance_estimator: object) -> None:
    """Raise unless a shrinkage is a share, "auto" or None, and alone."""
    if covariance_estimator is not None and shrinkage not in (None, 0):
        raise ParameterError(
            "covariance_estimator and shrinkage parameters are not None. Only one of the two can "
            "be set."
        )
    if shrinkage not in (None, "auto"):
        check_float("shrinkage", shrinkage, least=0.0, most=1.0)


def covariances(summary: ClassSummary, priors: Array) -> tuple[Array, Array]:
    r"""Return the covariance within the classes, :math:`\sum_c p_c C_c`, and that of all rows.

    One pooled scatter serves where the priors are the shares of the classes.
    """
    count, total = summary.count, summary.count.sum()
    pooled = summary.scatter.sum(axis=0) if summary.scatter.ndim == 3 else summary.scatter
    difference = summary.mean - (count / total) @ summary.mean
    overall = pooled / total + (difference * (count / total)[:, None]).T @ difference
    if summary.scatter.ndim == 2:
        return pooled / total, overall
    share = np.divide(priors, count, out=np.zeros_like(priors), where=count > 0)
    return np.tensordot(share, summary.scatter, axes=1), overall


def shrunk(covariance: Array, shrinkage: float) -> Array:
    r"""Return :math:`(1 - a) C + a\, \frac{\mathrm{tr}\, C}{d} I`."""
    level = np.trace(covariance) / len(covariance)
    return np.asarray((1 - shrinkage) * covariance + shrinkage * level * np.eye(len(covariance)))


def ledoit_wolf_covariances(
    summary: ClassSummary, priors: Array, engine: Engine, source: Source
) -> tuple[Array, Array]:
    """Return the covariances shrunk by [Ledoit04], each after its columns were scaled.

    As scikit-learn's ``shrinkage="auto"``. A second pass gathers the fourth moments.
    """
    parts = _ledoit_wolf_parts(summary, priors, engine, source)
    return np.tensordot(priors, np.stack(parts[:-1]), axes=1), parts[-1]


def ledoit_wolf_of_classes(summary: ClassSummary, engine: Engine, source: Source) -> list[Array]:
    """Return the covariance of each class, shrunk by [Ledoit04] after its columns were scaled."""
    return _ledoit_wolf_parts(summary, summary.count / summary.count.sum(), engine, source)[:-1]


def _ledoit_wolf_parts(
    summary: ClassSummary, priors: Array, engine: Engine, source: Source
) -> list[Array]:
    """Return the shrunk covariance of each class, and last that of all rows."""
    count, total = summary.count, summary.count.sum()
    _, overall = covariances(summary, priors)
    each = summary.scatter / count[:, None, None]
    covariance = np.concatenate([each, overall[None]])
    scale = np.sqrt(np.maximum(np.einsum("cii->ci", covariance), 0.0))
    scale[scale == 0] = 1.0
    center = np.vstack([summary.mean, (count / total) @ summary.mean])
    fourth = engine.reduce(FourthMoments(summary.classes, center, scale), source)
    weights = np.append(count, total)
    return [
        _ledoit_wolf(C / np.outer(s, s), q / n, n) * np.outer(s, s)
        for C, s, q, n in zip(covariance, scale, fourth, weights, strict=True)
    ]


def estimator_covariances(
    estimator: object, rows: tuple[AnyArray, AnyArray], priors: Array
) -> tuple[Array, Array]:
    """Return the covariances by an estimator such as those of sklearn.covariance."""
    parts = estimates_of_classes(estimator, rows)
    return np.tensordot(priors, np.stack(parts), axes=1), _estimate(estimator, rows[0])


def estimates_of_classes(estimator: object, rows: tuple[AnyArray, AnyArray]) -> list[Array]:
    """Return the covariance of each class, in the sorted order of the labels."""
    X, y = rows
    return [_estimate(estimator, X[y == label]) for label in np.unique(y)]


def _estimate(estimator: BaseEstimator, X: AnyArray) -> Array:
    fitted = copy.deepcopy(estimator)
    fitted.fit(X)
    if not hasattr(fitted, "covariance_"):
        raise ParameterError(
            f"covariance_estimator={type(estimator).__name__} does not have a covariance_ "
            "attribute after fit. Give one of sklearn.covariance."
        )
    return np.atleast_2d(fitted.covariance_)


def _ledoit_wolf(C: Array, fourth: float, count: float) -> Array:
    """Return `C` with the shrinkage of Ledoit and Wolf."""
    n_features = len(C)
    level = np.trace(C) / n_features
    square = float((C**2).sum())
    distance = square / n_features - level**2
    noise = min((fourth - square) / (count * n_features), distance)
    return shrunk(C, noise / distance if noise > 0 and n_features > 1 else 0.0)
