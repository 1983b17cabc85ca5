"""Forward, backward and floating search over subsets of columns; every step is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from lookalike.models.feature_selection.subset_scorers import SubsetScorer

SEARCH_DIRECTIONS = ("forward", "backward", "floating")


class Step(NamedTuple):
    """The best set of its size that the search has met."""

    features: tuple[int, ...]  # in rising order
    score: float
    standard_error: float
    moved: int  # the column that came or went last, -1 for the start


class SubsetSearch:
    """The state of a search, from which it can continue.

    Attributes
    ----------
    columns : tuple of int
        Columns that there are to choose from.
    direction : str
        One of `DIRECTIONS`.
    path : dict
        For each size met the best step.
    current : tuple of int
        The set from which the next step is made.
    n_evaluated : int
        Subsets evaluated so far.
    """

    columns: tuple[int, ...]
    direction: str
    n_evaluated: int

    def __init__(self, columns: tuple[int, ...], direction: str) -> None:
        self.columns, self.direction = columns, direction
        self.path: dict[int, Step] = {}
        self.current: tuple[int, ...] = ()
        self.n_evaluated = 0

    def steps(self, scorer: SubsetScorer, last: int) -> Iterator[Step]:
        """Make step after step until the set has `last` columns, and give each."""
        if self.direction == "backward":
            yield from self._backward(scorer, last)
        else:
            yield from self._forward(scorer, last)

    def _forward(self, scorer: SubsetScorer, last: int) -> Iterator[Step]:
        while len(self.current) < last:
            step = self._best(scorer, add=True)
            self._keep(step)
            if self.direction == "floating":
                self._float_back(scorer)
            yield step

    def _backward(self, scorer: SubsetScorer, last: int) -> Iterator[Step]:
        if not self.path:
            score, error = scorer.score(self.columns[:-1], self.columns[-1:], add=True)
            self.n_evaluated += 1
            start = Step(self.columns, float(score[0]), float(error[0]), -1)
            self._keep(start)
            yield start
        while len(self.current) > last:
            step = self._best(scorer, add=False)
            self._keep(step)
            yield step

    def _float_back(self, scorer: SubsetScorer) -> None:
        """Take columns out again while that beats the best set of the smaller size [Pudil94]."""
        while len(self.current) > 2:
            step = self._best(scorer, add=False)
            known = self.path[len(step.features)]
            if step.score <= known.score:
                return
            self._keep(step)

    def _best(self, scorer: SubsetScorer, *, add: bool) -> Step:
        """Return the best set one column away, of equal ones that of the lower column.

        What goes of equal ones is the higher column, so that the lower stays.
        """
        inside = set(self.current)
        candidates = [c for c in self.columns if (c in inside) != add]
        score, error = scorer.score(self.current, candidates, add=add)
        self.n_evaluated += len(candidates)
        ranked = np.where(np.isnan(score), -np.inf, score)
        best = int(ranked.argmax()) if add else len(ranked) - 1 - int(ranked[::-1].argmax())
        moved = candidates[best]
        kept = {*inside, moved} if add else inside - {moved}
        return Step(
            tuple(sorted(kept)),
            float(score[best]),
            float(error[best]),
            moved,
        )

    def _keep(self, step: Step) -> None:
        known = self.path.get(len(step.features))
        if known is None or step.score > known.score:
            self.path[len(step.features)] = step
        self.current = self.path[len(step.features)].features


def best_step(path: Sequence[Step]) -> Step:
    """Return the step of the best score, the smallest set of equal ones."""
    return max(path, key=lambda step: (step.score, -len(step.features)))


def parsimonious_step(path: Sequence[Step]) -> Step:
    """Return the smallest set within one standard error of the best [Breiman84]."""
    best = best_step(path)
    enough = [step for step in path if step.score >= best.score - best.standard_error]
    return min(enough, key=lambda step: len(step.features))


def stalled(direction: str) -> Callable[[Sequence[Step]], bool]:
    """Return whether to stop after some steps: growing, they gain less than a standard error.

    Going backward, they have lost more than one against the best.
    """

    def growing(steps: Sequence[Step]) -> bool:
        if len(steps) < 2:
            return False
        before = best_step(steps[:-1])
        return steps[-1].score < before.score + before.standard_error

    def shrinking(steps: Sequence[Step]) -> bool:
        best = best_step(steps)
        return steps[-1].score < best.score - best.standard_error

    return shrinking if direction == "backward" else growing
