"""The neighbors of every row in the original space: which model they belong to, and its features.

A study whose winner is K-NN has this model; of any other winner it is the best K-NN candidate of
the study, fitted to the same training rows. A model file without neighbors has none.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.explain.k_ranges import largest_k
from lookalike.explain.leave_one_out import LeaveOneOut
from lookalike.explain.row_predictions import RowPredictions, predict_rows, relabeled_model
from lookalike.explain.similarity import nearest_distances
from lookalike.index.base import Neighbors
from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.neighbors.metric_options import MetricOptions
from lookalike.models.neighbors.regressor import KNeighborsRegressor
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.typing import AnyArray, Array, Rows
from lookalike.web.explorer.pending import Pending

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.data.chunk import Matrix

STILL_SEARCHING = "The neighbors of all rows are still being searched for"
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

    name: str
    title: str
    row: Rows
    groups: Rows | None
    feature_names: list[str]
    feature_columns: list[str]
    model: BaseEstimator
    transform: Callable[[object], Array]
    place: Rows

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
        self.place = np.full(Z.shape[0], -1, np.int64)  # among the training rows; -1: not there
        self.place[row] = np.arange(len(row))
        self._pending = Pending(self._predict_rows, STILL_SEARCHING)

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
        position = int(self.place[row])
        if position < 0:
            return None
        if self.groups is None:
            return np.array([position])
        group = np.flatnonzero(self.groups == self.groups[position])
        return np.append(position, group[group != position])

    def start(self) -> None:
        """Begin to search for the neighbors of all rows, in a thread of its own."""
        self._pending.start()

    @property
    def stage(self) -> dict[str, object] | None:
        """How far the search for the neighbors of all rows is; None unless it is under way."""
        return self._pending.stage

    @property
    def ready(self) -> bool:
        """Whether the neighbors of all rows are known."""
        return self._pending.ready

    def predictions(self) -> RowPredictions:
        """Return the predictions for all rows by every K, waiting for the search."""
        known = self._pending.get()
        assert known is not None
        return known

    def leave_one_out(self) -> LeaveOneOut:
        """Return the leave-one-out predictions of the training rows, waiting for the search."""
        return self.predictions().each

    def predicted(self, k: int) -> AnyArray:
        """Return the prediction for every row by K neighbors, itself left out: codes or numbers."""
        return self.predictions().at(k)

    def _predict_rows(self) -> RowPredictions | None:
        nearest_distances(self.model)  # once, before rows are explained
        if not self.predicts:
            return None
        return predict_rows(self.model, self.Z, self.row, self.groups)

    def neighbors(self, k: int) -> Neighbors:
        """Return the `k` nearest training rows of every row, by position, itself left out."""
        distance = np.empty((len(self.place), k))
        row = np.empty((len(self.place), k), np.int64)
        rest = np.flatnonzero(self.place < 0)
        if self.predicts:
            known = self.predictions()
            nearest = known.each.predictions.neighbors()
            far = None if known.others is None else known.others.neighbors()
        if not self.predicts or nearest.row.shape[1] < k:
            nearest = Neighbors(*self.model.kneighbors(None, k))
            far = Neighbors(*self.model.kneighbors(self.Z[rest], k)) if len(rest) else None
        distance[self.row], row[self.row] = nearest.distance[:, :k], self.row[nearest.row[:, :k]]
        if far is not None:
            distance[rest], row[rest] = far.distance[:, :k], self.row[far.row[:, :k]]
        return Neighbors(distance, row)

    def nearest(self, row: int, k: int) -> Rows:
        """Return the `k` nearest training rows of one row, by position, itself left out."""
        position = int(self.place[row])
        width = min(k + (position >= 0), len(self.row))
        nearest_rows = self.model.kneighbors(self.Z[row : row + 1], width)[1][0]
        near: Rows = self.row[nearest_rows[nearest_rows != position][:k]]
        return near

    def relabeled(self, place: int, label: object) -> NeighborModel:
        """Return the model where a training row has another label; this one stays as it is."""
        other = copy.copy(self)
        other.model = relabeled_model(self.model, place, label)
        if self._pending.begun:
            other._pending = Pending.of(self.predictions().relabeled(place, label))
        else:
            other._pending = Pending(other._predict_rows, STILL_SEARCHING)
        return other


def unlabeled_search(Z: Matrix, search: MetricOptions) -> NearestNeighbors:
    """Return the search of rows without a target."""
    return NearestNeighbors(**search).fit(Z)
