"""Which rows are left out together while something is chosen: alone, in groups, or in folds."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from lookalike.errors import ShapeError
from lookalike.typing import AnyArray, Rows


class HeldOutRows(NamedTuple):
    """Rows asked about themselves. Each is left out, alone or with all rows of its part.

    A row of weight w stands for w copies: left out alone, w - 1 of them stay.
    """

    row: Rows  # (queries,), numbers of rows of fit
    part: Rows | None = None  # (rows,), rows of one part do not see each other


def as_groups(groups: Any, n_rows: int) -> Rows:
    """Return the group of every row as a number from zero, or raise."""
    found = np.asarray(groups)
    if found.shape != (n_rows,):
        raise ShapeError(f"groups has shape {found.shape}, X has {n_rows} rows. Give one a row.")
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


def folds_of(targets: AnyArray, group: Rows | None, cv: int, *, classify: bool) -> Rows:
    """Return the fold of every row: those of scikit-learn's splitters, unshuffled."""
    n_rows, label = len(targets), targets[:, 0]
    fold = np.empty(n_rows, np.int64)
    if group is not None:
        splits = GroupKFold(cv).split(label, label, group)
    elif classify and np.bincount(label).max() >= cv:
        splits = StratifiedKFold(cv).split(label, label)
    else:
        splits = KFold(cv).split(label)
    with warnings.catch_warnings():  # a class smaller than the folds is in some of them only
        warnings.filterwarnings("ignore", message="The least populated class")
        for number, (_, test) in enumerate(splits):
            fold[test] = number
    return fold
