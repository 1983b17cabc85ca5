"""Whose votes count how much, and how they become a decision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.errors import ParameterError, ShapeError
from lookalike.kernels.votes import Ballot, Rules
from lookalike.typing import Array, Rows

Weigh = Callable[[Array], Any]


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

    @property
    def belief(self) -> Array:
        """How likely each class is before any vote."""
        belief = self.share if self.prior is None else self.prior
        return np.ones(self.n_classes) if belief is None else belief

    @property
    def rules(self) -> Rules | None:
        """The rules as the native count knows them; None for costs and users' functions."""
        if callable(self.weights) or self.cost is not None:
            return None
        ratio = np.ones(self.n_classes) if self.ratio is None else self.ratio
        return Rules(self.weights, self.ties, ratio, self.belief)

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


def require_votes(votes: Array) -> None:
    """Raise where all neighbors of a query count nothing."""
    if not (votes.sum(axis=1) > 0).all():
        raise ParameterError(
            "All neighbors of some sample is getting zero weights. "
            "Please modify 'weights' to avoid this case if you are "
            "using a user-defined function."
        )


def influence(distance: Array, weights: str | Weigh) -> Array:
    r"""Return how much each neighbor counts for its nearness.

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
    """Return the votes (queries, classes) of the first `size` neighbors of every query."""
    votes = np.zeros((len(size), jury.n_classes))
    for width in np.unique(size):  # a function of the user's sees whole neighborhoods
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


def start_of(ballot: Ballot, k: Any) -> Rows:
    """Return the position of the neighbor with which `k` are reached, the width where none is.

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
    """Return the neighbors of some of the queries."""
    weight = None if ballot.weight is None else ballot.weight[here]
    return Ballot(
        ballot.distance[here], ballot.row[here], weight, ballot.length[here], ballot.complete
    )
