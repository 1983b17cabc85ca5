"""The votes of :func:`lookalike.kernels.votes.count_votes` counted in NumPy.

Readable rather than quick: the votes of every number of neighbors are counted from the first. It
decides for costs and for weights that are functions of the distance, which the native count does
not know; for all other rules both give the same winners.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookalike.errors import ParameterTypeError, ShapeError
from lookalike.kernels.votes import (
    NumberOfVoters,
    VoteResult,
    VoterTable,
    VotingRule,
    WeightFunction,
    require_votes,
)
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import shown


def count_votes_numpy(
    voters: VoterTable,
    codes: Rows,
    rule: VotingRule,
    ks: Sequence[NumberOfVoters],
    *,
    truth: Rows | None = None,
) -> VoteResult:
    """Decide by the first k voters of every query, for each k of `ks`."""
    width = voters.row.shape[1]
    starts = [last_voter(voters, k) for k in ks]
    if callable(rule.weights):
        for start in starts:  # weights that leave no vote are an error
            inside = np.flatnonzero(start < width)
            require_votes(votes_of_first(voters, codes, rule, start + 1)[inside])
    first = 0 if rule.ties == "fewer" else min(int(np.min(start)) for start in starts)
    winner, tied, share = _after_each_voter(voters, codes, rule, truth, first)
    counted, settled = _where_settled(voters, tied, rule.ties)
    shape = (len(ks), len(voters.row))
    result = VoteResult(
        np.full(shape, -1).T,
        np.zeros(shape, np.int64).T,
        np.zeros(shape, bool).T,
        None if truth is None else np.zeros(shape).T,
    )
    everyone = np.arange(len(voters.row))
    for index, start in enumerate(starts):
        at = np.minimum(start, width - 1)
        last = np.where(start < width, settled[at, everyone], width)
        unfinished = np.flatnonzero(last < width)
        at, last = at[unfinished], last[unfinished]
        result.winner[unfinished, index] = winner[last, unfinished]
        result.size[unfinished, index] = last + 1
        result.tied[unfinished, index] = tied[
            np.minimum(counted[at, unfinished], width - 1), unfinished
        ]
        if result.share is not None:
            result.share[unfinished, index] = share[last, unfinished]
    return result


def leading_class(rule: VotingRule, votes: Array) -> tuple[Rows, AnyArray]:
    """Return the first class that leads the votes (queries, classes), and whether others do too."""
    leads = rule.leaders(votes)
    return leads.argmax(axis=1), leads.sum(axis=1) > 1


def distance_weights(distance: Array, weights: str | WeightFunction) -> Array:
    r"""Return how much each neighbor counts for its nearness.

    Inverse distances are taken relative to the nearest, :math:`d_{(1)} / d_{(i)}`, which changes
    no share and never overflows. Where rows coincide with the query, only they count; so do rows
    to which a function gives an infinite weight.
    """
    if callable(weights):
        given = weights(distance)
        try:
            weight = np.ones_like(distance) if given is None else np.asarray(given, np.float64)
        except (TypeError, ValueError):
            raise ParameterTypeError(
                f"weights returned {shown(given)} for distances. Return one number for each."
            ) from None
        if weight.shape != distance.shape:
            raise ShapeError(
                f"weights returned shape {weight.shape} for distances of shape {distance.shape}. "
                "Return one weight for each distance."
            )
        infinite = np.isinf(weight)
        return np.where(infinite.any(axis=1, keepdims=True), infinite, weight)
    if weights == "uniform":
        return np.ones_like(distance)
    first = distance[:, :1]
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(first > 0, first / distance, distance == 0)
    return np.where(np.isinf(first), 1.0, ratio)  # nothing is near: all the same


def votes_of_first(voters: VoterTable, codes: Rows, rule: VotingRule, size: Rows) -> Array:
    """Return the votes (queries, classes) of the first `size` neighbors of every query."""
    votes = np.zeros((len(size), rule.n_classes))
    for width in np.unique(size):  # a function of the user's is given whole neighborhoods
        rows_of_width = np.flatnonzero(size == width)
        weight = distance_weights(voters.distance[rows_of_width, :width], rule.weights)
        if voters.weight is not None:
            weight = weight * voters.weight[rows_of_width, :width]
        label = codes[voters.row[rows_of_width, :width]]
        cell = np.arange(len(rows_of_width))[:, None] * rule.n_classes + label
        votes[rows_of_width] = np.bincount(
            cell.ravel(), weight.ravel(), minlength=len(rows_of_width) * rule.n_classes
        ).reshape(len(rows_of_width), rule.n_classes)
    return votes


def last_voter(voters: VoterTable, k: NumberOfVoters) -> Rows:
    """Return the position of the voter with which `k` are reached, the width where none is.

    A row of weight two counts as two.
    """
    width = voters.row.shape[1]
    k = np.broadcast_to(np.asarray(k, np.float64), (len(voters.row),))
    if voters.weight is None:
        last = np.where(k <= voters.length, k - 1, width)
    else:
        enough = np.cumsum(voters.weight, axis=1) >= k[:, None]
        last = np.where(enough.any(axis=1), enough.argmax(axis=1), width)
    return np.asarray(last, np.int64)


def _after_each_voter(
    voters: VoterTable, codes: Rows, rule: VotingRule, truth: Rows | None, first: int
) -> tuple[Rows, AnyArray, Array]:
    """Return winner, tied and share of the true class after each voter; all (width, queries)."""
    queries, width = voters.row.shape
    shape = (width, queries)
    winner, tied, share = np.zeros(shape, np.int64), np.zeros(shape, bool), np.zeros(shape)
    for j in range(first, width):
        votes = votes_of_first(voters, codes, rule, np.full(queries, j + 1))
        winner[j], tied[j] = leading_class(rule, votes)
        tied_rows = np.flatnonzero(tied[j])
        if len(tied_rows) and rule.ties in ("nearest", "prior"):
            leads = rule.leaders(votes[tied_rows])
            winner[j, tied_rows] = _tie_winner(voters.subset(tied_rows), codes, rule, j + 1, leads)
        if truth is not None:
            scaled = rule.scaled(votes)
            total, true_votes = scaled.sum(axis=1), scaled[np.arange(queries), truth]
            share[j] = np.divide(true_votes, total, out=np.zeros(queries), where=total > 0)
    return winner, tied, share


def _tie_winner(
    voters: VoterTable, codes: Rows, rule: VotingRule, size: int, leads: AnyArray
) -> Rows:
    """Return the winner among the leading classes: the more probable, or that of the nearest."""
    if rule.ties == "prior":
        return np.asarray(np.where(leads, rule.class_prior, -1.0).argmax(axis=1))
    nearest = np.full(leads.shape, np.inf)
    label = codes[voters.row]
    for j in range(size - 1, -1, -1):
        with_voters = np.flatnonzero(j < voters.length)
        nearest[with_voters, label[with_voters, j]] = voters.distance[with_voters, j]
    return np.asarray(np.where(leads, nearest, np.inf).argmin(axis=1))


def _where_settled(voters: VoterTable, tied: AnyArray, ties: str) -> tuple[Rows, Rows]:
    """Return up to which position votes are counted, and where decided; both (width, queries)."""
    width, queries = tied.shape
    places = np.broadcast_to(np.arange(width)[:, None], (width, queries))
    if ties == "grow":
        ends = _shell_ends(voters)
        settled = ends & ~tied
        if voters.complete:  # no row is left: the first of the leading classes
            settled[np.maximum(voters.length - 1, 0), np.arange(queries)] = True
        return _next(ends), _next(settled)
    if ties == "fewer":
        return places, np.maximum.accumulate(np.where(tied, 0, places), axis=0)
    return places, places


def _shell_ends(voters: VoterTable) -> AnyArray:
    """Tell (width, queries) after which voters the next one is farther away."""
    queries, width = voters.row.shape
    ends = np.zeros((width, queries), bool)
    ends[:-1] = (voters.distance[:, 1:] > voters.distance[:, :-1]).T
    places = np.arange(width)[:, None]
    ends &= places < voters.length - (0 if voters.complete else 1)
    if voters.complete:
        ends[np.maximum(voters.length - 1, 0), np.arange(queries)] = True
    return ends


def _next(marked: AnyArray) -> Rows:
    """Return for each position the first one from there on that is marked, else the width."""
    width = len(marked)
    places = np.where(marked, np.arange(width)[:, None], width)
    return np.minimum.accumulate(places[::-1], axis=0)[::-1]
