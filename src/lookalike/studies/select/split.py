"""Which rows are learned from and which are held out to be honest about."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.decisions import Decisions
from lookalike.models.cross_validation import deal_folds
from lookalike.typing import AnyArray, Rows

FEW = 500  # rows below which every row is held out once, in folds
FOLDS = 5
SHARE = 0.2


class Division(NamedTuple):
    """Pairs of training and held-out rows, by number, and what they are in words."""

    parts: tuple[tuple[Rows, Rows], ...]
    words: str

    @property
    def folded(self) -> bool:
        """Whether every row is held out once."""
        return len(self.parts) > 1


def divide(
    y: AnyArray, *, classify: bool, seed: int, test: AnyArray | None, decisions: Decisions
) -> Division:
    """Return how rows are held out: as told by `test`, in folds where rows are few, or a fifth.

    Training rows come in random order: no model shall profit from an order of the file.
    """
    rng = np.random.default_rng(seed)
    if test is not None:
        train = rng.permutation(np.flatnonzero(~test))
        return Division(((train, np.flatnonzero(test)),), "the rows given for testing")
    if len(y) < FEW:
        n_folds = min(FOLDS, len(y))
        fold = deal_folds(y, n_folds, stratify=classify, rng=rng)
        parts = tuple(
            (rng.permutation(np.flatnonzero(fold != one)), np.flatnonzero(fold == one))
            for one in range(n_folds)
        )
        words = f"{n_folds} folds, each held out in turn, all choices made anew without it"
        decisions.add("held out", words, f"{len(y)} rows are too few to set a part aside")
        return Division(parts, words)
    fold = deal_folds(y, round(1 / SHARE), stratify=classify, rng=rng)
    held = np.sort(np.flatnonzero(fold == 0))
    train = rng.permutation(np.setdiff1d(np.arange(len(y)), held))
    words = f"{len(held)} of {len(y)} rows, drawn with seed {seed}"
    kind = " with the classes in their proportion" if classify else ""
    decisions.add("held out", words, f"a fifth{kind}, untouched until the winner was chosen")
    return Division(((train, held),), words)
