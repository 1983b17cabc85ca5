"""Folds and held-out rows: the one place where rows are split for validation."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from lookalike.errors import ShapeError
from lookalike.typing import AnyArray, Rows


class HeldOutRows(NamedTuple):
    """Rows of fit that are queries, each held out alone or with all rows of its part.

    A row of weight w stands for w copies: held out alone, w - 1 of them stay.
    """

    row: Rows  # (queries,), numbers of rows of fit
    part: Rows | None = None  # (rows,), rows of one part are held out together


def as_groups(groups: object, n_rows: int) -> Rows:
    """Return the group of every row as a number from zero, or raise."""
    given = np.asarray(groups)
    if given.shape != (n_rows,):
        raise ShapeError(f"groups has shape {given.shape}, X has {n_rows} rows. Give one a row.")
    return np.unique(given, return_inverse=True)[1].astype(np.int64)


def assign_folds(targets: AnyArray, n_folds: int, *, stratify: bool, groups: Rows | None) -> Rows:
    """Return the fold of every row: those of scikit-learn's splitters, unshuffled.

    Groups stay together (GroupKFold); classes, codes from zero in the first column of `targets`,
    keep their proportions where `stratify` (StratifiedKFold).
    """
    n_rows, label = len(targets), targets[:, 0]
    fold = np.empty(n_rows, np.int64)
    if groups is not None:
        splits = GroupKFold(n_folds).split(label, label, groups)
    elif stratify and np.bincount(label).max() >= n_folds:
        splits = StratifiedKFold(n_folds).split(label, label)
    else:
        splits = KFold(n_folds).split(label)
    with warnings.catch_warnings():  # a class smaller than the folds is in some of them only
        warnings.filterwarnings("ignore", message="The least populated class")
        for number, (_, test) in enumerate(splits):
            fold[test] = number
    return fold


def deal_folds(
    y: AnyArray, n_folds: int, *, stratify: bool, rng: np.random.Generator | None = None
) -> Rows:
    """Return the fold of every row: rows are dealt out in turn, class by class where `stratify`.

    `rng` shuffles the rows of each class first. Unlike `assign_folds`, it serves classes of any
    type and with fewer rows than folds.
    """
    stratum = y if stratify else np.zeros(len(y), np.int64)
    place = np.arange(len(y)) if rng is None else rng.random(len(y))
    fold = np.empty(len(y), np.int64)
    fold[np.lexsort((place, stratum))] = np.arange(len(y)) % n_folds
    return fold
