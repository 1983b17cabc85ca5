"""K-nearest-neighbor voting: a search is widened, where needed, until every vote is decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from lookalike.index.base import Neighbors
from lookalike.kernels.votes import (
    NumberOfVoters,
    VoteResult,
    VoterTable,
    VotingRule,
    count_votes,
    gather_voters,
    split_copies,
)
from lookalike.models.neighbors.voting_numpy import count_votes_numpy, votes_of_first
from lookalike.typing import Array, Rows

Search = Callable[[Rows, int], Neighbors]  # of some queries by number, this many neighbors

SPARE_NEIGHBORS_FOR_TIES = 3  # neighbors searched for beyond K: most ties are decided among them
NEIGHBORS_IN_MEMORY = 2**23  # neighbors in memory at once
WEIGHT_SUM_ROUNDING = 1e-12  # by which a sum of weights may miss a number of neighbors


class NeighborQuery(NamedTuple):
    """The queries whose neighbors vote: how to search, and which rows have no vote."""

    search: Search
    n_queries: int
    available: int  # rows that a query can have as neighbors
    own: Rows | None = None  # (queries,), the training row that each query is; None: they are new
    group: Rows | None = None  # (rows,), rows of one group or fold do not vote for each other
    weight: Array | None = None  # (rows,), sample weights; rows of weight zero have no vote
    copies: Array | None = None  # (rows,), what is left of the weight of a query's own row
    spare: int = SPARE_NEIGHBORS_FOR_TIES
    threads: int = 0

    def subset(self, queries: Rows) -> NeighborQuery:
        """Return some of the queries."""
        return self._replace(
            search=lambda part, k: self.search(queries[part], k),
            n_queries=len(queries),
            own=None if self.own is None else self.own[queries],
        )

    def voters(self, part: Rows, width: int) -> VoterTable:
        """Return those of the `width` nearest rows of some queries that may vote."""
        return gather_voters(
            *self.search(part, width),
            own=None if self.own is None else self.own[part],
            group=self.group,
            weight=self.weight,
            copies=self.copies,
            complete=width == self.available,
            threads=self.threads,
        )


def is_everyone(part: Rows, n_queries: int) -> bool:
    """Return whether `part` names all queries in their order.

    >>> is_everyone(np.array([0, 1, 2]), 3), is_everyone(np.array([2, 1, 0]), 3)
    (True, False)
    """
    return len(part) == n_queries and np.array_equal(part, np.arange(n_queries))


class CachedSearch:
    """The neighbors of all queries, searched once; again only where more of them are needed."""

    def __init__(self, search: Search, n_queries: int, width: int) -> None:
        self._search = search
        self._n_queries = n_queries
        self._neighbors = search(np.arange(n_queries), width)

    def __call__(self, part: Rows, k: int) -> Neighbors:
        """Return the `k` nearest rows of some queries."""
        everyone = is_everyone(part, self._n_queries)
        if k > self._neighbors.row.shape[1]:
            wider = self._search(part, k)
            if everyone:
                self._neighbors = wider
            return wider
        positions = slice(None) if everyone else part
        return Neighbors(
            self._neighbors.distance[positions, :k], self._neighbors.row[positions, :k]
        )


def vote(
    query: NeighborQuery,
    codes: Rows,
    rule: VotingRule,
    ks: Sequence[NumberOfVoters],
    *,
    truth: Rows | None = None,
    votes: bool = False,
) -> VoteResult:
    """Decide for every query by its `k` nearest rows, for each k of `ks` from one search.

    Parameters
    ----------
    query, codes, rule
        The queries, the class of every training row, and how votes decide.
    ks : sequence of int, or of one array with a number for every query
        How many neighbors vote. Of rows with weights, as many as weigh that much.
    truth : array of shape (queries,), optional
        The true class of each query, whose share of the votes is then returned.
    votes : bool
        Whether the votes that decided for the last of `ks` are returned.
    """
    shape = (len(ks), query.n_queries)  # written for one k after another
    result = VoteResult(
        np.full(shape, -1).T,
        np.zeros(shape, np.int64).T,
        np.zeros(shape, bool).T,
        None if truth is None else np.zeros(shape).T,
        np.zeros((query.n_queries, rule.n_classes)) if votes else None,
        np.zeros(query.n_queries) if votes and query.weight is not None else None,
    )
    waiting = np.arange(query.n_queries)
    most = max(int(np.max(k, initial=1)) for k in ks)
    width = min(most + query.spare, query.available)
    while len(waiting):
        undecided = []
        batch = max(1, NEIGHBORS_IN_MEMORY // width)
        for begin in range(0, len(waiting), batch):
            part = waiting[begin : begin + batch]
            true_class = None if truth is None else truth[part]
            ks_of_part = [k[part] if isinstance(k, np.ndarray) else k for k in ks]
            counted = _count(
                query.voters(part, width),
                codes,
                rule,
                ks_of_part,
                true_class,
                votes=votes,
                threads=query.threads,
            )
            _write(counted, part, result)
            undecided.append(part[(counted.winner < 0).any(axis=1)])
        waiting = np.concatenate(undecided) if width < query.available else np.empty(0, int)
        if len(waiting) and _every_class_has_one_row(query, codes, rule):
            _write_all_tied(query, codes, waiting, truth, result)
            break
        width = min(2 * width, query.available)
    return result


def _every_class_has_one_row(query: NeighborQuery, codes: Rows, rule: VotingRule) -> bool:
    """Return whether no row can break a tie: each is the only one of its class, and counts once."""
    plain = rule.weights == "uniform" and rule.prior is None and rule.cost is None
    counted_once = query.weight is None and query.group is None
    return bool(
        plain
        and counted_once
        and rule.ties == "grow"
        and len(codes) == rule.n_classes
        and np.bincount(codes, minlength=rule.n_classes).max() == 1
    )


def _write_all_tied(
    query: NeighborQuery, codes: Rows, part: Rows, truth: Rows | None, result: VoteResult
) -> None:
    """Write what all rows together decide where each has a class of its own: the first class.

    The neighbors up to the last need not be searched for.
    """
    true_class = None if query.own is None else codes[query.own[part]]
    first = np.zeros(len(part), np.int64) if true_class is None else np.where(true_class == 0, 1, 0)
    for column in range(result.winner.shape[1]):
        open_ = result.winner[part, column] < 0
        rows = part[open_]
        result.winner[rows, column], result.tied[rows, column] = first[open_], True
        result.size[rows, column] = query.available
        if result.share is not None and truth is not None:
            votes = True if true_class is None else truth[part] != true_class
            result.share[rows, column] = (np.ones(len(part)) * votes / query.available)[open_]
        if result.votes is not None and column == result.winner.shape[1] - 1:
            result.votes[rows] = 1.0
            if true_class is not None:
                result.votes[rows, true_class[open_]] = 0.0


def _count(
    voters: VoterTable,
    codes: Rows,
    rule: VotingRule,
    ks: Sequence[NumberOfVoters],
    truth: Rows | None,
    *,
    votes: bool,
    threads: int,
) -> VoteResult:
    """Count the votes of some queries; a row of weight two is two rows, whatever the tie rule."""
    voter = None
    if voters.weight is not None:
        if rule.ties != "grow":  # which counts all rows that are equally near, and so all copies
            voters, voter = split_copies(voters, ks)
        ks = [np.asarray(k) * (1 - WEIGHT_SUM_ROUNDING) for k in ks]
    if rule.native:
        counted = count_votes(voters, codes, rule, ks, truth=truth, threads=threads)
    else:
        counted = count_votes_numpy(voters, codes, rule, ks, truth=truth)
    if votes:
        size = counted.size[:, -1]
        counted = counted._replace(votes=votes_of_first(voters, codes, rule, size))
        if voters.weight is not None:
            total = np.cumsum(voters.weight, axis=1)[np.arange(len(size)), np.maximum(size, 1) - 1]
            counted = counted._replace(counted=np.where(size > 0, total, 0.0))
    if voter is not None:
        rows = np.take_along_axis(voter, np.maximum(counted.size, 1) - 1, 1) + 1
        counted = counted._replace(size=np.where(counted.size > 0, rows, 0))
    return counted


def _write(counted: VoteResult, part: Rows, result: VoteResult) -> None:
    """Write what was counted into the places of its queries."""
    positions = slice(None) if len(part) == len(result.winner) else part
    for values, target in zip(counted, result, strict=True):
        if target is not None and values is not None:
            target[positions] = values
