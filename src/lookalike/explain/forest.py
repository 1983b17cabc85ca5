"""A random forest whose trees are grown in threads, and whose votes are summed in one."""

from __future__ import annotations

from typing import Any, Self

from sklearn.ensemble import RandomForestClassifier

from lookalike.threads import resolve_threads

SMALL = 20_000  # values of rows on which threads do not pay


class OrderedForest(RandomForestClassifier):  # type: ignore[misc]  # it has no types
    """scikit-learn's random forest, to the same bits with any number of threads.

    Threads that predict add up the votes of trees in the order in which they finish.
    """

    def fit(self, X: Any, y: object) -> Self:
        """Grow the trees, in the threads of the process where rows are many."""
        self.n_jobs = resolve_threads(None) if X.size > SMALL else 1
        super().fit(X, y)
        self.n_jobs = 1
        return self
