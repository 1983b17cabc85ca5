"""A search is widened, for the queries that need it, until every vote is decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lookalike.index.base import Neighbors
from lookalike.models.votes import (
    Ballot,
    Jury,
    count_votes,
    counted_votes,
    decide,
    require_votes,
    start_of,
)
from lookalike.typing import AnyArray, Array, Rows

Search = Callable[[Rows, int], Neighbors]  # of some queries by number, that many neighbours
Barred = Callable[[Rows, Rows], AnyArray]  # whether rows may not vote for queries

SPARE = 3  # neighbours asked beyond K: most ties are settled among them
CELLS = 2**23  # neighbours in hand at once


class Electorate(NamedTuple):
    """Who may be asked, and how."""

    search: Search
    n_queries: int
    available: int  # rows that a query can have as neighbours
    weight: Array | None = None  # (rows,), None where all count the same
    copies: Array | None = None  # (queries,), what is left of the weight of a query's own row
    barred: Barred | None = None
    spare: int = SPARE


class Outcome(NamedTuple):
    """What was decided for every query and every number of neighbours asked for."""

    winner: Rows  # (queries, ks)
    size: Rows  # (queries, ks), neighbours that voted in the end
    tied: AnyArray  # (queries, ks)
    share: Array | None  # (queries, ks), of the true class
    votes: Array | None  # (queries, classes), of the last number of neighbours


def elect(
    electorate: Electorate,
    codes: Rows,
    jury: Jury,
    ks: Sequence[Any],
    *,
    truth: Rows | None = None,
    votes: bool = False,
) -> Outcome:
    """Decide for every query by its `k` nearest rows, for each k of `ks` from one search.

    Parameters
    ----------
    electorate, codes, jury
        The rows, the class of each, and the rules.
    ks : sequence of int, or of one array with a number for every query
        How many neighbours vote. Of rows with weights, as many as weigh that much.
    truth : array of shape (queries,), optional
        The class of each query, whose share of the votes is then returned.
    votes : bool
        Whether the votes that decided for the last of `ks` are returned.
    """
    queries = electorate.n_queries
    shape = (len(ks), queries)  # written for one k after another
    outcome = Outcome(
        np.full(shape, -1).T,
        np.zeros(shape, np.int64).T,
        np.zeros(shape, bool).T,
        None if truth is None else np.zeros(shape).T,
        np.zeros((queries, jury.n_classes)) if votes else None,
    )
    waiting = np.arange(queries)
    most = max(int(np.max(k, initial=1)) for k in ks)
    width = min(most + electorate.spare, electorate.available)
    while len(waiting):
        undecided = []
        batch = max(1, CELLS // width)
        for begin in range(0, len(waiting), batch):
            part = waiting[begin : begin + batch]
            ballot = ballot_of(electorate, part, width)
            own = None if truth is None else truth[part]
            _fill(outcome, part, ballot, codes, jury, ks=[_of(k, part) for k in ks], truth=own)
            undecided.append(part[(outcome.winner[part] < 0).any(axis=1)])
        waiting = np.concatenate(undecided) if width < electorate.available else np.empty(0, int)
        width = min(2 * width, electorate.available)
    return outcome


def ballot_of(electorate: Electorate, part: Rows, width: int) -> Ballot:
    """Return the neighbours of some queries that may vote, not those barred or of no weight."""
    distance, row = electorate.search(part, width)
    complete = width == electorate.available
    weight, barred = electorate.weight, electorate.barred
    if weight is None and barred is None:
        return Ballot(distance, row, None, np.full(len(part), width), complete)
    counted = np.ones(row.shape) if weight is None else weight[row]
    if electorate.copies is not None:  # they coincide with the query
        distance = np.column_stack([np.zeros(len(part)), distance])
        row = np.column_stack([part, row])
        counted = np.column_stack([electorate.copies[part], counted])
    if barred is not None:
        counted = np.where(barred(part, row), 0.0, counted)
    order = np.argsort(counted <= 0, axis=1, kind="stable")
    counted = np.take_along_axis(counted, order, axis=1)
    may = counted > 0
    return Ballot(
        np.where(may, np.take_along_axis(distance, order, axis=1), np.inf),
        np.where(may, np.take_along_axis(row, order, axis=1), -1),
        None if weight is None else counted,
        may.sum(axis=1),
        complete,
    )


def _fill(
    outcome: Outcome,
    part: Rows,
    ballot: Ballot,
    codes: Rows,
    jury: Jury,
    *,
    ks: Sequence[Any],
    truth: Rows | None,
) -> None:
    """Write what `ballot` decides into the places of its queries."""
    starts = [start_of(ballot, k) for k in ks]
    first = 0 if jury.ties == "fewer" else min(int(np.min(start)) for start in starts)
    if callable(jury.weights):
        for start in starts:  # weights that leave nobody a vote are said
            inside = np.flatnonzero(start < ballot.row.shape[1])
            require_votes(counted_votes(ballot, codes, jury, start + 1)[inside])
    count = count_votes(ballot, codes, jury, truth, first)
    everyone = np.arange(len(part))
    here: Any = slice(None) if len(part) == len(outcome.winner) else part
    for place, start in enumerate(starts):
        verdict = decide(count, start)
        outcome.winner[here, place] = verdict.winner
        outcome.size[here, place] = verdict.size
        outcome.tied[here, place] = verdict.tied
        if outcome.share is not None and count.sweep.share is not None:
            at = np.maximum(verdict.size - 1, 0)
            outcome.share[here, place] = count.sweep.share[at, everyone]
    if outcome.votes is not None:
        outcome.votes[part] = counted_votes(ballot, codes, jury, verdict.size)


def _of(k: Any, part: Rows) -> Any:
    return k[part] if isinstance(k, np.ndarray) else k
