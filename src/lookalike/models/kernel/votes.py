"""Votes of the classifiers by kernels: of all rows that matter, level ones by the nearest."""

from __future__ import annotations

import numpy as np

from lookalike.errors import ParameterError
from lookalike.kernels.votes import VoteResult
from lookalike.models.cross_validation import HeldOutRows
from lookalike.models.estimator import check_is_fitted
from lookalike.models.kernel.bandwidth import KernelModel
from lookalike.models.labels import Labels
from lookalike.models.neighbors.supervised import neighbor_query, rows_of
from lookalike.models.neighbors.voting import vote
from lookalike.models.neighbors.voting_rules import voting_rules
from lookalike.typing import Rows

TIED_SHARE_TOLERANCE = 1e-9  # relative difference up to which classes are level


def kernel_votes(self: KernelModel, X: object, *, votes: bool) -> list[VoteResult]:  # noqa: ARG001 - they are counted anyway
    """Return the class of most votes; between classes that are level the nearest rows decide.

    A model has `_class_votes(queries, held_out)`, what each class has of the votes for every query,
    and `_only_nearest(queries, held_out)`, whether the nearest decide even between other classes.
    """
    check_is_fitted(self)
    queries, exclude = self._queries(X)
    held_out = None if exclude is None else HeldOutRows(exclude)
    counted = self._class_votes(queries, held_out)
    leads = counted >= (1 - TIED_SHARE_TOLERANCE) * counted.max(axis=1, keepdims=True)
    winner, tied = leads.argmax(axis=1), leads.sum(axis=1) > 1
    open_ = np.flatnonzero(tied)
    if len(open_):
        query, codes = neighbor_query(self, X).subset(open_), self.targets_.codes[:, 0]
        nearest = vote(query, codes, voting_rules(self)[0], [1]).winner[:, 0]
        alone = self._only_nearest(rows_of(queries, open_), some_held_out(held_out, open_))
        decides = leads[open_, nearest] | alone
        winner[open_] = np.where(decides, nearest, winner[open_])
    size = np.ones((len(winner), 1), np.int64)
    result = VoteResult(winner[:, None], size, tied[:, None], None, counted)
    self._note_ties([result])
    return [result]


def require_one_output(targets: Labels) -> None:
    """Raise where there are several outputs."""
    if not targets.flat:
        raise ParameterError("y has several outputs. Fit a model for each.")


def some_held_out(held_out: HeldOutRows | None, part: Rows) -> HeldOutRows | None:
    """Return which rows are held out from some of the queries."""
    return None if held_out is None else HeldOutRows(held_out.row[part], held_out.part)
