"""Votes of neighbors: which rows may vote, which class wins after each of them, ties included.

:mod:`lookalike.models.neighbors.voting_numpy` counts the same in NumPy, also for costs and for
functions of the distance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lookalike import _core
from lookalike.errors import ParameterError
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

VOTE_WEIGHTS = tuple(weight.name.lower() for weight in _core.VoteWeight)
TIE_RULES = tuple(rule.name.lower() for rule in _core.TieRule)

WeightFunction = Callable[[Array], Any]  # of distances (queries, k)
NumberOfVoters = float | AnyArray  # k, or one for every query


class VoterTable(NamedTuple):
    """The neighbors of every query that may vote, nearest first."""

    distance: Array  # (queries, width), infinite beyond `length`
    row: Rows  # (queries, width), -1 beyond `length`
    weight: Array | None  # (queries, width), 0 beyond `length`; None where each counts once
    length: Rows  # (queries,)
    complete: bool  # whether no row is left that could vote

    def native(self) -> dict[str, Any]:
        """Return the voters as the native core takes them."""
        weight = np.empty((0, 0)) if self.weight is None else self.weight
        return {**self._asdict(), "weight": weight}

    def subset(self, queries: Rows) -> VoterTable:
        """Return the voters of some of the queries."""
        weight = None if self.weight is None else self.weight[queries]
        return VoterTable(
            self.distance[queries], self.row[queries], weight, self.length[queries], self.complete
        )


class VotingRule:
    r"""How the votes of neighbors decide for a class.

    A query has :math:`v_c = \sum_{i : y_i = c} w_i` votes for class c. With priors :math:`\pi_c`
    and the frequencies :math:`N_c / N` of the classes among the training rows, the votes count as

    .. math:: p(c | x) \propto v_c \, \frac{\pi_c}{N_c / N},

    which is Bayes' rule with :math:`p(x | c) \propto v_c / N_c`. The class of least expected cost
    :math:`\sum_c p(c | x) L_{cj}` wins; without costs that is the most probable one.

    ``ties="grow"`` counts to the end of a shell of equally near rows, then shell by shell until
    one class leads [Barber, algorithm 14.1, step 4]; ``"fewer"`` goes back; ``"nearest"`` and
    ``"prior"`` take of the leading classes the one of the nearest voter, or of the largest prior.
    What is tied even then goes to the first class.

    Parameters
    ----------
    n_classes : int
    weights : {"uniform", "distance"} or function of the distances
    ties : {"grow", "fewer", "nearest", "prior"}
    frequency : array of shape (classes,), optional
        Shares of the training rows.
    prior : array of shape (classes,), optional
    cost : array of shape (classes, classes), optional
        Of a true class, its row, and a predicted one, its column.

    Attributes
    ----------
    class_weight : array of shape (classes,), or None
        What a vote for each class counts, from the prior; None where all count the same.
    """

    n_classes: int
    ties: str
    frequency: Array | None
    prior: Array | None
    cost: Array | None
    weights: str | WeightFunction

    def __init__(
        self,
        n_classes: int,
        weights: str | WeightFunction = "uniform",
        ties: str = "grow",
        frequency: Array | None = None,
        *,
        prior: Array | None = None,
        cost: Array | None = None,
    ) -> None:
        self.n_classes, self.weights, self.ties = n_classes, weights, ties
        self.frequency, self.prior, self.cost = frequency, prior, cost
        self.class_weight: Array | None = None
        if prior is not None and frequency is not None:
            self.class_weight = np.divide(
                prior, frequency, out=np.zeros_like(prior), where=frequency > 0
            )

    def with_weights(self, weights: str | WeightFunction) -> VotingRule:
        """Return the rule with other weights of the neighbors."""
        return VotingRule(
            self.n_classes, weights, self.ties, self.frequency, prior=self.prior, cost=self.cost
        )

    @property
    def class_prior(self) -> Array:
        """How probable each class is before any vote."""
        prior = self.frequency if self.prior is None else self.prior
        return np.ones(self.n_classes) if prior is None else prior

    @property
    def native(self) -> bool:
        """Whether the native count knows the rule: neither costs nor functions of the distance."""
        return not callable(self.weights) and self.cost is None

    def scaled(self, votes: Array) -> Array:
        """Return the votes (queries, classes) times the weight of each class."""
        return votes if self.class_weight is None else votes * self.class_weight

    def probabilities(self, votes: Array) -> Array:
        """Return p(c | x) of the votes (queries, classes)."""
        scaled = self.scaled(votes)
        require_votes(scaled)
        shares: Array = scaled / scaled.sum(axis=1, keepdims=True)
        return shares

    def leaders(self, votes: Array) -> AnyArray:
        """Tell (queries, classes) which classes lead; none does where there are no votes."""
        scaled = self.scaled(votes)
        merit = scaled if self.cost is None else -(scaled @ self.cost)
        leads: AnyArray = merit == merit.max(axis=1, keepdims=True)
        return leads & scaled.any(axis=1, keepdims=True)


class VoteResult(NamedTuple):
    """Which class wins, for every query and every number of neighbors; all (queries, ks)."""

    winner: Rows  # -1 where more neighbors are needed
    size: Rows  # neighbors that voted in the end
    tied: AnyArray  # whether several classes led at first
    share: Array | None = None  # of the votes, those for the true class
    votes: Array | None = None  # (queries, classes), of the last number of neighbors
    counted: Array | None = None  # (queries,), what the rows of these votes weigh together


def require_votes(votes: Array) -> None:
    """Raise where all neighbors of a query have weight zero."""
    if not (votes.sum(axis=1) > 0).all():
        raise ParameterError(
            "All neighbors of some sample is getting zero weights. "
            "Please modify 'weights' to avoid this case if you are "
            "using a user-defined function."
        )


def gather_voters(
    distance: AnyArray,
    row: Rows,
    *,
    own: Rows | None = None,
    group: Rows | None = None,
    weight: Array | None = None,
    copies: Array | None = None,
    complete: bool,
    threads: int = 0,
) -> VoterTable:
    """Return the neighbors that may vote, copies of a query's own row among them by its number.

    Training rows of weight zero have no vote, and those of the query's group neither.

    Parameters
    ----------
    distance, row : arrays of shape (queries, width)
        The neighbors of every query, nearest first.
    own : array of shape (queries,), optional
        The training row that each query is; None where they are new.
    group : array of shape (rows,), optional
        Rows of one group or fold do not vote for each other.
    weight : array of shape (rows,), optional
        Sample weights.
    copies : array of shape (rows,), optional
        What is left of the weight of a query's own row.
    complete : bool
        Whether no row is left that could vote.
    threads : int
        Threads to use.
    """
    queries, width = row.shape
    distance, row = _readable(distance, np.float64), _readable(row, np.int64)
    if group is None and weight is None:
        return VoterTable(distance, row, None, np.full(queries, width, np.int64), complete)
    shape = (queries, width + (copies is not None))
    voters = {
        "distance": np.empty(shape),
        "row": np.empty(shape, np.int64),
        "weight": np.empty((0, 0) if weight is None else shape),
        "length": np.empty(queries, np.int64),
    }
    _core.gather_voters(
        candidate_distance=distance,
        candidate_row=row,
        own=_vector(own, np.int64),
        group=_vector(group, np.int64),
        row_weight=_vector(weight, np.float64),
        copies=_vector(copies, np.float64),
        threads=threads,
        **voters,
    )
    table = VoterTable(**voters, complete=complete)
    return table._replace(weight=None) if weight is None else table


def split_copies(voters: VoterTable, ks: Sequence[NumberOfVoters]) -> tuple[VoterTable, Rows]:
    """Return voters with weights as copies, and for each copy the place of its voter.

    A row of weight five is five rows in one place: the `k` nearest may be some of them, and one
    neighbor fewer is one copy fewer. Rows are cut only where the votes may end: at each k, one
    before it, and one copy before the end of a row.
    """
    if voters.weight is None:
        raise ParameterError("The voters have no weights. Give sample weights.")
    end = np.cumsum(voters.weight, axis=1)
    last = end[:, -1:] if end.shape[1] else np.zeros((len(end), 1))
    given = np.stack([np.broadcast_to(np.asarray(k, float), len(end)) for k in ks], axis=1)
    cuts = np.clip(np.concatenate([given, given - 1.0, end - 1.0], axis=1), 0.0, last)
    points = np.concatenate([end, cuts], axis=1)
    order = np.argsort(points, axis=1, kind="stable")  # of equal points, ends come first
    point, is_end = np.take_along_axis(points, order, 1), order < end.shape[1]
    voter = np.minimum(np.cumsum(is_end, axis=1) - is_end, end.shape[1] - 1)
    weight = np.diff(_on_ends(point, is_end), axis=1, prepend=0.0)
    kept = weight > 0
    order = np.argsort(~kept, axis=1, kind="stable")[:, : int(kept.sum(axis=1).max(initial=1))]
    voter, weight, kept = (np.take_along_axis(part, order, 1) for part in (voter, weight, kept))
    copies = VoterTable(
        np.where(kept, np.take_along_axis(voters.distance, voter, 1), np.inf),
        np.where(kept, np.take_along_axis(voters.row, voter, 1), -1),
        np.where(kept, weight, 0.0),
        kept.sum(axis=1),
        voters.complete,
    )
    return copies, voter


def _on_ends(point: Array, is_end: AnyArray) -> Array:
    """Return sorted points (queries, points), those that miss an end by rounding on that end."""
    before = np.maximum.accumulate(np.where(is_end, point, 0.0), axis=1)
    after = np.where(is_end, point, np.inf)[:, ::-1]
    after = np.minimum.accumulate(after, axis=1)[:, ::-1]
    close = 1e-9 * np.maximum(point, 1.0)
    snapped: Array = np.where(point - before < close, before, point)
    return np.where(after - point < close, after, snapped)


def count_votes(
    voters: VoterTable,
    codes: Rows,
    rule: VotingRule,
    ks: Sequence[NumberOfVoters],
    *,
    truth: Rows | None = None,
    threads: int = 0,
) -> VoteResult:
    """Decide by the first k voters of every query, for each k of `ks`.

    Parameters
    ----------
    voters, codes, rule
        The voters, the class of every training row, and a `native` rule.
    ks : sequence of numbers, or of arrays with one for every query
        How many voters; of those with weights, as many as weigh that much.
    truth : array of shape (queries,), optional
        The true class of each query, whose share of the votes is then returned.
    threads : int
        0 means the setting of :func:`lookalike.config`.
    """
    queries = len(voters.row)
    k = np.array([np.broadcast_to(value, queries) for value in ks], np.float64)
    shape = (len(ks), queries)
    kinds = {"winner": np.int64, "size": np.int64, "tied": bool}
    out: dict[str, Any] = {name: np.empty(shape, kind) for name, kind in kinds.items()}
    share = np.empty(shape if truth is not None else (0, 0))
    ones = np.ones(rule.n_classes)
    _core.count_votes(
        **voters.native(),
        code=np.ascontiguousarray(codes, np.int64),
        ratio=ones if rule.class_weight is None else _vector(rule.class_weight, np.float64),
        prior=_vector(rule.class_prior, np.float64),
        weights=_core.VoteWeight[str(rule.weights).upper()],
        ties=_core.TieRule[rule.ties.upper()],
        k=k,
        truth=_vector(truth, np.int64),
        threads=threads,
        **out,
        share=share,
    )
    decided = {name: values.T for name, values in out.items()}
    return VoteResult(**decided, share=None if truth is None else share.T)


def _vector(values: AnyArray | None, kind: DTypeLike) -> AnyArray:
    """Return a vector as the kernels read it, an empty one for None."""
    return np.empty(0, kind) if values is None else np.ascontiguousarray(values, kind)


def _readable(table: AnyArray, kind: DTypeLike) -> AnyArray:
    """Return `table` itself where its rows are contiguous, else a copy."""
    plain = table.dtype == kind and table.strides[1] == table.itemsize and table.strides[0] >= 0
    return table if plain else np.ascontiguousarray(table, kind)
