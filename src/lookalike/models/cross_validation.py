"""Folds and held-out rows: the one place where rows are split for validation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, check_cv

from lookalike.errors import ParameterError, ParameterTypeError, ShapeError
from lookalike.models.labels import read_labels
from lookalike.typing import AnyArray, Rows
from lookalike.validation import is_float, is_function, shown


class HeldOutRows(NamedTuple):
    """Rows of fit that are queries, each held out alone or with all rows of its part.

    A row of weight w stands for w copies: held out alone, w - 1 of them stay.
    """

    row: Rows  # (queries,), numbers of rows of fit
    part: Rows | None = None  # (rows,), rows of one part are held out together


def as_groups(groups: object, n_rows: int) -> Rows:
    """Return the group of every row as a number from zero, or raise."""
    given = read_labels(groups, name="groups")
    if not given.flat or len(given.codes) != n_rows:
        raise ShapeError(
            f"groups has shape {given.codes.shape}, X {n_rows} rows. Give one per row."
        )
    return given.codes[:, 0]


def assign_folds(targets: AnyArray, n_folds: int, *, stratify: bool, groups: Rows | None) -> Rows:
    """Return the fold of every row: those of scikit-learn's splitters, unshuffled.

    Groups stay together (GroupKFold); classes, codes from zero in the first column of `targets`,
    keep their proportions where `stratify` (StratifiedKFold).
    """
    n_rows, label = len(targets), targets[:, 0]
    _require_a_part_a_fold(n_rows, n_folds, groups)
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


def _require_a_part_a_fold(n_rows: int, n_folds: int, groups: Rows | None) -> None:
    what, name = ("rows", "n_samples") if groups is None else ("groups", "n_groups")
    parts = n_rows if groups is None else len(np.unique(groups))
    if parts < n_folds:
        raise ShapeError(
            f"{n_folds} folds need {n_folds} {what} at least, and {name} = {parts}. Give more "
            f"{what}, fewer folds, or 'loo' instead of 'cv'."
        )


def deal_folds(
    y: AnyArray,
    n_folds: int,
    *,
    stratify: bool,
    rng: np.random.Generator | None = None,
    groups: Rows | None = None,
) -> Rows:
    """Return the fold of every row: rows are dealt out in turn, class by class where `stratify`.

    `rng` shuffles the rows of each class first. Rows of one group, given as numbers from zero,
    are in one fold. Unlike `assign_folds`, it serves classes of any type and with fewer rows than
    folds.
    """
    stratum = y if stratify else np.zeros(len(y), np.int64)
    order_key = np.arange(len(y)) if rng is None else rng.random(len(y))
    if groups is not None and np.bincount(groups).max() > 1:
        return _deal_groups(np.unique(stratum, return_inverse=True)[1], n_folds, groups, order_key)
    fold = np.empty(len(y), np.int64)
    fold[np.lexsort((order_key, stratum))] = np.arange(len(y)) % n_folds
    return fold


def checked_folds(cv: object, X: AnyArray, y: AnyArray, model: object) -> list[tuple[Rows, Rows]]:
    """Return the folds that `cv` stands for, as scikit-learn reads it; raise where it has none."""
    try:
        if isinstance(cv, (bool, str, bytes, Mapping)):
            raise TypeError(f"cv={shown(cv)} is neither a number nor a splitter")
        splitter = check_cv(cv, y, classifier=is_classifier(model))
        folds = [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(X, y)]
        if not folds or not all(len(X[train]) and len(X[test]) for train, test in folds):
            raise ValueError(f"cv={shown(cv)} gives no folds")
    except (TypeError, ValueError, IndexError, AttributeError) as error:
        raise ParameterError(
            f"The folds cannot be made: {' '.join(str(error).split())}. Give cv as a number of "
            "folds >= 2, a splitter of scikit-learn, or pairs of row numbers."
        ) from None
    return folds


def checked_scorer(model: object, scoring: object) -> Callable[..., float]:
    """Return the scorer that `scoring` stands for, as scikit-learn reads it, or raise."""
    try:
        if not (scoring is None or isinstance(scoring, str) or is_function(scoring)):
            raise TypeError(f"scoring={shown(scoring)} is neither a name nor a function")
        scorer = check_scoring(model, scoring)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{' '.join(str(error).split())}. Give another scoring.") from None

    def score(fitted: object, X: AnyArray, y: AnyArray) -> float:
        value = scorer(fitted, X, y)
        if not is_float(value):
            raise ParameterTypeError(f"scoring returned {shown(value)}. Return a number.")
        return float(value)

    return score


def _deal_groups(codes: Rows, n_folds: int, groups: Rows, order_key: AnyArray) -> Rows:
    """Deal out the large groups first, each to the fold with the fewest rows of its classes."""
    n_classes, size = int(codes.max()) + 1, np.bincount(groups)
    order = np.lexsort((order_key, groups))
    ends = np.cumsum(size)
    rank = np.empty(len(size))
    rank[groups] = order_key  # of one of its rows
    fold = np.empty(len(codes), np.int64)
    counts = np.zeros((n_folds, n_classes), np.int64)
    large = np.flatnonzero(size > 1)
    for group in large[np.lexsort((rank[large], -size[large]))]:
        rows = order[ends[group] - size[group] : ends[group]]
        group_counts = np.bincount(codes[rows], minlength=n_classes)
        best = np.lexsort((counts.sum(axis=1), counts @ group_counts))[0]
        fold[rows], counts[best] = best, counts[best] + group_counts
    single = size[groups] == 1
    for code in range(n_classes):
        rows = np.flatnonzero(single & (codes == code))
        rows = rows[np.argsort(order_key[rows], kind="stable")]
        fold[rows] = _level(counts[:, code], counts.sum(axis=1), len(rows))
        counts[:, code] += np.bincount(fold[rows], minlength=n_folds)
    return fold


def _level(counts: Rows, totals: Rows, n_rows: int) -> Rows:
    """Return folds for `n_rows` rows of a class such that all folds have equally many of it."""
    low, high = int(counts.min()), int(counts.max()) + n_rows + 1
    while high - low > 1:  # the highest level that the rows can fill all folds to
        middle = (low + high) // 2
        enough = np.maximum(middle - counts, 0).sum() <= n_rows
        low, high = (middle, high) if enough else (low, middle)
    need = np.maximum(low - counts, 0)
    rest = n_rows - int(need.sum())
    open_folds = np.flatnonzero(counts + need == low)
    need[open_folds[np.argsort((totals + need)[open_folds], kind="stable")[:rest]]] += 1
    turns = np.concatenate([np.arange(times) for times in need])
    return np.repeat(np.arange(len(counts)), need)[np.argsort(turns, kind="stable")]
