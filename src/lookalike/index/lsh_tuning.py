"""How many tables of how many hashes reach a recall: predicted from distances, then measured."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from lookalike.typing import Array

MOST_TABLES = 64
MOST_HASHES = 24
CONFIDENCE = 1.959963984540054  # of a 95 % interval


class Setting(NamedTuple):
    """What an index is built with, and what is expected of it."""

    tables: int
    hashes: int
    width: float
    recall: float  # predicted
    share: float  # of all rows that a query is compared with, predicted


class Recall(NamedTuple):
    """The share of true neighbours found, with a 95 % interval."""

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
    n_rows: int,
    n_features: int,
    recall: float,
    tables: int | None,
    hashes: int | None,
    width: float | None,
) -> Setting:
    """Return the cheapest setting predicted to reach `recall`, or the one that comes nearest.

    `near` holds distances of sampled rows to their true neighbours, `far` to random rows. What is
    given is kept. The cost of a query is its projections and the rows compared with it.
    """
    aim = recall + 0.25 * (1 - recall)  # a prediction is no promise
    best: tuple[tuple[float, float], Setting] | None = None
    for w in [width] if width is not None else _widths(family, near, far):
        same_near, same_far = collision(family, near, w), collision(family, far, w)
        for m in [hashes] if hashes is not None else range(1, MOST_HASHES + 1):
            all_near, all_far = same_near**m, same_far**m
            for count in [tables] if tables is not None else _table_counts():
                reached = float((1 - (1 - all_near) ** count).mean())
                if reached < aim and tables is None and count < MOST_TABLES:
                    continue
                share = float((1 - (1 - all_far) ** count).mean())
                work = count * (m * n_features + 64) + share * n_rows * n_features
                rank = (max(0.0, aim - reached), work)
                if best is None or rank < best[0]:
                    best = (rank, Setting(count, m, w, reached, share))
                break
    assert best is not None  # at least one setting was tried
    return best[1]


def measure(found: Array, true: Array) -> Recall:
    """Return the share of true neighbours found, from distances of both, nearest first.

    A row as near as the last true neighbour counts. The interval is Wilson's [Wilson27].

    Examples
    --------
    >>> measure(np.array([[0.1, 0.3]]), np.array([[0.1, 0.2]])).share
    0.5
    """
    queries, k = true.shape
    trials = queries * k
    share = float((found <= true[:, -1:]).sum()) / trials
    z2 = CONFIDENCE**2
    middle = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = CONFIDENCE / (1 + z2 / trials)
    half *= float(np.sqrt(share * (1 - share) / trials + z2 / (4 * trials**2)))
    return Recall(share, max(0.0, middle - half), min(1.0, middle + half), queries, k)


def _widths(family: str, near: Array, far: Array) -> list[float]:
    if family not in ("gaussian", "cauchy"):
        return [1.0]  # no width in these
    usual = [float(np.median(part[part > 0])) for part in (near, far) if (part > 0).any()]
    return [usual[0] * factor for factor in (0.5, 1, 2, 4, 8, 16)] if usual else [1.0]


def _table_counts() -> list[int]:
    return [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, MOST_TABLES]
