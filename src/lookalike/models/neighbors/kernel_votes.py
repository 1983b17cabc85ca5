"""Base of the classifiers by kernels: votes of all rows that matter, level ones by the nearest."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from lookalike.errors import ParameterError
from lookalike.kernels.votes import VoteResult
from lookalike.models.cross_validation import HeldOutRows
from lookalike.models.estimator import check_is_fitted
from lookalike.models.labels import Labels
from lookalike.models.neighbors.classifier import NeighborsClassifier
from lookalike.models.neighbors.supervised import rows_of
from lookalike.models.neighbors.voting import vote
from lookalike.typing import AnyArray, Array, Rows

LEVEL = 1e-9  # relative difference up to which classes are level


class KernelClassifier(NeighborsClassifier):
    """Classes of one output; where some are level, the nearest neighbors decide."""

    _several_outputs = False
    ties = "grow"
    cost = None

    @abstractmethod
    def _class_votes(self, queries: Any, held_out: HeldOutRows | None) -> Array:
        """Return what each class has of the votes for every query, (queries, classes)."""

    def _only_nearest(self, queries: Any, held_out: HeldOutRows | None) -> AnyArray:
        """Return for which queries the nearest rows decide even between other classes."""
        return np.zeros(queries.shape[0], bool)

    def _hold(self, targets: Labels, weight: Array | None) -> None:
        if not targets.flat:
            raise ParameterError("y has several outputs. Fit a model for each.")
        super()._hold(targets, weight)

    def _votes(self, X: object, *, votes: bool) -> list[VoteResult]:  # they are counted anyway
        check_is_fitted(self)
        queries, exclude = self._queries(X)
        held_out = None if exclude is None else HeldOutRows(exclude)
        counted = self._class_votes(queries, held_out)
        leads = counted >= (1 - LEVEL) * counted.max(axis=1, keepdims=True)
        winner, tied = leads.argmax(axis=1), leads.sum(axis=1) > 1
        here = np.flatnonzero(tied)
        if len(here):  # the nearest neighbors decide between classes that are level
            query, codes = self._neighbor_query(X).subset(here), self._targets.codes[:, 0]
            nearest = vote(query, codes, self._voting_rules[0], [1]).winner[:, 0]
            alone = self._only_nearest(rows_of(queries, here), some_held_out(held_out, here))
            decides = leads[here, nearest] | alone
            winner[here] = np.where(decides, nearest, winner[here])
        size = np.ones((len(winner), 1), np.int64)
        result = VoteResult(winner[:, None], size, tied[:, None], None, counted)
        self._note_ties([result])
        return [result]

    def _shares(self, results: list[VoteResult]) -> Any:
        return results[0].votes


def some_held_out(held_out: HeldOutRows | None, part: Rows) -> HeldOutRows | None:
    """Return which rows are held out from some of the queries."""
    return None if held_out is None else HeldOutRows(held_out.row[part], held_out.part)
