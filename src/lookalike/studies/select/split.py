"""The split into training and held-out rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ShapeError
from lookalike.studies.task import Task
from lookalike.typing import AnyArray, Array, Rows

FEW = 1000  # rows below which every row is held out, in folds
FOLDS = 5
REPEATS = 3  # of the folds, each time with other rows together
SHARE = 0.2
BLOCKS = 10  # of consecutive training rows, held out together where rows are split by time


class Split(NamedTuple):
    """Pairs of training and held-out rows, by number, and how they were drawn."""

    parts: tuple[tuple[Rows, Rows], ...]
    drawn: str
    n_repeats: int = 1  # how often each row is held out

    @property
    def nested(self) -> bool:
        """Whether every row is held out, by nested cross-validation."""
        return len(self.parts) > 1

    @property
    def description(self) -> str:
        """How rows were drawn, and how often if more than once."""
        return self.drawn + (f", repeated {self.n_repeats} times" if self.n_repeats > 1 else "")

    def first_repeats(self, n_repeats: int) -> Split:
        """Return the split without the repeats after the first ones."""
        n_parts = len(self.parts) // self.n_repeats * n_repeats
        return Split(self.parts[:n_parts], self.drawn, n_repeats)


def split_rows(
    y: AnyArray,
    task: Task,
    *,
    seed: int,
    decisions: Decisions,
    is_test: AnyArray | None = None,
    test_title: str = "the test rows of the split column",
    groups: Rows | None = None,
) -> Split:
    """Return how rows are held out: as given by `is_test`, in folds where they are few, or a fifth.

    Rows of one group are held out together. Training rows come in random order: no model shall
    profit from an order of the file.
    """
    rng = np.random.default_rng(seed)
    if is_test is not None:
        train = rng.permutation(np.flatnonzero(~is_test))
        return Split(((train, np.flatnonzero(is_test)),), test_title)
    n_rows = len(y)
    n_groups = n_rows if groups is None else int(groups.max()) + 1
    if n_rows < FEW:
        n_folds = min(FOLDS, n_groups)
        n_repeats = REPEATS if n_folds == FOLDS else 1
        parts = [
            part
            for _ in range(n_repeats)
            for part in _fold_parts(task.folds(y, n_folds, rng, groups=groups), rng)
        ]
        drawn = f"{n_folds}-fold nested cross-validation, random seed {seed}"
        decisions.add("held-out rows", drawn, f"{n_rows} rows are too few for a test set")
        return Split(tuple(parts), drawn, n_repeats)
    n_parts = min(round(1 / SHARE), n_groups)
    held_out = np.sort(np.flatnonzero(task.folds(y, n_parts, rng, groups=groups) == 0))
    train = rng.permutation(np.setdiff1d(np.arange(n_rows), held_out))
    drawn = f"{len(held_out):,} of {n_rows:,} rows, random seed {seed}"
    kind = ", stratified by class" if task.stratified else ""
    decisions.add("held-out rows", drawn, f"a fifth{kind}, not used in any selection")
    return Split(((train, held_out),), drawn)


def _fold_parts(fold: Rows, rng: np.random.Generator) -> list[tuple[Rows, Rows]]:
    """Return training and held-out rows of every fold."""
    return [
        (rng.permutation(np.flatnonzero(fold != one)), np.flatnonzero(fold == one))
        for one in np.unique(fold).tolist()
    ]


def split_by_time(moment: Array, title: str, *, seed: int, decisions: Decisions) -> Split:
    """Return the latest fifth of the rows as held-out ones; rows of one moment stay together."""
    train = earlier_rows(moment)
    held_out = np.flatnonzero(~train)
    drawn = f"the latest {len(held_out):,} of {len(moment):,} rows by {title}"
    decisions.add("held-out rows", drawn, "rows are split by time")
    order = np.random.default_rng(seed).permutation(np.flatnonzero(train))
    return Split(((order, held_out),), drawn)


def earlier_rows(moment: Array) -> AnyArray:
    """Return which rows are before the latest fifth of them."""
    n_rows = len(moment)
    border = np.sort(moment, kind="stable")[n_rows - max(1, round(SHARE * n_rows))]
    earlier: AnyArray = moment < border
    if not earlier.any():
        earlier = moment <= border
    if earlier.all() or not earlier.any():
        raise ShapeError("All rows are of one time. Give a column of different times.")
    return earlier


def time_blocks(moment: Array) -> Rows:
    """Return consecutive rows as blocks: a group number for every row."""
    place = np.unique(moment, return_inverse=True)[1]
    last = np.searchsorted(np.sort(place), place, side="right") - 1  # rows of one moment together
    block = last * BLOCKS // len(moment)
    return np.unique(block, return_inverse=True)[1].astype(np.int64)
