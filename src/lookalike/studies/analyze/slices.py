"""Slices: parts of the rows with a much higher error, searched on one half, tested on the other.

A slice is a category of a column, an end of a number, missing cells, or two of these together. The
search takes what it likes on its half; what it brings is tested on rows that it has not seen, so
that the chance of any false slice is that of the tests, corrected for their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from lookalike.confidence import wilson
from lookalike.missing import is_missing
from lookalike.printable import number
from lookalike.studies.analysis_results import SIGNIFICANCE_LEVEL, STATED_LEVEL, Slice
from lookalike.studies.evaluate.fold_tests import holm, mean_over_folds
from lookalike.studies.format import Interval
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.task import CLASSIFICATION_TASK, Task
from lookalike.typing import AnyArray, Array, Rows

MIN_SLICE_ROWS = 15  # in each half
MAX_SLICE_SHARE = 0.5  # of the rows
MIN_ERROR_RATIO = 1.5  # of a slice to the other rows
MAX_CATEGORIES_SLICED = 50  # of a column
NUMBER_ENDS = (0.1, 0.2, 0.8, 0.9)  # quantiles that cut off an end
MAX_SLICES_TESTED = 4
MAX_CONDITIONS_PAIRED = 12  # those of the clearest difference
MAX_SHARED_ROWS = 0.5  # part of the rows of two slices that may be the same ones
N_SHUFFLES = 1999  # of the rows, for the p-value of a slice
MAX_TESTED_ROWS = 10_000
N_INTERVAL_DRAWS = 1000  # of the bootstrap of an RMSE

Members = AnyArray  # which rows are in a slice


class RowLosses(NamedTuple):
    """The loss of every held-out row by the selected model, and which rows belong together."""

    loss: Array
    groups: Rows | None = None


def find_slices(
    losses: RowLosses, dataset: Dataset, kinds: Mapping[str, str], task: Task, seed: int
) -> tuple[Slice, ...]:
    """Return the slices whose error is significantly higher than that of the other rows.

    Parameters
    ----------
    losses : RowLosses
        Of the rows of `dataset`, by models that were not fitted to them.
    dataset : Dataset
        The rows.
    kinds : mapping
        How each column is read that slices may be of.
    task : Task
        Classification or regression.
    seed : int
        Of the halves and of the tests.
    """
    rng = np.random.default_rng(seed)
    places = rng.permutation(len(dataset))[: 2 * MAX_TESTED_ROWS]
    dataset, loss = dataset.take(places), losses.loss[places]
    groups = None if losses.groups is None else losses.groups[places]
    searched = _half_of(len(places), groups, rng)
    conditions = {
        rule: members
        for name in dataset.names
        if name in kinds
        for rule, members in column_conditions(name, dataset.column(name), kinds[name])
    }
    chosen = _search(conditions, loss, searched)
    if not chosen:
        return ()
    tested = RowLosses(loss[~searched], None if groups is None else groups[~searched])
    test = _permutation_p_value if groups is None else _grouped_p_value
    adjusted = holm([test(tested, members[~searched], rng) for members in chosen.values()])
    slices = []
    for (rule, members), p_value in zip(chosen.items(), adjusted.tolist(), strict=True):
        of_slice = members[~searched]
        inside, others = tested.loss[of_slice], tested.loss[~of_slice]
        slices.append(_slice(rule, inside, others, task, (p_value, len(chosen))))
    clear = [
        candidate
        for candidate in slices
        if candidate.adjusted_p <= STATED_LEVEL and _is_higher(candidate)
    ]
    return tuple(sorted(clear, key=lambda candidate: -candidate.error))


def _half_of(n_rows: int, groups: Rows | None, rng: np.random.Generator) -> AnyArray:
    """Return a random half of the rows; rows of one group are on one side."""
    units = np.arange(n_rows) if groups is None else np.unique(groups, return_inverse=True)[1]
    half: AnyArray = (rng.permutation(int(units.max()) + 1) % 2 == 0)[units]
    return half


def column_conditions(
    name: str, column: AnyArray, kind: str
) -> Iterator[tuple[tuple[str, ...], Members]]:
    """Give the conditions that a column offers, each with the rows that meet it.

    Examples
    --------
    >>> for rule, members in column_conditions("site", np.array(["A", "B", "A"]), "category"):
    ...     print(rule, members.tolist())
    ('site = A',) [True, False, True]
    ('site = B',) [False, True, False]
    """
    missing = np.array([is_missing(cell) for cell in column.tolist()])
    if missing.any():
        yield (f"{name} missing",), missing
    if kind in ("category", "boolean") or column.dtype.kind not in "iufM":
        cells = np.array([str(cell) for cell in column.tolist()])
        values = np.unique(cells[~missing])
        if len(values) <= MAX_CATEGORIES_SLICED:
            for value in values.tolist():
                yield (f"{name} = {value}",), (cells == value) & ~missing
        return
    if column.dtype.kind == "M" or missing.all():
        return
    values = column.astype(np.float64)
    for share, edge in zip(NUMBER_ENDS, np.quantile(values[~missing], NUMBER_ENDS), strict=True):
        with np.errstate(invalid="ignore"):
            low = share < 0.5
            members = values <= edge if low else values >= edge
        yield (f"{name} {'≤' if low else '≥'} {number(float(edge))}",), members & ~missing


def _search(
    conditions: Mapping[tuple[str, ...], Members], loss: Array, searched: AnyArray
) -> dict[tuple[str, ...], Members]:
    """Return the slices to test: those of the clearest difference on the rows searched."""
    single = _rank(conditions, loss, searched)
    pairs = {
        (*first, *second): conditions[first] & conditions[second]
        for first, second in combinations(single[:MAX_CONDITIONS_PAIRED], 2)
        if _both_matter(conditions[first] & searched, conditions[second] & searched, loss)
    }
    offered = {**conditions, **pairs}
    chosen: dict[tuple[str, ...], Members] = {}
    for rule in _rank(offered, loss, searched):
        members = offered[rule]
        if all(_shared(members, other) <= MAX_SHARED_ROWS for other in chosen.values()):
            chosen[rule] = members
        if len(chosen) == MAX_SLICES_TESTED:
            break
    return chosen


def _both_matter(first: Members, second: Members, loss: Array) -> bool:
    """Return whether rows of both have a much higher error than those of either alone."""
    both = first & second
    alone = [loss[rows & ~both] for rows in (first, second)]
    if both.sum() < MIN_SLICE_ROWS or not all(map(len, alone)):
        return False
    least = MIN_ERROR_RATIO * max(float(rows.mean()) for rows in alone)
    return bool(loss[both].mean() > least)


def _shared(members: Members, other: Members) -> float:
    return float((members & other).sum()) / max(float(min(members.sum(), other.sum())), 1.0)


def _rank(
    offered: Mapping[tuple[str, ...], Members], loss: Array, searched: AnyArray
) -> list[tuple[str, ...]]:
    """Return the slices of a much higher error on the rows searched, the clearest first."""
    clearness = {}
    for rule, members in offered.items():
        inside, outside = members & searched, ~members & searched
        enough = min(inside.sum(), (members & ~searched).sum()) >= MIN_SLICE_ROWS
        if not enough or members.mean() > MAX_SLICE_SHARE:
            continue
        losses, others = loss[inside], loss[outside]
        if losses.mean() <= MIN_ERROR_RATIO * others.mean():
            continue
        variance = loss[searched].var() * (1 / len(losses) + 1 / len(others))
        clearness[rule] = float(losses.mean() - others.mean()) / variance**0.5
    return sorted(clearness, key=lambda rule: (-clearness[rule], len(rule)))


def _permutation_p_value(rows: RowLosses, members: Members, rng: np.random.Generator) -> float:
    """Return how often rows drawn at random have a mean loss as high; roots of squares count."""
    loss, n_members = rows.loss**0.5, int(members.sum())
    observed = float(loss[members].sum()) - 1e-12 * n_members
    as_high = 1
    for _ in range(N_SHUFFLES):
        as_high += float(rng.permutation(loss)[:n_members].sum()) >= observed
    return as_high / (N_SHUFFLES + 1)


def _grouped_p_value(rows: RowLosses, members: Members, _: np.random.Generator) -> float:
    """Return the p-value of a mean loss no higher than that of the others, over groups of rows."""
    loss = rows.loss**0.5
    higher = loss[members] - loss[~members].mean()
    groups = None if rows.groups is None else rows.groups[members]
    return mean_over_folds(higher, np.zeros(len(higher), np.int64), groups).p_value


def _slice(
    rule: tuple[str, ...], inside: Array, others: Array, task: Task, tested: tuple[float, int]
) -> Slice:
    """Return a slice with its figures; `tested` are its p-value and how many were tested."""
    p_value, n_tested = tested
    interval = _interval(inside, task, 1 - SIGNIFICANCE_LEVEL / n_tested)
    error, error_of_others = (task.value(float(loss.mean())) for loss in (inside, others))
    return Slice(" and ".join(rule), error, interval, len(inside), error_of_others, p_value)


def _interval(loss: Array, task: Task, confidence: float) -> Interval:
    """Return an interval that holds for all slices tested at once."""
    if task is CLASSIFICATION_TASK:
        return wilson(float(loss.mean()), len(loss), confidence)
    rng = np.random.default_rng(0)
    drawn = rng.choice(loss, (N_INTERVAL_DRAWS, len(loss))).mean(axis=1) ** 0.5
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def _is_higher(candidate: Slice) -> bool:
    return (
        candidate.error >= MIN_ERROR_RATIO * candidate.error_of_others
        and candidate.interval[0] > candidate.error_of_others
    )
