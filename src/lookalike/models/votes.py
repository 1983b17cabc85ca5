"""Neighbours vote: whose votes count how much, who wins, and what settles a tie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lookalike.errors import ParameterError, ShapeError
from lookalike.typing import AnyArray, Array, Rows

TIES = ("grow", "nearest", "fewer", "prior")

Weigh = Callable[[Array], Any]


class Ballot(NamedTuple):
    """The neighbours of every query that may vote, nearest first."""

    distance: Array  # (queries, width), infinite beyond `length`
    row: Rows  # (queries, width), -1 beyond `length`
    weight: Array | None  # (queries, width), 0 beyond `length`; None where each counts once
    length: Rows  # (queries,)
    complete: bool  # whether no row is left that could vote


@dataclass(frozen=True)
class Jury:
    r"""How votes become a decision.

    A query has :math:`v_c = \sum_{i : y_i = c} w_i` votes for class c. With prior beliefs
    :math:`\pi_c` beside the shares :math:`N_c / N` of the training rows, the votes count as

    .. math:: p(c | x) \propto v_c \, \frac{\pi_c}{N_c / N},

    which is Bayes' rule with :math:`p(x | c) \propto v_c / N_c`. The class of least expected cost
    :math:`\sum_c p(c | x) L_{cj}` wins; without costs that is the most probable one.
    """

    n_classes: int
    weights: str | Weigh = "uniform"
    ties: str = "grow"
    share: Array | None = None  # (classes,), shares of the training rows
    prior: Array | None = None  # (classes,)
    cost: Array | None = None  # (classes, classes): row the truth, column the answer

    @property
    def ratio(self) -> Array | None:
        """What a vote for each class counts, from the prior; None where all count the same."""
        if self.prior is None or self.share is None:
            return None
        return np.divide(
            self.prior, self.share, out=np.zeros_like(self.prior), where=self.share > 0
        )

    def probabilities(self, votes: Array) -> Array:
        """Return p(c | x) of the votes (queries, classes)."""
        ratio = self.ratio
        scaled = votes if ratio is None else votes * ratio
        require_votes(scaled)
        shares: Array = scaled / scaled.sum(axis=1, keepdims=True)
        return shares

    def merit(self, votes: Array) -> Array:
        """Return what is largest for the class that wins."""
        ratio = self.ratio
        scaled = votes if ratio is None else votes * ratio
        return scaled if self.cost is None else -(scaled @ self.cost)


class Sweep(NamedTuple):
    """The winner after each neighbour, of every query; all (width, queries)."""

    winner: Rows
    tied: AnyArray
    share: Array | None  # of the true class


def require_votes(votes: Array) -> None:
    """Raise where all neighbours of a query count nothing."""
    if not (votes.sum(axis=1) > 0).all():
        raise ParameterError(
            "All neighbors of some sample is getting zero weights. "
            "Please modify 'weights' to avoid this case if you are "
            "using a user-defined function."
        )


def influence(distance: Array, weights: str | Weigh) -> Array:
    r"""Return how much each neighbour counts for its nearness.

    Inverse distances are taken relative to the nearest, :math:`d_{(1)} / d_{(i)}`, which changes
    no share and never overflows. Where rows coincide with the query, only they count; so do rows
    to which a function gives an infinite weight.
    """
    if callable(weights):
        found = weights(distance)
        counted = np.ones_like(distance) if found is None else np.asarray(found, np.float64)
        if counted.shape != distance.shape:
            raise ShapeError(
                f"weights returned shape {counted.shape} for distances of shape {distance.shape}. "
                "Return one weight for each distance."
            )
        boundless = np.isinf(counted)
        return np.where(boundless.any(axis=1, keepdims=True), boundless, counted)
    if weights == "uniform":
        return np.ones_like(distance)
    first = distance[:, :1]
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(first > 0, first / distance, distance == 0)
    return np.where(np.isinf(first), 1.0, ratio)  # nothing is near: all the same


def counted_votes(ballot: Ballot, codes: Rows, jury: Jury, size: Rows) -> Array:
    """Return the votes (queries, classes) of the first `size` neighbours of every query."""
    votes = np.zeros((len(size), jury.n_classes))
    for width in np.unique(size):  # a function of the user's sees whole neighbourhoods
        here = np.flatnonzero(size == width)
        near = influence(ballot.distance[here, :width], jury.weights)
        if ballot.weight is not None:
            near = near * ballot.weight[here, :width]
        label = codes[ballot.row[here, :width]]
        place = np.arange(len(here))[:, None] * jury.n_classes + label
        votes[here] = np.bincount(
            place.ravel(), near.ravel(), minlength=len(here) * jury.n_classes
        ).reshape(len(here), jury.n_classes)
    return votes


def sweep(ballot: Ballot, codes: Rows, jury: Jury, truth: Rows | None, first: int) -> Sweep:
    """Count the votes neighbour by neighbour; functions may leave out positions before `first`."""
    if callable(jury.weights) or jury.cost is not None:
        return _sweep_afresh(ballot, codes, jury, truth, first)
    near = influence(ballot.distance, jury.weights)
    near = near if ballot.weight is None else near * ballot.weight
    label = np.ascontiguousarray(codes[ballot.row].T)
    near = np.ascontiguousarray(near.T)
    if jury.ratio is not None:
        near = near * jury.ratio[label]
    width, queries = near.shape
    votes = np.zeros((jury.n_classes, queries))
    best, winner, ties = np.zeros(queries), np.zeros(queries, np.int64), np.zeros(queries, np.int64)
    found = Sweep(
        np.empty((width, queries), np.int64),
        np.empty((width, queries), bool),
        None if truth is None else np.empty((width, queries)),
    )
    everyone, total, own = np.arange(queries), np.zeros(queries), np.zeros(queries)
    for j in range(width):  # one class gains a vote: it may catch up, or take the lead
        gained = votes[label[j], everyone] + near[j]
        votes[label[j], everyone] = gained
        ahead, level = gained > best, (gained == best) & (near[j] > 0)
        ties = np.where(ahead, 1, ties + level)
        winner = np.where(ahead, label[j], np.where(level, np.minimum(winner, label[j]), winner))
        best = np.where(ahead, gained, best)
        found.winner[j], found.tied[j] = winner, ties > 1
        if found.share is not None:
            total += near[j]
            own += near[j] * (label[j] == truth)
            found.share[j] = np.divide(own, total, out=np.zeros(queries), where=total > 0)
    return found


def _sweep_afresh(ballot: Ballot, codes: Rows, jury: Jury, truth: Rows | None, first: int) -> Sweep:
    """Count all votes again for every number of neighbours: for costs and users' functions."""
    queries, width = ballot.row.shape
    found = Sweep(
        np.zeros((width, queries), np.int64),
        np.zeros((width, queries), bool),
        None if truth is None else np.zeros((width, queries)),
    )
    for j in range(first, width):
        votes = counted_votes(ballot, codes, jury, np.full(queries, j + 1))
        merit = jury.merit(votes)
        found.winner[j] = merit.argmax(axis=1)
        found.tied[j] = (merit == merit.max(axis=1, keepdims=True)).sum(axis=1) > 1
        if found.share is not None and truth is not None:
            counts = votes if jury.ratio is None else votes * jury.ratio
            total = counts.sum(axis=1)
            own = counts[np.arange(queries), truth]
            found.share[j] = np.divide(own, total, out=np.zeros(queries), where=total > 0)
    return found


class Steps(NamedTuple):
    """Up to which position a vote is counted, and where it is settled; both (width, queries)."""

    counted: Rows
    settled: Rows


class Verdict(NamedTuple):
    """Who wins, after how many neighbours, and whether the vote was tied at first."""

    winner: Rows  # -1 where more neighbours must be asked
    size: Rows
    tied: AnyArray


class Count(NamedTuple):
    """Votes counted neighbour by neighbour, ready to be decided for any number of them."""

    ballot: Ballot
    codes: Rows
    jury: Jury
    sweep: Sweep
    steps: Steps


def count_votes(ballot: Ballot, codes: Rows, jury: Jury, truth: Rows | None, first: int) -> Count:
    """Count the votes of the neighbours up to every position.

    Parameters
    ----------
    ballot, codes, jury
        The neighbours, the class of every row, and the rules.
    truth : array of shape (queries,), optional
        The class of each query, whose share is then counted too.
    first : int
        The first position that is asked for.
    """
    found = sweep(ballot, codes, jury, truth, first)
    return Count(ballot, codes, jury, found, steps_of(ballot, found, jury.ties))


def decide(count: Count, start: Rows) -> Verdict:
    """Settle the votes of the neighbours up to position `start` by the jury's rule.

    Parameters
    ----------
    count : Count
        What `count_votes` returned.
    start : array of shape (queries,)
        The position of the last neighbour that votes; the width where there are not enough.
    """
    width, everyone = len(count.sweep.winner), np.arange(len(start))
    at = np.minimum(start, width - 1)
    counted = np.minimum(count.steps.counted[at, everyone], width - 1)
    settled = np.where(start < width, count.steps.settled[at, everyone], width)
    known = settled < width
    winner = np.where(known, count.sweep.winner[np.minimum(settled, width - 1), everyone], -1)
    tied = known & count.sweep.tied[counted, everyone]
    size = np.where(known, settled + 1, 0)
    if count.jury.ties in ("nearest", "prior"):
        here = np.flatnonzero(tied)
        winner[here] = _settled(count, here, size[here])
    return Verdict(winner, size, tied)


def steps_of(ballot: Ballot, found: Sweep, ties: str) -> Steps:
    """Return where a vote of the neighbours up to each position is counted and settled.

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
        return Steps(_next(ends), _next(settled))
    if ties == "fewer":
        return Steps(places, np.maximum.accumulate(np.where(found.tied, 0, places), axis=0))
    return Steps(places, places)


def start_of(ballot: Ballot, k: Any) -> Rows:
    """Return the position of the neighbour with which `k` are reached, the width where none is.

    A row of weight two counts as two.
    """
    width = ballot.row.shape[1]
    k = np.broadcast_to(np.asarray(k, np.float64), (len(ballot.row),))
    if ballot.weight is None:
        found = np.where(k <= ballot.length, k - 1, width)
    else:
        enough = np.cumsum(ballot.weight, axis=1) >= k[:, None]
        found = np.where(enough.any(axis=1), enough.argmax(axis=1), width)
    return np.asarray(found, np.int64)


def part_of(ballot: Ballot, here: Rows) -> Ballot:
    """Return the neighbours of some of the queries."""
    weight = None if ballot.weight is None else ballot.weight[here]
    return Ballot(
        ballot.distance[here], ballot.row[here], weight, ballot.length[here], ballot.complete
    )


def _ends(ballot: Ballot) -> AnyArray:
    """Tell (width, queries) after which neighbours the next one is farther away."""
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
    places = np.where(marked, np.arange(width, dtype=np.int32)[:, None], np.int32(width))
    return np.minimum.accumulate(places[::-1], axis=0)[::-1]


def _settled(count: Count, here: Rows, size: Rows) -> Rows:
    """Return the winner of tied votes: the likelier or the nearer of the level classes."""
    ballot, jury = part_of(count.ballot, here), count.jury
    merit = jury.merit(counted_votes(ballot, count.codes, jury, size))
    level = merit == merit.max(axis=1, keepdims=True)
    if jury.ties == "prior":
        belief = np.asarray(jury.share if jury.prior is None else jury.prior)
        return np.asarray(np.where(level, belief, -1.0).argmax(axis=1))
    reach = np.full(merit.shape, np.inf)
    label = count.codes[ballot.row]
    for j in range(ballot.row.shape[1] - 1, -1, -1):
        some = np.flatnonzero(j < size)
        reach[some, label[some, j]] = ballot.distance[some, j]
    return np.asarray(np.where(level, reach, np.inf).argmin(axis=1))
