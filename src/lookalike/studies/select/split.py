"""The split into training and held-out rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.decisions import Decisions
from lookalike.studies.task import Task
from lookalike.typing import AnyArray, Rows

FEW = 500  # rows below which every row is held out once, in folds
FOLDS = 5
SHARE = 0.2


class Split(NamedTuple):
    """Pairs of training and held-out rows, by number, and a description."""

    parts: tuple[tuple[Rows, Rows], ...]
    description: str

    @property
    def nested(self) -> bool:
        """Whether every row is held out once, by nested cross-validation."""
        return len(self.parts) > 1


def split_rows(
    y: AnyArray, task: Task, *, seed: int, is_test: AnyArray | None, decisions: Decisions
) -> Split:
    """Return how rows are held out: as given by `is_test`, in folds where they are few, or a fifth.

    Training rows come in random order: no model shall profit from an order of the file.
    """
    rng = np.random.default_rng(seed)
    if is_test is not None:
        train = rng.permutation(np.flatnonzero(~is_test))
        return Split(((train, np.flatnonzero(is_test)),), "the test rows of the split column")
    n_rows = len(y)
    if n_rows < FEW:
        n_folds = min(FOLDS, n_rows)
        fold = task.folds(y, n_folds, rng)
        parts = tuple(
            (rng.permutation(np.flatnonzero(fold != one)), np.flatnonzero(fold == one))
            for one in range(n_folds)
        )
        description = f"{n_folds}-fold nested cross-validation, random seed {seed}"
        decisions.add("held-out rows", description, f"{n_rows} rows are too few for a test set")
        return Split(parts, description)
    held_out = np.sort(np.flatnonzero(task.folds(y, round(1 / SHARE), rng) == 0))
    train = rng.permutation(np.setdiff1d(np.arange(n_rows), held_out))
    description = f"{len(held_out):,} of {n_rows:,} rows, random seed {seed}"
    kind = ", stratified by class" if task.stratified else ""
    decisions.add("held-out rows", description, f"a fifth{kind}, not used in any selection")
    return Split(((train, held_out),), description)
