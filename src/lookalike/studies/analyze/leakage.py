"""Leakage: columns that nearly determine the target, alone, in pairs or as a sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from lookalike.studies.analysis_results import Leak
from lookalike.studies.analyze.leak_columns import (
    ReadColumn,
    filled_columns,
    read_columns,
)
from lookalike.studies.analyze.leak_models import (
    PairColumn,
    Sample,
    unexplained_by_categories,
    unexplained_by_forest,
    unexplained_by_numbers,
    unexplained_by_pair,
    unexplained_by_sum,
)
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.task import CLASSIFICATION_TASK, Task
from lookalike.typing import AnyArray, Array

MAX_ROWS_FOR_LEAKS = 1000
MIN_ROWS_FOR_LEAKS = 30
# Part of the baseline's loss that a column may leave, to determine the target.
IDENTIFIER_LOSS_SHARE = 0.05
PAIR_LOSS_SHARE = 0.02  # and a pair or a sum
COLUMN_LOSS_SHARE = 0.02  # and a column, whatever the others leave
SUM_LOSS_SHARE = 0.005  # and a sum of more than two
# Times the loss of all other columns, below which it is not an ordinary column.
SHARE_OF_OTHERS_LOSS = 0.35
SHARE_OF_BETTER_LOSS = 0.3  # times the loss of the better one of a pair, below which it takes both
MAX_COLUMNS_FOR_LEAKS = 60  # that are tried one by one: those that are most related to the target
MOST_PAIRED = 25  # columns whose pairs are tried: those that are most related to the target
SHUFFLES_OF_PAIR = 5  # of the cells of one of a pair: what the other leaves without it
MOST_SUMMED = 8  # columns of a sum
ONE_CLASS = 0.98  # part of the filled rows that are of one class
LEAST_FILLED = 10  # rows
ONE_CLASS_CHANCE = 1e-4  # that this many filled rows are of one class
# Of all rows, at most, among whose targets those of the filled rows are.
MAX_TARGET_RANGE_SHARE = 0.7
RANGE_EDGE_SHARE = 0.01  # part of the filled rows that may lie outside


def find_leaks(
    dataset: Dataset, task: Task, used: Mapping[str, str], seed: int, *, series: bool = False
) -> tuple[Leak, ...]:
    """Return the columns that nearly determine the target, and what all others leave unexplained.

    `used` are the columns that models are given. A column is reported where the loss that it leaves
    is at most 2% of that of the baseline, or at most 5% and much less than what all others leave.
    In a `series` the time of a row tells its target by the rows beside it, and leaks nothing.
    """
    if len(dataset) < MIN_ROWS_FOR_LEAKS or dataset.image_shape is not None or dataset.y is None:
        return ()
    rows = dataset.drawn(MAX_ROWS_FOR_LEAKS, seed)
    part = dataset.take(rows)
    sample = Sample(np.asarray(part.y), task, part.groups, seed)
    if sample.baseline <= 0:
        return ()
    columns = _most_related(read_columns(part), sample)
    single = [one for one in _single(columns, sample) if not (series and _is_time_of_row(one))]
    filled = list(_fill(filled_columns(part), sample))
    suspected = {name for one in (*single, *filled) for name in one.columns}
    others = [one for one in columns if one.name not in suspected and one.name in used]
    rest = unexplained_by_forest(others, sample) if single else 1.0
    confirmed = filled + [
        one
        for one in single
        if one.error <= sample.metric(_most(one.kind, rest))
        and not set(one.columns) & _names(filled)
    ]
    clear = [one for one in columns if one.name not in _names(confirmed) and one.name in used]
    confirmed += [one for one in _combine(clear, sample) if not (series and _is_time_of_row(one))]
    if not confirmed:
        return ()
    named = _names(confirmed)
    others = [one for one in columns if one.name not in named and one.name in used]
    error = sample.metric(unexplained_by_forest(others, sample))
    return tuple(
        replace(one, used=all(name in used for name in one.columns), error_of_others=error)
        for one in confirmed
    )


def _is_time_of_row(leak: Leak) -> bool:
    return leak.kind == "timestamp" and len(leak.columns) == 1


def _leak(
    kind: str, columns: tuple[str, ...], unexplained: float, method: str, sample: Sample
) -> Leak:
    """Return columns that leave so much unexplained; what others leave is not known yet."""
    error = sample.metric(unexplained)
    return Leak(kind, columns, False, error, np.nan, method, len(sample.y))


def _most_related(columns: list[ReadColumn], sample: Sample) -> list[ReadColumn]:
    """Return the columns, of very many those that are most related to the target."""
    if len(columns) <= MAX_COLUMNS_FOR_LEAKS:
        return columns
    related = sample.relations([column.numbers for column in columns])
    best = set(np.argsort(-related, kind="stable")[:MAX_COLUMNS_FOR_LEAKS].tolist())
    return [
        column for index, column in enumerate(columns) if index in best or column.numbers is None
    ]


def _most(kind: str, rest: float) -> float:
    """Return what may be left unexplained by leaking columns where all others leave `rest`."""
    return (
        IDENTIFIER_LOSS_SHARE
        if kind == "identifier"
        else max(COLUMN_LOSS_SHARE, SHARE_OF_OTHERS_LOSS * rest)
    )


def _names(leaks: list[Leak]) -> set[str]:
    return {name for leak in leaks for name in leak.columns}


def _single(columns: list[ReadColumn], sample: Sample) -> Iterator[Leak]:
    """Give single columns that leave little unexplained."""
    for column in columns:
        leaks: list[tuple[float, str]] = []
        if column.numbers is not None:
            leaks.append((unexplained_by_numbers(column.numbers, sample), "decision tree"))
        if column.codes is not None:
            leaks.append((unexplained_by_categories(column.codes, sample), "mean of each category"))
        if column.copies is not None:
            leaks.append((column.copies, "comparison with the text of the target"))
        if not leaks:
            continue
        unexplained, method = min(leaks)
        if unexplained <= IDENTIFIER_LOSS_SHARE:
            yield _leak(_kind(column, method), column.sources, unexplained, method, sample)


def _kind(column: ReadColumn, method: str) -> str:
    if method.startswith("comparison"):
        return "text copy"
    if column.is_date:
        return "timestamp"
    return "identifier" if column.is_identifier else "column"


def _fill(columns: Mapping[str, AnyArray], sample: Sample) -> Iterator[Leak]:
    """Give columns that are filled for one class only, or for the highest or lowest numbers."""
    for name, filled in columns.items():
        n_filled = int(filled.sum())
        if min(n_filled, len(filled) - n_filled) < LEAST_FILLED:
            continue
        if sample.task is CLASSIFICATION_TASK:
            total = np.bincount(sample.codes)
            present = np.bincount(sample.codes[filled], minlength=len(total))
            if filled_for_one_class(present[:, None], total):
                yield _of_filled(name, filled, sample)
        elif _part_of(sample.y, filled) ** n_filled < ONE_CLASS_CHANCE:
            yield _of_filled(name, filled, sample)


def filled_for_one_class(present: AnyArray, total: AnyArray) -> list[int]:
    """Return the columns whose values are almost all of rows of one class.

    Parameters
    ----------
    present : array of shape (n_classes, n_columns)
        Values of each column in the rows of each class.
    total : array of shape (n_classes,)
        Rows of each class.
    """
    filled, n_rows = present.sum(axis=0), float(total.sum())
    enough = (filled >= LEAST_FILLED) & (n_rows - filled >= LEAST_FILLED)
    with np.errstate(invalid="ignore", divide="ignore"):
        inside = present / filled
    top = inside.argmax(axis=0)
    share = np.asarray(total)[top] / n_rows
    most = np.take_along_axis(inside, top[None], axis=0)[0]
    found = (
        enough
        & (most >= ONE_CLASS)
        & (1 - most <= 0.1 * (1 - share))
        & (share**filled < ONE_CLASS_CHANCE)
    )
    return [int(j) for j in np.flatnonzero(found)]


def _of_filled(name: str, filled: AnyArray, sample: Sample) -> Leak:
    left = unexplained_by_categories(filled.astype(np.int64), sample)
    return _leak("filled for one class", (name,), left, "filled or not", sample)


def _part_of(y: Array, filled: Array) -> float:
    """Return the part of all rows whose target lies among those of the filled rows; 1 if large."""
    low, high = np.quantile(y[filled], [RANGE_EDGE_SHARE, 1 - RANGE_EDGE_SHARE])
    part = float(((y >= low) & (y <= high)).mean())
    return part if part <= MAX_TARGET_RANGE_SHARE else 1.0


def _combine(columns: list[ReadColumn], sample: Sample) -> list[Leak]:
    """Return the pair or the sum of numeric columns that determines the target, if one does."""
    numeric = [column for column in columns if column.numbers is not None]
    alone = {column.name: unexplained_by_numbers(column.numbers, sample) for column in numeric}
    if len(numeric) > MOST_PAIRED:
        values = [column.numbers for column in numeric]
        merits = (sample.relations(values), sample.contributions(values))
        ranks = [np.argsort(np.argsort(-merit, kind="stable"), kind="stable") for merit in merits]
        best = np.argsort(np.minimum(*ranks), kind="stable")
        numeric = [numeric[index] for index in best]
    pairs = []
    read = {column.name: PairColumn(_numbers(column)) for column in numeric[:MOST_PAIRED]}
    for first, second in combinations(numeric[:MOST_PAIRED], 2):
        left = unexplained_by_pair(read[first.name], read[second.name], sample)
        if left <= min(
            PAIR_LOSS_SHARE, SHARE_OF_BETTER_LOSS * min(alone[first.name], alone[second.name])
        ):
            pairs.append((left, first, second))
    if pairs:
        return _pair(columns, *min(pairs, key=lambda entry: entry[0]), sample)
    if sample.task is CLASSIFICATION_TASK or len(numeric) < 3:
        return []
    return _sum(columns, numeric, sample)


def _pair(
    columns: list[ReadColumn], left: float, first: ReadColumn, second: ReadColumn, sample: Sample
) -> list[Leak]:
    """Return a pair that leaves so much; the one of both where the other adds nothing to it."""
    shuffled = [
        (_loss_with_shuffled(kept, other, sample), kept)
        for kept, other in ((first, second), (second, first))
    ]
    without, one = min(shuffled, key=lambda entry: entry[0])
    if left > SHARE_OF_BETTER_LOSS * without:
        found = _leak(_kind(one, "function"), one.sources, without, "function of it", sample)
        return [found] if without <= PAIR_LOSS_SHARE else []
    others = [column for column in columns if column.name not in (first.name, second.name)]
    if left > _most("pair", unexplained_by_forest(others, sample)):
        return []
    kind = "timestamp" if first.is_date and second.is_date else "pair"
    names = tuple(dict.fromkeys((*first.sources, *second.sources)))
    return [_leak(kind, names, left, "function of both", sample)]


def _loss_with_shuffled(kept: ReadColumn, other: ReadColumn, sample: Sample) -> float:
    """Return the least that is left by a column and another whose cells are shuffled."""
    rng, pair = np.random.default_rng(sample.seed), PairColumn(_numbers(kept))
    shuffles = [PairColumn(rng.permutation(_numbers(other))) for _ in range(SHUFFLES_OF_PAIR)]
    return min(unexplained_by_pair(pair, shuffled, sample) for shuffled in shuffles)


def _sum(columns: list[ReadColumn], numeric: list[ReadColumn], sample: Sample) -> list[Leak]:
    chosen, left = _forward(numeric, sample)
    if left > SUM_LOSS_SHARE or len(chosen) < 3:
        return []
    names = tuple(column.name for column in chosen)
    others = [column for column in columns if column.name not in names]
    if left > SHARE_OF_OTHERS_LOSS * unexplained_by_forest(others, sample):
        return []
    return [_leak("sum", names, left, "linear combination", sample)]


def _forward(numeric: list[ReadColumn], sample: Sample) -> tuple[list[ReadColumn], float]:
    """Return the columns whose linear combination determines the target, chosen one by one."""
    everything = np.column_stack([_numbers(column) for column in numeric])
    if unexplained_by_sum(everything, sample) > SUM_LOSS_SHARE:
        return [], 1.0
    chosen: list[ReadColumn] = []
    left = 1.0
    while left > SUM_LOSS_SHARE and len(chosen) < min(MOST_SUMMED, len(numeric)):
        open_ones = [column for column in numeric if column not in chosen]
        tried = [
            unexplained_by_sum(np.column_stack([_numbers(o) for o in (*chosen, column)]), sample)
            for column in open_ones
        ]
        best = int(np.argmin(tried))
        chosen, left = [*chosen, open_ones[best]], tried[best]
    return chosen, left


def _numbers(column: ReadColumn) -> Array:
    assert column.numbers is not None
    return column.numbers
