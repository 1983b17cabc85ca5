"""A search is widened, for the queries that need it, until every vote is decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lookalike.index.base import Neighbors
from lookalike.kernels.votes import Ballot, Bars, count_votes, gather_ballots
from lookalike.models.neighbors.vote_rules import Jury, counted_votes
from lookalike.models.neighbors.voting_numpy import recount
from lookalike.typing import AnyArray, Array, Rows

Search = Callable[[Rows, int], Neighbors]  # of some queries by number, that many neighbors

SPARE = 3  # neighbors asked beyond K: most ties are settled among them
CELLS = 2**23  # neighbors in hand at once


class Electorate(NamedTuple):
    """Who may be asked, and how."""

    search: Search
    n_queries: int
    available: int  # rows that a query can have as neighbors
    bars: Bars = Bars()
    spare: int = SPARE
    threads: int = 0


def some_of(electorate: Electorate, here: Rows) -> Electorate:
    """Return the rows that may be asked about some of the queries, numbered anew."""
    own = electorate.bars.own
    return electorate._replace(
        search=lambda part, k: electorate.search(here[part], k),
        n_queries=len(here),
        bars=electorate.bars._replace(own=None if own is None else own[here]),
    )


class Outcome(NamedTuple):
    """What was decided for every query and every number of neighbors asked for."""

    winner: Rows  # (queries, ks)
    size: Rows  # (queries, ks), neighbors that voted in the end
    tied: AnyArray  # (queries, ks)
    share: Array | None  # (queries, ks), of the true class
    votes: Array | None  # (queries, classes), of the last number of neighbors


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
        How many neighbors vote. Of rows with weights, as many as weigh that much.
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
            asked = [_of(k, part) for k in ks]
            threads = electorate.threads
            _fill(outcome, part, ballot, codes, jury, ks=asked, truth=own, threads=threads)
            undecided.append(part[(outcome.winner[part] < 0).any(axis=1)])
        waiting = np.concatenate(undecided) if width < electorate.available else np.empty(0, int)
        width = min(2 * width, electorate.available)
    return outcome


def ballot_of(electorate: Electorate, part: Rows, width: int) -> Ballot:
    """Return the neighbors of some queries that may vote, not those barred or of no weight."""
    bars = electorate.bars
    return gather_ballots(
        *electorate.search(part, width),
        bars if bars.own is None else bars._replace(own=bars.own[part]),
        complete=width == electorate.available,
        threads=electorate.threads,
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
    threads: int,
) -> None:
    """Write what `ballot` decides into the places of its queries."""
    rules = jury.rules
    if rules is None:
        found = recount(ballot, codes, jury, ks, truth)
    else:
        found = count_votes(ballot, codes, rules, ks, truth=truth, threads=threads)
    here: Any = slice(None) if len(part) == len(outcome.winner) else part
    outcome.winner[here] = found.winner.T
    outcome.size[here] = found.size.T
    outcome.tied[here] = found.tied.T
    if outcome.share is not None and found.share is not None:
        outcome.share[here] = found.share.T
    if outcome.votes is not None:
        outcome.votes[part] = counted_votes(ballot, codes, jury, found.size[-1])


def _of(k: Any, part: Rows) -> Any:
    return k[part] if isinstance(k, np.ndarray) else k
