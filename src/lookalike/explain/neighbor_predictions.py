"""What the neighbors of every query predict for every K, counted again where a label changes."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import ParameterError
from lookalike.explain.prediction.adapters import class_codes, numbers
from lookalike.index.base import Neighbors
from lookalike.kernels.votes import VotingRule
from lookalike.models.neighbors.averaging import average
from lookalike.models.neighbors.voting import CachedSearch, NeighborQuery, vote
from lookalike.models.neighbors.voting_rules import voting_rule
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import few, shown

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


class ClassTargets:
    """The class of every training row, and how the votes of neighbors decide.

    `values` are codes, places in `classes`: those of the rows of the model when None. `rule` is
    that of the rows before others were added.
    """

    def __init__(
        self, model: BaseEstimator, values: Rows | None = None, rule: VotingRule | None = None
    ) -> None:
        self.values: Rows = class_codes(model) if values is None else values
        self.classes: AnyArray = np.asarray(model.classes_)
        self._model, self._rule = model, rule

    @property
    def rule(self) -> VotingRule:
        """The voting rule of the model for the labels as they are."""
        if self._rule is not None:
            return self._rule
        labels = self._model.targets_._replace(codes=self.values[:, None])
        return voting_rule(self._model, labels, 0, None)

    @property
    def depends_on_all(self) -> bool:
        """Whether a label changes votes that its row has no part in, by class frequencies."""
        return self.rule.prior is not None or self.rule.ties == "prior"

    def decide(self, query: NeighborQuery, ks: Sequence[int]) -> tuple[AnyArray, Rows]:
        """Return what the queries are predicted to be, and how many neighbors decided."""
        result = vote(query, self.values, self.rule, list(ks))
        return result.winner.astype(np.int32), result.size

    def coded(self, labels: object) -> Rows:
        """Return labels as places in `classes`, or raise."""
        texts = [str(label) for label in self.classes.tolist()]
        places = {text: index for index, text in enumerate(texts)}
        unknown = [label for label in np.asarray(labels).tolist() if str(label) not in places]
        if unknown:
            raise ParameterError(
                f"{shown(unknown[0])} is not a class of the model; there are "
                f"{few(texts, text=str)}."
            )
        return np.array([places[str(label)] for label in np.asarray(labels).tolist()], np.int64)

    def relabeled(self, row: int, label: object) -> ClassTargets:
        """Return the targets with another label of one row."""
        values = self.values.copy()
        values[row] = self.coded([label])[0]
        return ClassTargets(self._model, values, self._rule)

    def extended(self, values: Rows) -> ClassTargets:
        """Return the targets with more rows, by code, and the voting rule of these rows alone."""
        return ClassTargets(self._model, np.append(self.values, values), self.rule)

    def label(self, row: int) -> object:
        """Return the label of one row."""
        return self.classes[self.values[row]].item()

    def named(self, values: AnyArray) -> AnyArray:
        """Return the labels of codes."""
        return self.classes[values]

    @staticmethod
    def loss(predicted: AnyArray, truth: AnyArray) -> Array:
        """Return 1 for every error, else 0."""
        return np.asarray(predicted != truth, np.float64)

    @staticmethod
    def error(predicted: AnyArray, truth: AnyArray) -> float:
        """Return the share of errors."""
        return int(np.count_nonzero(predicted != truth)) / len(truth)


class NumberTargets:
    """The number of every training row, and how neighbors are weighted.

    `values` are the numbers of the rows of the model when None.
    """

    depends_on_all = False

    def __init__(self, model: BaseEstimator, values: Array | None = None) -> None:
        self.values: Array = numbers(model) if values is None else values
        self._model = model

    def decide(self, query: NeighborQuery, ks: Sequence[int]) -> tuple[AnyArray, Rows]:
        """Return what the queries are predicted to be, and how many neighbors decided."""
        mean = average(query, self.values[:, None], self._model.weighting, list(ks))[0][:, :, 0]
        return mean, np.broadcast_to(np.asarray(ks), mean.shape)

    def coded(self, labels: object) -> Array:
        """Return numbers, or raise if a value is not one."""
        try:
            found = np.asarray([float(label) for label in np.asarray(labels).tolist()], np.float64)
        except (TypeError, ValueError):
            raise ParameterError(f"{shown(labels)} holds no numbers. Give some.") from None
        if not np.isfinite(found).all():
            raise ParameterError(f"{shown(labels)} holds what is not finite. Give numbers.")
        return found

    def relabeled(self, row: int, label: object) -> NumberTargets:
        """Return the targets with another number of one row."""
        values = self.values.copy()
        values[row] = self.coded([label])[0]
        return NumberTargets(self._model, values)

    def extended(self, values: Array) -> NumberTargets:
        """Return the targets with more rows."""
        return NumberTargets(self._model, np.append(self.values, values))

    def label(self, row: int) -> float:
        """Return the number of one row."""
        return float(self.values[row])

    def named(self, values: AnyArray) -> AnyArray:
        """Return the numbers themselves."""
        return values

    @staticmethod
    def loss(predicted: AnyArray, truth: AnyArray) -> Array:
        """Return the squared errors."""
        return np.asarray((predicted - truth) ** 2, np.float64)

    @staticmethod
    def error(predicted: AnyArray, truth: AnyArray) -> float:
        """Return the RMSE."""
        return float(np.sqrt(np.mean((predicted - truth) ** 2)))


Targets = ClassTargets | NumberTargets


class NeighborPredictions:
    """Predictions for every query and K, from one search.

    Attributes
    ----------
    k : ndarray
        The numbers of neighbors.
    value : ndarray of shape (queries, ks)
        Class codes, or numbers.
    """

    value: AnyArray

    def __init__(self, query: NeighborQuery, targets: Targets, k: Rows) -> None:
        self.k = k
        self.n_queries: int = query.n_queries
        self._width = min(int(k[-1]) + query.spare, query.available)
        search = CachedSearch(query.search, query.n_queries, self._width)
        self._query = query._replace(search=search)
        self.value, size = targets.decide(self._query, k.tolist())
        self._most = size.max(axis=1)

    def at(self, k: int) -> AnyArray:
        """Return the predictions of one K."""
        return self.value[:, k - 1]

    def neighbors(self, part: Rows | None = None) -> Neighbors:
        """Return the neighbors that were found, nearest first, those without a vote among them."""
        queries = np.arange(self.n_queries) if part is None else part
        return self._query.search(queries, self._width)

    def affected(self, row: int, everyone: bool = False) -> Rows:
        """Return the queries whose predictions may change with the label of a training row."""
        if everyone:
            return np.arange(self.n_queries)
        return np.flatnonzero((self.neighbors().row == row).any(axis=1) | self._beyond)

    def recomputed(self, part: Rows, targets: Targets, ks: Sequence[int]) -> AnyArray:
        """Return the predictions of some queries by other targets."""
        return targets.decide(self._query.subset(part), ks)[0]

    def updated(self, part: Rows, targets: Targets) -> NeighborPredictions:
        """Return the predictions with those of some queries by other targets; these stay."""
        other = copy.copy(self)
        if len(part):
            other.value, other._most = self.value.copy(), self._most.copy()
            other.value[part], size = targets.decide(self._query.subset(part), self.k.tolist())
            other._most[part] = size.max(axis=1)
        return other

    def reverse_neighbors(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return pairs of a place in `rows` and a query that has this row among its neighbors."""
        place = np.full(max(int(rows.max()) + 1, int(self.neighbors().row.max()) + 1), -1)
        place[rows] = np.arange(len(rows))
        found = place[self.neighbors().row]
        query, column = np.nonzero(found >= 0)
        suspect = found[query, column]
        wide = np.flatnonzero(self._beyond)  # their voters are not all known
        known = ~np.isin(query, wide)
        every = np.repeat(np.arange(len(rows)), len(wide))
        return (
            np.concatenate([suspect[known], every]),
            np.concatenate([query[known], np.tile(wide, len(rows))]),
        )

    def with_own_labels(
        self, query: Rows, row: Rows, value: AnyArray, targets: Targets, k: int
    ) -> AnyArray:
        """Return predictions of queries, each as if one training row alone had another target.

        The row is replaced among the neighbors by a new one, which has the other target.
        """
        n_rows = len(targets.values)
        query_row, group = self._query.own, self._query.group

        def search(part: Rows, width: int) -> Neighbors:
            distance, found = self._query.search(query[part], width)
            return Neighbors(
                distance, np.where(found == row[part, None], n_rows + part[:, None], found)
            )

        pairs = self._query._replace(
            search=search,
            n_queries=len(query),
            own=None if query_row is None else query_row[query],
            group=None if group is None else np.append(group, group[row]),
        )
        return targets.extended(value).decide(pairs, [k])[0][:, 0]

    @property
    def _beyond(self) -> AnyArray:
        """Which queries counted neighbors that are not among those kept."""
        group = self._query.group
        length = np.full(self.n_queries, self._width)
        if group is not None and self._query.own is not None:
            near = self.neighbors().row
            length = (group[near] != group[self._query.own][:, None]).sum(axis=1)
        beyond: AnyArray = self._most > length
        return beyond
