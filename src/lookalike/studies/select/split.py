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
    strata, n_rows = task.strata(y), len(y)
    if n_rows < FEW:
        n_folds = min(FOLDS, n_rows)
        fold = _random_folds(strata, n_folds, rng)
        parts = tuple(
            (rng.permutation(np.flatnonzero(fold != one)), np.flatnonzero(fold == one))
            for one in range(n_folds)
        )
        description = f"{n_folds}-fold nested cross-validation, random seed {seed}"
        decisions.add("held-out rows", description, f"{n_rows} rows are too few for a test set")
        return Split(parts, description)
    held_out = np.sort(np.flatnonzero(_random_folds(strata, round(1 / SHARE), rng) == 0))
    train = rng.permutation(np.setdiff1d(np.arange(n_rows), held_out))
    description = f"{len(held_out):,} of {n_rows:,} rows, random seed {seed}"
    kind = ", stratified by class" if strata.any() else ""
    decisions.add("held-out rows", description, f"a fifth{kind}, not used in any selection")
    return Split(((train, held_out),), description)


def _random_folds(strata: AnyArray, n_folds: int, rng: np.random.Generator) -> Rows:
    """Return the fold of every row: each stratum shuffled, then dealt out in turn."""
    order = np.lexsort((rng.random(len(strata)), strata))
    fold = np.empty(len(strata), np.int64)
    fold[order] = np.arange(len(strata)) % n_folds
    return fold
