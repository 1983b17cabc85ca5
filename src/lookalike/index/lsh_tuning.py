"""How many tables of how many hashes reach a recall: predicted from distances, then measured."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from lookalike.confidence import wilson
from lookalike.typing import Array

MOST_TABLES = 64
MAX_HASHES_PER_TABLE = 24


class LSHSetting(NamedTuple):
    """What an index is built with, and what is expected of it."""

    tables: int
    hashes: int
    width: float
    recall: float  # predicted
    share: float  # of all rows that a query is compared with, predicted
    probes: int = 0  # further buckets in each table


class Recall(NamedTuple):
    """The share of true neighbors found, with a 95% interval."""

    share: float
    low: float
    high: float
    queries: int
    k: int


def collision(family: str, distance: Array, width: float) -> Array:
    r"""Return the probability that one hash of two rows at `distance` is the same.

    With :math:`t = w / d`, the width over the distance,

    .. math:: p = 1 - 2\Phi(-t) - \tfrac{2}{\sqrt{2\pi} t} (1 - e^{-t^2/2}) \quad (L_2), \qquad
              p = \tfrac{2}{\pi} \arctan t - \tfrac{1}{\pi t} \ln(1 + t^2) \quad (L_1)

    [Datar04]; :math:`1 - \theta/\pi` for an angle [Charikar02]; one minus the Jaccard [Broder97] or
    Hamming [Indyk98] distance.

    Examples
    --------
    >>> collision("minhash", np.array([0.0, 0.25, 1.0]), 1.0)
    array([1.  , 0.75, 0.  ])
    """
    if family in ("minhash", "sample"):
        return 1 - distance
    if family == "sign":
        angle: Array = np.arccos(np.clip(1 - distance, -1, 1))
        return 1 - angle / np.pi
    t = width / np.maximum(distance, width * 1e-12)
    if family == "gaussian":
        p = 1 - 2 * ndtr(-t) - 2 / (np.sqrt(2 * np.pi) * t) * -np.expm1(-t * t / 2)
    else:
        p = 2 / np.pi * np.arctan(t) - np.log1p(t * t) / (np.pi * t)
    probability: Array = np.clip(p, 0.0, 1.0)
    return probability


def choose_setting(
    family: str,
    near: Array,
    far: Array,
    *,
    aim: float,
    tables: int | None,
    hashes: int | None,
    width: float | None,
    n_rows: int,
    n_features: int,
) -> LSHSetting:
    """Return the cheapest setting predicted to reach a recall of `aim`, or that comes nearest.

    `near` holds distances of sampled rows to their true neighbors, `far` to random rows. Of
    tables, hashes and width those given are kept, the others tried.
    """
    best: tuple[tuple[float, float], LSHSetting] | None = None
    for w in tried_widths(family, near, far) if width is None else (width,):
        same_near, same_far = collision(family, near, w), collision(family, far, w)
        for m in range(1, MAX_HASHES_PER_TABLE + 1) if hashes is None else (hashes,):
            all_near, all_far = same_near**m, same_far**m
            for count in table_counts() if tables is None else (tables,):
                reached = float((1 - (1 - all_near) ** count).mean())
                if reached < aim and tables is None and count < MOST_TABLES:
                    continue
                share = float((1 - (1 - all_far) ** count).mean())
                setting = LSHSetting(count, m, w, reached, share)
                rank = (max(0.0, aim - reached), cycles(setting, n_rows, n_features))
                if best is None or rank < best[0]:
                    best = (rank, setting)
                break
    assert best is not None  # at least one setting was tried
    return best[1]


def cycles(setting: LSHSetting, n_rows: int, n_features: int) -> float:
    """Return about what a query costs: its projections, its buckets, the rows compared with it."""
    hashing = 0.6 * setting.tables * setting.hashes * n_features
    probing = 400 * setting.tables * (1 + setting.probes)
    return hashing + probing + setting.share * n_rows * (150 + 1.6 * n_features)


def measure(distance: Array, true: Array) -> Recall:
    """Return the share of true neighbors found, from distances of both, nearest first.

    A row as near as the last true neighbor counts. The interval is Wilson's [Wilson27].

    Examples
    --------
    >>> measure(np.array([[0.1, 0.3]]), np.array([[0.1, 0.2]])).share
    0.5
    """
    queries, k = true.shape
    trials = queries * k
    share = float((distance <= true[:, -1:]).sum()) / trials
    return Recall(share, *wilson(share, trials), queries, k)


def tried_widths(family: str, near: Array, far: Array) -> list[float]:
    """Return widths of intervals about as long as the distance of near rows, and longer."""
    if family not in ("gaussian", "cauchy"):
        return [1.0]  # no width in these
    usual = [float(np.median(part[part > 0])) for part in (near, far) if (part > 0).any()]
    return [usual[0] * factor for factor in (0.5, 1, 2, 4, 8, 16)] if usual else [1.0]


def table_counts() -> list[int]:
    """Return the numbers of tables that are tried."""
    return [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, MOST_TABLES]
