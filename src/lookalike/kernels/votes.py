"""Neighbors vote: who of them may, which class leads after each, and what settles a tie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lookalike import _core
from lookalike.typing import AnyArray, Array, Rows

NEARNESS = ("uniform", "distance")
TIES = ("grow", "nearest", "fewer", "prior")


class Ballot(NamedTuple):
    """The neighbors of every query that may vote, nearest first."""

    distance: Array  # (queries, width), infinite beyond `length`
    row: Rows  # (queries, width), -1 beyond `length`
    weight: Array | None  # (queries, width), 0 beyond `length`; None where each counts once
    length: Rows  # (queries,)
    complete: bool  # whether no row is left that could vote


class Bars(NamedTuple):
    """What keeps rows from voting, or lets a query's own row vote."""

    own: Rows | None = None  # (queries,), the row that each query is; None where they are none
    part: Rows | None = None  # (rows,), rows of one part have no vote for each other
    weight: Array | None = None  # (rows,), those of no weight have no vote
    copies: Array | None = None  # (rows,), what is left of the weight of a query's own row


class Rules(NamedTuple):
    """How votes count, and what settles a tie."""

    nearness: str
    ties: str
    ratio: Array  # (classes,), what a vote counts
    belief: Array  # (classes,), for ties == "prior"


class Outcomes(NamedTuple):
    """Who wins for every number of neighbors and every query; all (ks, queries)."""

    winner: Rows  # -1 where more neighbors must be asked
    size: Rows  # neighbors that voted in the end
    tied: AnyArray
    share: Array | None  # of the true class


def gather_ballots(
    distance: AnyArray, row: Rows, bars: Bars, *, complete: bool, threads: int = 0
) -> Ballot:
    """Return those of the rows found that may vote; copies of a query's own row come first."""
    queries, width = row.shape
    distance, row = _readable(distance, np.float64), _readable(row, np.int64)
    if bars.part is None and bars.weight is None:
        return Ballot(distance, row, None, np.full(queries, width, np.int64), complete)
    shape = (queries, width + (bars.copies is not None))
    weighty = bars.weight is not None
    weight = np.empty(shape if weighty else (0, 0))
    voters = (np.empty(shape), np.empty(shape, np.int64), weight, np.empty(queries, np.int64))
    held = (_vector(bars.weight, np.float64), _vector(bars.copies, np.float64))
    barred = (_vector(bars.own, np.int64), _vector(bars.part, np.int64))
    _core.gather_ballots(distance, row, *barred, *held, threads, *voters)
    return Ballot(voters[0], voters[1], weight if weighty else None, voters[3], complete)


def count_votes(
    ballot: Ballot,
    code: Rows,
    rules: Rules,
    ks: Sequence[Any],
    *,
    truth: Rows | None = None,
    threads: int = 0,
) -> Outcomes:
    """Settle the votes of the first k voters of every query, for each k of `ks`.

    Parameters
    ----------
    ballot, code, rules
        The voters, the class of every row, and the rules.
    ks : sequence of numbers, or of arrays with one for every query
        How many voters; of those with weights, as many as weigh that much.
    truth : array of shape (queries,), optional
        The class of each query, whose share of the votes is then returned.
    threads : int
        0 means the setting of :func:`lookalike.config`.
    """
    queries = len(ballot.row)
    k = np.array([np.broadcast_to(one, queries) for one in ks], np.float64)
    shape = (len(ks), queries)
    share = np.empty(shape if truth is not None else (0, 0))
    found = (np.empty(shape, np.int64), np.empty(shape, np.int64), np.empty(shape, bool), share)
    _core.count_votes(
        ballot.distance,
        ballot.row,
        np.empty((0, 0)) if ballot.weight is None else ballot.weight,
        ballot.length,
        ballot.complete,
        np.ascontiguousarray(code, np.int64),
        np.ascontiguousarray(rules.ratio, np.float64),
        np.ascontiguousarray(rules.belief, np.float64),
        NEARNESS.index(rules.nearness),
        TIES.index(rules.ties),
        k,
        _vector(truth, np.int64),
        threads,
        *found,
    )
    return Outcomes(*found[:3], share if truth is not None else None)


def _vector(values: AnyArray | None, kind: Any) -> AnyArray:
    """Return a vector as the kernels read it, an empty one for None."""
    return np.empty(0, kind) if values is None else np.ascontiguousarray(values, kind)


def _readable(table: AnyArray, kind: Any) -> AnyArray:
    """Return `table` itself where its rows are contiguous, else a copy."""
    plain = table.dtype == kind and table.strides[1] == table.itemsize and table.strides[0] >= 0
    return table if plain else np.ascontiguousarray(table, kind)
