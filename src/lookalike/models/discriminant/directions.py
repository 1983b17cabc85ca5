"""Discriminant directions, from the moments of the classes alone.

Of the classes are given: count, the weight of each; priors; means, less the overall mean; the
covariance within them; and, where a solver needs it, the total covariance of all rows.
"""

from __future__ import annotations

import numpy as np

from lookalike.decisions import Decisions
from lookalike.interrupt import interruptible
from lookalike.models.linalg.eigenvectors import fix_signs
from lookalike.typing import Array

FLOAT64_EPSILON = 2.0**-52


Discriminant = tuple[Array | None, Array | None, Array, Array]
# directions (d, r) and their shares of the between-class variance (r,); of each class, the linear
# function of centered rows: coefficients (c, d) and intercepts (c,)


def solve_svd(
    count: Array, priors: Array, means: Array, within: Array, *, tol: float, decisions: Decisions
) -> Discriminant:
    r"""Whiten within the classes, then find the directions in which the means differ most.

    .. math:: W^\top S_W W = I, \qquad W^\top (m_c - \bar x) = U \Sigma V^\top, \qquad
              \text{scalings} = W V

    Directions whose deviation within the classes is below `tol`, in units of the columns' own,
    are left out; where all are, the classes are points, and `tol` is their deviation.
    """
    deviation = np.sqrt(np.maximum(np.diag(within), 0.0))
    scale = np.where(deviation > 0, deviation, 1.0)
    value, vector = interruptible(np.linalg.eigh, within / np.outer(scale, scale))
    singular = np.sqrt(np.maximum(value[::-1], 0.0))
    least = max(tol, np.sqrt(len(scale) * FLOAT64_EPSILON) * singular[0])
    rank = int(np.count_nonzero(singular > least))
    if rank:
        whiten = (vector[:, ::-1][:, :rank].T / scale).T / singular[:rank]
        _note_dropped(whiten, decisions)
    else:
        whiten = _whiten_points(priors, means, tol, decisions)
    n_classes = int(np.count_nonzero(count)) or 1
    weight = np.sqrt(count.sum() * priors / max(n_classes - 1, 1))
    centers = (weight[:, None] * means) @ whiten
    _, strength, turn = interruptible(np.linalg.svd, centers, full_matrices=False)
    rank = int(np.count_nonzero(strength > max(tol, FLOAT64_EPSILON) * strength.max(initial=0.0)))
    power = strength**2
    ratio = power / power.sum() if power.any() else np.zeros_like(power)
    scalings = _turn(whiten @ turn[:rank].T)
    projected = means @ scalings
    intercept = -0.5 * (projected**2).sum(axis=1) + _log(priors)
    return scalings, ratio, projected @ scalings.T, intercept


def solve_eigen(
    priors: Array, means: Array, within: Array, total: Array, *, decisions: Decisions
) -> Discriminant:
    r"""Find the directions of the largest ratio of scatter between to scatter within.

    .. math:: (S_T - S_W) v = \lambda S_W v

    [Fisher36]. Where :math:`S_W` is singular, within the space that it spans.
    """
    value, vector = interruptible(np.linalg.eigh, within)
    spanned = value > len(value) * FLOAT64_EPSILON * max(value[-1], 0.0)
    if spanned.any():
        whiten = vector[:, spanned] / np.sqrt(value[spanned])
        _note_dropped(whiten, decisions)
    else:
        whiten = _whiten_points(priors, means, 0.0, decisions)
    between = whiten.T @ (total - within) @ whiten
    strength, turn = interruptible(np.linalg.eigh, (between + between.T) / 2)
    strength, turn = strength[::-1], turn[:, ::-1]
    power = strength.sum()
    scalings = _turn(whiten @ turn)
    coef = means @ scalings @ scalings.T
    intercept = -0.5 * np.einsum("ij,ij->i", means, coef) + _log(priors)
    ratio = strength / power if power > 0 else np.zeros_like(strength)
    return scalings, ratio, coef, intercept


def solve_lsqr(priors: Array, means: Array, within: Array, *, decisions: Decisions) -> Discriminant:
    r"""Find the linear functions alone: :math:`S_W w_c = m_c - \bar x`, of least length."""
    if not within.any():
        whiten = _whiten_points(priors, means, 0.0, decisions)
        coef = means @ whiten @ whiten.T
    else:
        value, vector = interruptible(np.linalg.eigh, within)
        spanned = value > len(value) * FLOAT64_EPSILON * value[-1]
        vector = vector[:, spanned]
        coef = means @ vector / value[spanned] @ vector.T
    intercept = -0.5 * np.einsum("ij,ij->i", means, coef) + _log(priors)
    return None, None, coef, intercept


def _whiten_points(priors: Array, means: Array, tol: float, decisions: Decisions) -> Array:
    """Return the whitening of classes without any scatter: `tol` of the spread of the means."""
    spread = np.sqrt(priors @ means**2)
    unit = tol if tol > 0 else np.sqrt(FLOAT64_EPSILON)
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


def _turn(scalings: Array) -> Array:
    return fix_signs(scalings.T).T if scalings.size else scalings


def _log(priors: Array) -> Array:
    with np.errstate(divide="ignore"):  # a class without rows has no probability
        return np.log(priors)
