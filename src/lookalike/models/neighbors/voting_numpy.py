"""Votes counted again for every number of neighbors: for costs and for users' functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.votes import Ballot, Outcomes
from lookalike.models.neighbors.vote_rules import (
    Jury,
    counted_votes,
    part_of,
    require_votes,
    start_of,
)
from lookalike.typing import AnyArray, Array, Rows


def recount(
    ballot: Ballot, codes: Rows, jury: Jury, ks: Sequence[Any], truth: Rows | None
) -> Outcomes:
    """Settle the votes of the first k voters, as :func:`lookalike.kernels.votes.count_votes`."""
    starts = [start_of(ballot, k) for k in ks]
    if callable(jury.weights):
        for start in starts:  # weights that leave nobody a vote are said
            inside = np.flatnonzero(start < ballot.row.shape[1])
            require_votes(counted_votes(ballot, codes, jury, start + 1)[inside])
    first = 0 if jury.ties == "fewer" else min(int(np.min(start)) for start in starts)
    found = _sweep(ballot, codes, jury, truth, first)
    steps = _steps(ballot, found, jury.ties)
    decided = [_decide(ballot, codes, jury, start, found=found, steps=steps) for start in starts]
    winner, size, tied, share = zip(*decided, strict=True)
    return Outcomes(
        np.array(winner), np.array(size), np.array(tied), None if truth is None else np.array(share)
    )


class _Sweep(NamedTuple):
    """The winner after each neighbor, of every query; all (width, queries)."""

    winner: Rows
    tied: AnyArray
    share: Array  # of the true class


class _Steps(NamedTuple):
    """Up to which position a vote is counted, and where it is settled; both (width, queries)."""

    counted: Rows
    settled: Rows


def _sweep(ballot: Ballot, codes: Rows, jury: Jury, truth: Rows | None, first: int) -> _Sweep:
    """Count all votes up to every position from `first` on."""
    queries, width = ballot.row.shape
    shape = (width, queries)
    found = _Sweep(np.zeros(shape, np.int64), np.zeros(shape, bool), np.zeros(shape))
    for j in range(first, width):
        votes = counted_votes(ballot, codes, jury, np.full(queries, j + 1))
        merit = jury.merit(votes)
        found.winner[j] = merit.argmax(axis=1)
        found.tied[j] = (merit == merit.max(axis=1, keepdims=True)).sum(axis=1) > 1
        if truth is not None:
            counts = votes if jury.ratio is None else votes * jury.ratio
            total = counts.sum(axis=1)
            own = counts[np.arange(queries), truth]
            found.share[j] = np.divide(own, total, out=np.zeros(queries), where=total > 0)
    return found


def _decide(
    ballot: Ballot, codes: Rows, jury: Jury, start: Rows, *, found: _Sweep, steps: _Steps
) -> tuple[Rows, Rows, AnyArray, Array]:
    """Return winner, size, tied and share of the votes up to position `start` of every query."""
    width, everyone = len(found.winner), np.arange(len(start))
    at = np.minimum(start, width - 1)
    counted = np.minimum(steps.counted[at, everyone], width - 1)
    settled = np.where(start < width, steps.settled[at, everyone], width)
    known = settled < width
    last = np.minimum(settled, width - 1)
    winner = np.where(known, found.winner[last, everyone], -1)
    tied = known & found.tied[counted, everyone]
    size = np.where(known, settled + 1, 0)
    if jury.ties in ("nearest", "prior"):
        here = np.flatnonzero(tied)
        winner[here] = _settled(part_of(ballot, here), codes, jury, size[here])
    return winner, size, tied, found.share[last, everyone]


def _steps(ballot: Ballot, found: _Sweep, ties: str) -> _Steps:
    """Return where a vote of the neighbors up to each position is counted and settled.

    ``"grow"`` counts to the end of the shell of equally near points, then shell by shell until
    no two classes are level [Barber, algorithm 14.1, step 4]; ``"fewer"`` goes back.
    """
    width, queries = found.winner.shape
    places = np.broadcast_to(np.arange(width)[:, None], (width, queries))
    if ties == "grow":
        ends = _ends(ballot)
        settled = ends & ~found.tied
        if ballot.complete:  # nobody is left to ask: the first of the level classes
            settled[np.maximum(ballot.length - 1, 0), np.arange(queries)] = True
        return _Steps(_next(ends), _next(settled))
    if ties == "fewer":
        return _Steps(places, np.maximum.accumulate(np.where(found.tied, 0, places), axis=0))
    return _Steps(places, places)


def _ends(ballot: Ballot) -> AnyArray:
    """Tell (width, queries) after which neighbors the next one is farther away."""
    queries, width = ballot.row.shape
    ends = np.zeros((width, queries), bool)
    ends[:-1] = (ballot.distance[:, 1:] > ballot.distance[:, :-1]).T
    places = np.arange(width)[:, None]
    ends &= places < ballot.length - (0 if ballot.complete else 1)
    if ballot.complete:
        ends[np.maximum(ballot.length - 1, 0), np.arange(queries)] = True
    return ends


def _next(marked: AnyArray) -> Rows:
    """Return for each position the first one from there on that is marked, else the width."""
    width = len(marked)
    places = np.where(marked, np.arange(width)[:, None], width)
    return np.minimum.accumulate(places[::-1], axis=0)[::-1]


def _settled(ballot: Ballot, codes: Rows, jury: Jury, size: Rows) -> Rows:
    """Return the winner of tied votes: the likelier or the nearer of the level classes."""
    merit = jury.merit(counted_votes(ballot, codes, jury, size))
    level = merit == merit.max(axis=1, keepdims=True)
    if jury.ties == "prior":
        return np.asarray(np.where(level, jury.belief, -1.0).argmax(axis=1))
    reach = np.full(merit.shape, np.inf)
    label = codes[ballot.row]
    for j in range(ballot.row.shape[1] - 1, -1, -1):
        some = np.flatnonzero(j < size)
        reach[some, label[some, j]] = ballot.distance[some, j]
    return np.asarray(np.where(level, reach, np.inf).argmin(axis=1))
