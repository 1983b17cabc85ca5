"""The vote on one query, repeated with some training rows left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.explain.k_ranges import KRange, k_ranges, largest_k
from lookalike.explain.prediction.adapters import n_neighbors
from lookalike.index.base import Neighbors
from lookalike.kernels.votes import VoteResult, VotingRule
from lookalike.models.neighbors.classifier import NeighborsClassifier
from lookalike.models.neighbors.training_rows import compared_queries, training_weight
from lookalike.models.neighbors.voting import CachedSearch, NeighborQuery, vote
from lookalike.models.neighbors.voting_numpy import distance_weights
from lookalike.models.neighbors.voting_rules import voting_rules
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

SPARE_NEIGHBORS_SHOWN = 8  # neighbors searched for beyond K
SINGLE_QUERY = np.zeros(1, np.int64)  # the one query
SMALLEST_VOTE_WEIGHT = float(np.finfo(np.float64).tiny)


class NeighborVote:
    """The neighbors of one query vote by the model's rule; more are searched for when needed."""

    def __init__(self, model: BaseEstimator, query: object, codes: Rows, leave_out: Any) -> None:
        self.codes = codes
        self.query: object = compared_queries(model, query)
        self._model = model
        self._radius: float | None = model.radius if hasattr(model, "outlier_label") else None
        self._k = n_neighbors(model) if self._radius is None else 1
        self.k: int | None = self._k if self._radius is None else None
        weight = training_weight(model)
        self._weight: Array = np.ones(len(codes)) if weight is None else weight.copy()
        if leave_out is not None:
            self._weight[leave_out] = 0.0
        self.available: int = int(np.count_nonzero(self._weight))
        ours = isinstance(model, NeighborsClassifier)
        # scikit-learn gives a tied vote to the first class, as equal priors do
        plain = VotingRule(len(model.classes_), model.weights or "uniform", ties="prior")
        self.rule: VotingRule = voting_rules(model)[0] if ours else plain
        space = getattr(model, "space_", None)  # radius models have no kneighbors

        def search(part: Rows, k: int) -> Neighbors:  # noqa: ARG001 - there is one query
            if space is not None:
                near: Neighbors = space.nearest(self.query, k, n_jobs=model.n_jobs)
                return near
            distance, row = model.kneighbors(query, k)
            return Neighbors(np.asarray(distance, np.float64), row)

        self._search = CachedSearch(search, 1, min(self._k + SPARE_NEIGHBORS_SHOWN, len(codes)))

    @property
    def outlier_label(self) -> object:
        """The label of rows without any neighbor within the radius."""
        return self._model.outlier_label_[0]

    def present(self, code: int) -> AnyArray:
        """Tell for every training row whether it is of class `code` and may vote."""
        inside: AnyArray = (self.codes == code) & (self._weight > 0)
        return inside

    def others(self, code: int) -> AnyArray:
        """Tell for every training row whether it is of another class than `code` and may vote."""
        inside: AnyArray = (self.codes != code) & (self._weight > 0)
        return inside

    def decide(self, removed: Rows | None = None) -> VoteResult:
        """Return the vote of the nearest rows without those `removed`."""
        weight = self._weight
        if removed is not None:
            weight = weight.copy()
            weight[removed] = 0.0
        k = float(self._k) if self._radius is None else self._count_within(weight)
        if k == 0 and (self._model.outlier_label is not None or self.rule.ties != "grow"):
            winner, none = np.array([[self._outlier_class()]]), np.zeros((1, self.rule.n_classes))
            return VoteResult(winner, np.zeros((1, 1), np.int64), winner < 0, None, none)
        if self._radius is not None:
            k = max(k, 1.0 if training_weight(self._model) is None else SMALLEST_VOTE_WEIGHT)
        total = float(weight.sum())
        query = NeighborQuery(
            self._search, 1, len(self.codes), weight=weight, spare=SPARE_NEIGHBORS_SHOWN
        )
        return vote(query, self.codes, self.rule, [np.array([min(k, total)])], votes=True)

    def ranges(self, k_max: int | None = None) -> tuple[KRange, ...]:
        """Return the numbers of neighbors by what they predict; none of a model with a radius."""
        if self._radius is not None:
            return ()
        most = largest_k(self._k, k_max, len(self.codes) - 1)
        total = float(self._weight.sum())
        query = NeighborQuery(
            self._search, 1, len(self.codes), weight=self._weight, spare=SPARE_NEIGHBORS_SHOWN
        )
        ks = np.arange(1, most + 1)
        counts = [np.array([min(float(k), total)]) for k in ks]
        winner = vote(query, self.codes, self.rule, counts).winner[0]
        return k_ranges(np.asarray(self._model.classes_)[winner], ks)

    def voters(self, result: VoteResult) -> tuple[Rows, Array, Array]:
        """Return row, distance and weight of the voters; of the last, what of it was counted."""
        size = int(result.size[0, 0])
        row, distance = self.nearest(self._weight > 0, size)
        weight = distance_weights(distance[None], self.rule.weights)[0] if size else distance
        copies = self._weight[row]
        if size and result.counted is not None:
            copies[-1] = min(copies[-1], result.counted[0] - copies[:-1].sum())
        return row, distance, weight * copies

    def nearest(self, wanted: AnyArray, count: int) -> tuple[Rows, Array]:
        """Return the `count` nearest of the training rows `wanted`, and their distances."""
        width = self._k + SPARE_NEIGHBORS_SHOWN
        while True:
            width = min(width, len(self.codes))
            distance, row = self._search(SINGLE_QUERY, width)
            positions = np.flatnonzero(wanted[row[0]])[:count]
            if len(positions) == count or width == len(self.codes):
                return row[0, positions], distance[0, positions]
            width *= 2

    def _count_within(self, weight: Array) -> float:
        """Return the weight of the rows within the radius."""
        width = self._k + SPARE_NEIGHBORS_SHOWN
        while True:
            width = min(width, len(self.codes))
            distance, row = self._search(SINGLE_QUERY, width)
            if width == len(self.codes) or distance[0, -1] > self._radius:
                inside = weight[row[0, distance[0] <= self._radius]]
                return float(inside.sum())
            width *= 2

    def _outlier_class(self) -> int:
        """Return the place of the label of rows without neighbors, -1 if it is not a class."""
        codes = np.flatnonzero(self._model.classes_ == self.outlier_label)
        return int(codes[0]) if len(codes) else -1
