"""How rows are held out: in folds of all rows, or as a test set."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ShapeError
from lookalike.studies.effort import Effort
from lookalike.studies.task import Task
from lookalike.typing import AnyArray, Array, Rows

LATEST_SHARE = 0.2  # of the rows, that are held out by time
TIME_BLOCKS = 10  # of consecutive training rows, held out together where rows are split by time
MOST_FOLD_ROWS = 20_000  # held out in the one fold of a large table


class Split(NamedTuple):
    """Pairs of training and held-out rows, by their places, and how they were drawn."""

    parts: tuple[tuple[Rows, Rows], ...]
    drawn: str
    n_repeats: int = 1  # how often each row is held out
    is_test: bool = False  # whether the held-out rows are a test set, not folds

    @property
    def cross_validated(self) -> bool:
        """Whether rows are held out in folds, and the model that is kept learns from all rows."""
        return not self.is_test

    @property
    def n_folds(self) -> int:
        """How many parts a repeat has."""
        return len(self.parts) // self.n_repeats

    @property
    def description(self) -> str:
        """How rows were drawn, and how often if more than once."""
        return self.drawn + (f", repeated {self.n_repeats} times" if self.n_repeats > 1 else "")

    def first_repeats(self, n_repeats: int) -> Split:
        """Return the split without the repeats after the first ones."""
        return self._replace(parts=self.parts[: self.n_folds * n_repeats], n_repeats=n_repeats)


def split_rows(
    y: AnyArray,
    task: Task,
    *,
    seed: int,
    decisions: Decisions,
    is_test: AnyArray | None = None,
    test_title: str = "the test rows of the split column",
    groups: Rows | None = None,
    effort: Effort | None = None,
) -> Split:
    """Return how rows are held out: as given by `is_test`, else in folds.

    Training rows come in random order: no model shall profit from an order of the file.
    """
    if is_test is not None:
        train = np.random.default_rng(seed).permutation(np.flatnonzero(~is_test))
        return Split(((train, np.flatnonzero(is_test)),), test_title, is_test=True)
    split = deal_rows(y, task, seed=seed, groups=groups, effort=effort)
    decisions.add("held-out rows", split.description, "the model that is kept learns from all rows")
    return split


def deal_rows(
    y: AnyArray,
    task: Task,
    *,
    seed: int,
    groups: Rows | None = None,
    effort: Effort | None = None,
) -> Split:
    """Return folds of the rows, repeated where rows are few; one of the folds where they are many.

    Rows of one group are in one fold.
    """
    effort, rng, n_rows = effort or Effort.full(), np.random.default_rng(seed), len(y)
    n_groups = n_rows if groups is None else len(np.unique(groups))
    if n_rows > effort.cross_validated_rows:
        n_folds = min(max(effort.folds, round(n_rows / MOST_FOLD_ROWS)), n_groups)
        parts = _fold_parts(task.folds(y, n_folds, rng, groups=groups), rng)[:1]
        drawn = f"{len(parts[0][1]):,} of {n_rows:,} rows, random seed {seed}"
        return Split(tuple(parts), drawn)
    n_folds = min(effort.folds, n_groups)
    repeated = n_rows < effort.repeated_rows and n_folds == effort.folds
    n_repeats = effort.repeats if repeated else 1
    parts = [
        part
        for _ in range(n_repeats)
        for part in _fold_parts(task.folds(y, n_folds, rng, groups=groups), rng)
    ]
    n_folds = len(parts) // n_repeats
    return Split(tuple(parts), f"{n_folds}-fold cross-validation, random seed {seed}", n_repeats)


def _fold_parts(fold: Rows, rng: np.random.Generator) -> list[tuple[Rows, Rows]]:
    """Return training and held-out rows of every fold."""
    return [
        (rng.permutation(np.flatnonzero(fold != number)), np.flatnonzero(fold == number))
        for number in np.unique(fold).tolist()
    ]


def split_by_time(moment: Array, title: str, *, seed: int, decisions: Decisions) -> Split:
    """Return the latest fifth of the rows as held-out ones; rows of one moment stay together."""
    train = earlier_rows(moment)
    held_out = np.flatnonzero(~train)
    drawn = f"the latest {len(held_out):,} of {len(moment):,} rows by {title}"
    decisions.add("held-out rows", drawn, "rows are split by time")
    order = np.random.default_rng(seed).permutation(np.flatnonzero(train))
    return Split(((order, held_out),), drawn, is_test=True)


def earlier_rows(moment: Array) -> AnyArray:
    """Return which rows are before the latest fifth of them."""
    n_rows = len(moment)
    border = np.sort(moment, kind="stable")[n_rows - max(1, round(LATEST_SHARE * n_rows))]
    earlier: AnyArray = moment < border
    if not earlier.any():
        earlier = moment <= border
    if earlier.all() or not earlier.any():
        raise ShapeError("All rows are of one time. Give a column of different times.")
    return earlier


def time_blocks(moment: Array) -> Rows:
    """Return consecutive rows as blocks: a group number for every row."""
    rank = np.unique(moment, return_inverse=True)[1]
    last = np.searchsorted(np.sort(rank), rank, side="right") - 1  # rows of one moment together
    block = last * TIME_BLOCKS // len(moment)
    return np.unique(block, return_inverse=True)[1].astype(np.int64)
