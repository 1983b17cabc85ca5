"""A random forest whose trees are grown in threads, and whose votes are summed in one."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from lookalike.threads import resolve_threads
from lookalike.typing import AnyArray, Array, Rows

SMALL = 20_000  # values of rows on which threads do not pay
TREES = 100  # that did not draw a row, on average
DRAWN = 1.0  # times as many rows as there are, drawn for a tree
MOST_DRAWN = 10_000  # rows that a tree sees at most
BATCH = 50_000  # rows that find their leaves at once


class OrderedForest(RandomForestClassifier):  # type: ignore[misc]  # it has no types
    """scikit-learn's random forest, to the same bits with any number of threads.

    Threads that predict add up the votes of trees in the order in which they finish.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees, in the threads of the process where rows are many."""
        self.n_jobs = resolve_threads(None) if X.size > SMALL else 1
        super().fit(X, y)
        self.n_jobs = 1
        return self


def out_of_bag_probabilities(X: AnyArray, codes: Rows, n_classes: int, seed: int) -> Array:
    """Return the class probabilities of every row by the trees that did not draw it.

    One forest, its trees grown on as many drawn rows as there are, and on 10,000 at most; as many
    that 100 of them, on average, did not draw a row. A row that every tree drew has the
    frequencies of the classes.
    """
    drawn = min(max(int(DRAWN * len(X)), 1), MOST_DRAWN)
    count = max(round(TREES * np.exp(drawn / len(X))), 1)
    with np.errstate(over="ignore"):  # scikit-learn refuses what is infinite
        rows = np.ascontiguousarray(X, np.float32)
    forest = OrderedForest(count, max_samples=drawn, random_state=seed).fit(rows, codes)
    votes = np.zeros((len(X), n_classes))
    counted = np.zeros(len(X))
    for tree, taken in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        value = tree.tree_.value[:, 0, :]
        value = value / value.sum(axis=1, keepdims=True)
        unseen = np.ones(len(X), bool)
        unseen[taken] = False
        for begin in range(0, len(X), BATCH):
            here = begin + np.flatnonzero(unseen[begin : begin + BATCH])
            votes[here[:, None], forest.classes_] += value[tree.tree_.apply(rows[here])]
        counted += unseen
    known = counted > 0
    votes[~known] = np.bincount(codes, minlength=n_classes)
    votes /= votes.sum(axis=1, keepdims=True)
    return votes
