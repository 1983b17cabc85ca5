"""Exhaustive search over all subsets of a few columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.models.estimator import Model
from lookalike.models.feature_selection.subset_search import Step
from lookalike.models.feature_selection.wrapper import read_rows, scorer_for
from lookalike.progress import progress
from lookalike.typing import AnyArray
from lookalike.validation import check_int, typed


@dataclass(frozen=True)
class ExhaustiveSelection:
    """The best of all subsets of columns.

    Attributes
    ----------
    subsets : tuple of tuples of int
        All sets of the best score that have the fewest columns, in rising order.
    score, standard_error : float
        Of these.
    path : tuple of tuples of Step
        For each size, all sets of the best score of that size.
    n_evaluated : int
        Subsets that were evaluated.
    names : ndarray of str
        Of the columns.
    """

    subsets: tuple[tuple[int, ...], ...]
    score: float
    standard_error: float
    path: tuple[tuple[Step, ...], ...]
    n_evaluated: int
    names: AnyArray

    def named(self) -> list[tuple[str, ...]]:
        """Return the best sets by the names of their columns."""
        return [tuple(map(str, self.names[list(subset)])) for subset in self.subsets]


@typed
def select_exhaustively(
    X: object,
    y: object = None,
    estimator: object = "knn-loo",
    *,
    max_size: int | None = None,
    n_neighbors: int | None = None,
    scoring: object = None,
    cv: object = None,
    task: str = "auto",
    limit: int = 100_000,
    n_jobs: int | None = None,
) -> ExhaustiveSelection:
    """Evaluate every subset of columns, and return all of the best [LUMS].

    There are 2^d - 1 sets: for few columns only. Of sets with one score the smaller are better,
    and all that are equally good are returned.

    Parameters
    ----------
    X : table of numbers
        Anything that :func:`lookalike.data.open_source` takes.
    y : array of shape (n_rows,), optional
        Classes or numbers; absent where the source brings them.
    estimator, n_neighbors, scoring, cv, task, n_jobs
        As for :class:`SelectByWrapper`.
    max_size : int, optional
        The most columns of a set; all where None.
    limit : int, default=100000
        More sets than these are an error.

    Returns
    -------
    ExhaustiveSelection
        The best subsets, and those of every size.

    Examples
    --------
    Five truth values of which x3 is not x2 and x4 is not x5, and y is x1 or x2:

    >>> import itertools
    >>> import numpy as np
    >>> from lookalike.feature_selection import select_exhaustively
    >>> x1, x2, x5 = np.array(list(itertools.product([0, 1], repeat=3))).T
    >>> X = np.column_stack([x1, x2, 1 - x2, 1 - x5, x5])
    >>> selection = select_exhaustively(X, x1 | x2)
    >>> selection.subsets, selection.score
    (((0, 1), (0, 2)), 1.0)
    """
    table = _NamedColumns()
    rows, target, task = read_rows(table, X, y, task, Decisions())
    n_features = rows.shape[1]
    most = check_int(
        "max_size", n_features if max_size is None else max_size, least=1, most=n_features
    )
    total = sum(comb(n_features, size) for size in range(1, most + 1))
    if total > check_int("limit", limit, least=1):
        raise ParameterError(
            f"{n_features} columns have {total} sets of up to {most}, more than limit={limit}. "
            "Give max_size, a larger limit, or search with SelectByWrapper."
        )
    scorer = scorer_for(
        estimator,
        rows,
        target,
        task=task,
        n_neighbors=n_neighbors,
        scoring=scoring,
        cv=cv,
        n_jobs=n_jobs,
    )
    best: list[list[Step]] = [[] for _ in range(most)]
    with progress("sets", total) as advance:
        for base in _bases(n_features, most):
            candidates = list(range(base[-1] + 1 if base else 0, n_features))
            scores = scorer.score(base, candidates, add=True)
            ties = best[len(base)]
            for c, score, error in zip(candidates, *scores, strict=True):
                if ties and score > ties[0].score:
                    ties.clear()
                if not ties or score == ties[0].score:
                    ties.append(Step((*base, c), float(score), float(error), c))
            advance(len(candidates))
    top = max(steps[0].score for steps in best)
    winners = next(steps for steps in best if steps[0].score == top)
    names = np.array([f"x{j}" for j in range(n_features)], dtype=object)
    return ExhaustiveSelection(
        tuple(step.features for step in winners),
        top,
        winners[0].standard_error,
        tuple(map(tuple, best)),
        total,
        getattr(table, "feature_names_in_", names),
    )


class _NamedColumns(Model):
    """Reads the rows, and keeps the names of the columns."""


def _bases(n_features: int, most: int) -> Iterator[tuple[int, ...]]:
    """Give every set that can grow by a later column, each once, the smaller ones first."""
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        following = []
        for base in waiting:
            yield base
            if len(base) + 1 < most:
                first = base[-1] + 1 if base else 0
                following += [(*base, c) for c in range(first, n_features - 1)]
        waiting = following
