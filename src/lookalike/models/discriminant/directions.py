"""Discriminant directions, from the moments of the classes alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.decisions import Decisions
from lookalike.models.linalg.eigenvectors import fix_signs
from lookalike.typing import Array

EPS = float(np.finfo(float).eps)


class ClassStatistics(NamedTuple):
    """The moments of the classes; means are differences from the overall mean."""

    count: Array  # type: ignore[assignment]  # (c,), weight of each
    priors: Array  # (c,)
    means: Array  # (c, d)
    within: Array  # (d, d), covariance within the classes
    total: Array | None  # (d, d), covariance of all rows, where a solver needs it


class Discriminant(NamedTuple):
    """Directions, and the linear function of each class; rows are centered first."""

    scalings: Array | None  # (d, r)
    ratio: Array | None  # (r,), share of the between-class variance along each direction
    coef: Array  # (c, d)
    intercept: Array  # (c,)


def solve_svd(classes: ClassStatistics, tol: float, decisions: Decisions) -> Discriminant:
    r"""Whiten within the classes, then find the directions in which the means differ most.

    .. math:: W^\top S_W W = I, \qquad W^\top (m_c - \bar x) = U \Sigma V^\top, \qquad
              \text{scalings} = W V

    Directions whose deviation within the classes is below `tol`, in units of the columns' own,
    are left out; where all are, the classes are points, and `tol` is their deviation.
    """
    deviation = np.sqrt(np.maximum(np.diag(classes.within), 0.0))
    scale = np.where(deviation > 0, deviation, 1.0)
    value, vector = np.linalg.eigh(classes.within / np.outer(scale, scale))
    singular = np.sqrt(np.maximum(value[::-1], 0.0))
    least = max(tol, np.sqrt(len(scale) * EPS) * singular[0])
    rank = int(np.count_nonzero(singular > least))
    if rank:
        whiten = (vector[:, ::-1][:, :rank].T / scale).T / singular[:rank]
        _note_dropped(whiten, decisions)
    else:
        whiten = _whiten_points(classes, tol, decisions)
    n_classes = int(np.count_nonzero(classes.count)) or 1
    weight = np.sqrt(classes.count.sum() * classes.priors / max(n_classes - 1, 1))
    centers = (weight[:, None] * classes.means) @ whiten
    _, strength, turn = np.linalg.svd(centers, full_matrices=False)
    rank = int(np.count_nonzero(strength > max(tol, EPS) * strength.max(initial=0.0)))
    power = strength**2
    ratio = power / power.sum() if power.any() else np.zeros_like(power)
    scalings = _turned(whiten @ turn[:rank].T)
    projected = classes.means @ scalings
    intercept = -0.5 * (projected**2).sum(axis=1) + _log(classes.priors)
    return Discriminant(scalings, ratio, projected @ scalings.T, intercept)


def solve_eigen(classes: ClassStatistics, decisions: Decisions) -> Discriminant:
    r"""Find the directions of the largest ratio of scatter between to scatter within.

    .. math:: (S_T - S_W) v = \lambda S_W v

    [Fisher36]. Where :math:`S_W` is singular, within the space that it spans.
    """
    assert classes.total is not None
    value, vector = np.linalg.eigh(classes.within)
    spanned = value > len(value) * EPS * max(value[-1], 0.0)
    if spanned.any():
        whiten = vector[:, spanned] / np.sqrt(value[spanned])
        _note_dropped(whiten, decisions)
    else:
        whiten = _whiten_points(classes, 0.0, decisions)
    between = whiten.T @ (classes.total - classes.within) @ whiten
    strength, turn = np.linalg.eigh((between + between.T) / 2)
    strength, turn = strength[::-1], turn[:, ::-1]
    total = strength.sum()
    scalings = _turned(whiten @ turn)
    coef = classes.means @ scalings @ scalings.T
    intercept = -0.5 * np.einsum("ij,ij->i", classes.means, coef) + _log(classes.priors)
    return Discriminant(
        scalings, strength / total if total > 0 else np.zeros_like(strength), coef, intercept
    )


def solve_lsqr(classes: ClassStatistics, decisions: Decisions) -> Discriminant:
    r"""Find the linear functions alone: :math:`S_W w_c = m_c - \bar x`, of least length."""
    within = classes.within
    if not within.any():
        whiten = _whiten_points(classes, 0.0, decisions)
        coef = classes.means @ whiten @ whiten.T
    else:
        value, vector = np.linalg.eigh(within)
        spanned = value > len(value) * EPS * value[-1]
        vector = vector[:, spanned]
        coef = classes.means @ vector / value[spanned] @ vector.T
    intercept = -0.5 * np.einsum("ij,ij->i", classes.means, coef) + _log(classes.priors)
    return Discriminant(None, None, coef, intercept)


def _whiten_points(classes: ClassStatistics, tol: float, decisions: Decisions) -> Array:
    """Return the whitening of classes without any scatter: `tol` of the spread of the means."""
    spread = np.sqrt(classes.priors @ classes.means**2)
    unit = tol if tol > 0 else np.sqrt(EPS)
    decisions.add(
        "tol",
        f"deviation within classes taken as {unit:g} of that between them",
        "the rows of each class are all equal",
    )
    varying = np.flatnonzero(spread > 0)
    whiten = np.zeros((len(spread), len(varying)))
    whiten[varying, np.arange(len(varying))] = 1 / (unit * spread[varying])
    return whiten


def _note_dropped(whiten: Array, decisions: Decisions) -> None:
    """Record directions without within-class scatter, along which classes may still differ."""
    n_features, rank = whiten.shape
    if rank < n_features:
        decisions.add(
            "scalings_",
            f"{n_features - rank} of {n_features} directions left out",
            "the rows do not vary along them within the classes; shrinkage would keep them",
        )


def _turned(scalings: Array) -> Array:
    return fix_signs(scalings.T).T if scalings.size else scalings


def _log(priors: Array) -> Array:
    with np.errstate(divide="ignore"):  # a class without rows has no probability
        return np.log(priors)
