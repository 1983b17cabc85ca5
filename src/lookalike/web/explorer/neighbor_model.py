"""The neighbors of every row in the original space: which model they belong to, and its features.

A study whose winner is K-NN has this model; of any other winner it is the best K-NN candidate of
the study, fitted to the same training rows. A model file without neighbors has none.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.explain.k_ranges import KRange, k_ranges, largest_k
from lookalike.explain.leave_one_out import LeaveOneOut, leave_one_out, targets_of
from lookalike.explain.neighbor_predictions import ClassTargets, NeighborPredictions, Targets
from lookalike.explain.similarity import nearest_distances
from lookalike.index.base import Neighbors
from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.neighbors.metric_options import MetricOptions
from lookalike.models.neighbors.regressor import KNeighborsRegressor
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.models.neighbors.supervised import neighbor_query
from lookalike.typing import AnyArray, Rows
from lookalike.web.explorer.pending import Pending

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.data.chunk import Matrix

SEARCHING = "The neighbors of all rows are still being searched for"
UNLABELED_K = 10  # neighbors that are shown where there is nothing to predict


class NeighborModel:
    """A fitted neighbor model, the features of all rows, and which of them are its training rows.

    Parameters
    ----------
    model : KNeighborsClassifier, KNeighborsRegressor or NearestNeighbors
        Its training rows are in its own order.
    Z : ndarray or sparse matrix
        Features of all rows.
    row : ndarray
        The position of every training row of the model.
    name, title : str
        The name of the model, and which one it is of the study.
    transform : function
        Features of rows as they come.
    features : (list of str, list of str)
        The names of the features, and of the column that each was made of.
    groups : ndarray, optional
        Of training rows: those of one group have no vote for each other.
    """

    def __init__(
        self,
        model: BaseEstimator,
        Z: Matrix,
        row: Rows,
        *,
        name: str,
        title: str,
        transform: Callable[[Any], Any],
        features: tuple[list[str], list[str]],
        groups: Rows | None = None,
    ) -> None:
        self.model = copy.copy(model)  # labels are edited here alone
        self.model.__dict__.pop("feature_names_in_", None)  # queries are features in their order
        self.name, self.title, self.transform = name, title, transform
        self.Z, self.row, self.groups = Z, row, groups
        self.feature_names, self.feature_columns = features
        self.place = np.full(Z.shape[0], -1, np.int64)  # among the training rows, -1: it is none
        self.place[row] = np.arange(len(row))
        self._each = Pending(self._leave_one_out, SEARCHING)

    @property
    def predicts(self) -> bool:
        """Whether there is a target."""
        return isinstance(self.model, (KNeighborsClassifier, KNeighborsRegressor))

    @property
    def k(self) -> int:
        """The K of the model."""
        return int(self.model.n_neighbors_) if self.predicts else min(UNLABELED_K, self.k_max)

    @property
    def k_max(self) -> int:
        """The largest K for which all predictions are known."""
        largest = 1 if self.groups is None else int(np.bincount(self.groups).max())
        if not self.predicts:
            return max(1, min(25, len(self.row) - 1))
        return largest_k(self.model.n_neighbors_, None, len(self.row) - largest)

    @property
    def metric(self) -> str:
        """The name of the distance."""
        name = self.model.effective_metric_
        return name if isinstance(name, str) else getattr(name, "__name__", "function")

    def with_k(self, k: int) -> object:
        """Return the model with another K; rows and labels are shared."""
        other = copy.copy(self.model)
        other.n_neighbors = k
        return other

    def left_out(self, row: int) -> Rows | None:
        """Return the training rows, by place, without a vote for a row: itself, then its group."""
        place = int(self.place[row])
        if place < 0:
            return None
        if self.groups is None:
            return np.array([place])
        group = np.flatnonzero(self.groups == self.groups[place])
        return np.append(place, group[group != place])

    def start(self) -> None:
        """Begin to search for the neighbors of all rows, in a thread of its own."""
        self._each.start()

    @property
    def stage(self) -> dict[str, object] | None:
        """How far the search for the neighbors of all rows is; None unless it is under way."""
        return self._each.stage

    @property
    def ready(self) -> bool:
        """Whether the neighbors of all rows are known."""
        return self._each.ready

    def leave_one_out(self) -> LeaveOneOut:
        """Return the leave-one-out predictions of the training rows, waiting for the search."""
        each, _ = self._each.get()
        assert each is not None
        return each

    def others(self) -> tuple[Rows, NeighborPredictions | None]:
        """Return the rows that the model was not fitted on, and what it predicts for them."""
        return np.flatnonzero(self.place < 0), self._each.get()[1]

    def _leave_one_out(self) -> tuple[LeaveOneOut | None, NeighborPredictions | None]:
        nearest_distances(self.model)  # once, before rows are explained
        if not self.predicts:
            return None, None
        each = leave_one_out(self.model, groups=self.groups)
        rest = np.flatnonzero(self.place < 0)
        others = None
        if len(rest):
            query = neighbor_query(self.model, self.Z[rest])
            others = NeighborPredictions(query, targets_of(self.model), each.k)
        return each, others

    def predicted(self, k: int) -> AnyArray:
        """Return the prediction for every row by K neighbors, itself left out: codes or numbers."""
        each, (rest, others) = self.leave_one_out(), self.others()
        own = each.predictions.at(k)
        values = np.empty(len(self.place), own.dtype)
        values[self.row] = own
        if others is not None:
            values[rest] = others.at(k)
        return values

    def predicted_row(self, row: int) -> Any:
        """Return the prediction for one row by the K of the model, from those of all rows."""
        place = int(self.place[row])
        if place >= 0:
            return self.leave_one_out().predictions.at(self.k)[place]
        rest, others = self.others()
        assert others is not None
        return others.at(self.k)[np.searchsorted(rest, row)]

    def neighbors(self, k: int) -> Neighbors:
        """Return the `k` nearest training rows of every row, by position, itself left out."""
        distance = np.empty((len(self.place), k))
        row = np.empty((len(self.place), k), np.int64)
        rest = np.flatnonzero(self.place < 0)
        if self.predicts:
            others = self.others()[1]
            own = self.leave_one_out().predictions.neighbors()
            far = None if others is None else others.neighbors()
        if not self.predicts or own.row.shape[1] < k:
            own = Neighbors(*self.model.kneighbors(None, k))
            far = Neighbors(*self.model.kneighbors(self.Z[rest], k)) if len(rest) else None
        distance[self.row], row[self.row] = own.distance[:, :k], self.row[own.row[:, :k]]
        if far is not None:
            distance[rest], row[rest] = far.distance[:, :k], self.row[far.row[:, :k]]
        return Neighbors(distance, row)

    def nearest(self, row: int, k: int) -> Rows:
        """Return the `k` nearest training rows of one row, by position, itself left out."""
        place = int(self.place[row])
        width = min(k + (place >= 0), len(self.row))
        found = self.model.kneighbors(self.Z[row : row + 1], width)[1][0]
        near: Rows = self.row[found[found != place][:k]]
        return near

    def ranges(self, row: int) -> tuple[KRange, ...]:
        """Return the numbers of neighbors by what they predict for a row, itself left out."""
        each, place = self.leave_one_out(), int(self.place[row])
        if place >= 0:
            return each.ranges(place)
        rest, others = self.others()
        assert others is not None
        values = others.value[np.searchsorted(rest, row)]
        return k_ranges(each.targets.named(values), each.k)

    def relabeled(self, place: int, label: object) -> NeighborModel:
        """Return the model where a training row has another label; this one stays as it is."""
        targets = targets_of(self.model).relabeled(place, label)
        other = copy.copy(self)
        other.model = copy.copy(self.model)
        if isinstance(targets, ClassTargets):
            codes = targets.values[:, None]
            other.model.targets_ = self.model.targets_._replace(codes=codes)
        else:
            values = targets.values[:, None]
            other.model.targets_ = self.model.targets_._replace(values=values)
        if self._each.begun:
            other._each = Pending.of(self._relabeled_predictions(place, label, targets))
        else:
            other._each = Pending(other._leave_one_out, SEARCHING)
        return other

    def _relabeled_predictions(
        self, place: int, label: object, targets: Targets
    ) -> tuple[LeaveOneOut | None, NeighborPredictions | None]:
        each, others = self._each.get()
        assert each is not None
        if others is not None:
            others = others.updated(others.affected(place, targets.depends_on_all), targets)
        return each.relabeled(place, label), others


def unlabeled_search(Z: Matrix, search: MetricOptions) -> NearestNeighbors:
    """Return the search of rows without a target."""
    return NearestNeighbors(**search).fit(Z)
