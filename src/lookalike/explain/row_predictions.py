"""Predictions of K neighbors for all rows: training rows leave-one-out, all others by these."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lookalike.explain.k_ranges import KRange, k_ranges
from lookalike.explain.leave_one_out import (
    LeaveOneOut,
    RelabelEffect,
    leave_one_out,
    targets_of,
)
from lookalike.explain.neighbor_predictions import ClassTargets, NeighborPredictions
from lookalike.models.neighbors.supervised import neighbor_query
from lookalike.typing import AnyArray, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.data.chunk import Matrix


class RowPredictions(NamedTuple):
    """What K neighbors predict for every row of some data, which are known by their positions."""

    each: LeaveOneOut  # of the training rows
    others: NeighborPredictions | None  # of all other rows, if there are any
    row: Rows  # the position of every training row, in the order of the model
    place: Rows  # of every row among the training rows, -1: it is not one of them

    @property
    def rest(self) -> Rows:
        """The rows that the model was not fitted on."""
        return np.flatnonzero(self.place < 0)

    def at(self, k: int) -> AnyArray:
        """Return the prediction for every row by `k` neighbors: class codes, or numbers."""
        trained = self.each.predictions.at(k)
        values = np.empty(len(self.place), trained.dtype)
        values[self.row] = trained
        if self.others is not None:
            values[self.rest] = self.others.at(k)
        return values

    def of_row(self, row: int) -> AnyArray:
        """Return the predictions for one row by every K."""
        position = int(self.place[row])
        if position >= 0:
            values: AnyArray = self.each.predictions.value[position]
        else:
            assert self.others is not None
            values = self.others.value[np.searchsorted(self.rest, row)]
        return values

    def ranges(self, row: int) -> tuple[KRange, ...]:
        """Return the numbers of neighbors by what they predict for one row."""
        return k_ranges(self.each.targets.named(self.of_row(row)), self.each.k)

    def harm(self, rows: Rows, labels: list[object], k: int) -> AnyArray:
        """Return the harm of rows; a row that is not a neighbor of any does none."""
        harm = np.zeros(len(rows))
        positions = self.place[rows]
        inside = np.flatnonzero(positions >= 0)
        if len(inside):
            suggested = np.array([labels[row] for row in inside], object)
            harm[inside] = self.each.harm(positions[inside], suggested, k)
        return harm

    def error_outside(self, k: int, truth: AnyArray) -> float | None:
        """Return the error for rows that the model was not fitted on; None if there are none."""
        return None if self.others is None else self.each.targets.error(self.others.at(k), truth)

    def label(self, label: object) -> Any:
        """Return a label as a prediction has it: that of the class, or a number."""
        return self.each.targets.named(self.each.targets.coded([label])).tolist()[0]

    def effect_inside(self, row: int, label: object, k: int) -> RelabelEffect | None:
        """Return what another label of a row changes for training rows; None if it is not one."""
        position = int(self.place[row])
        if position < 0:
            return None
        effect = self.each.relabel_effect(position, label, k)
        return effect._replace(row=row, rows=self.row[effect.rows])

    def effect_outside(
        self, row: int, label: object, k: int, truth: AnyArray
    ) -> RelabelEffect | None:
        """Return what another label of a row changes for all others, whose targets are `truth`."""
        if self.others is None:
            return None
        targets, rest = self.each.targets, self.rest
        position = int(self.place[row])
        before, after, now = self.others.at(k), self.others.at(k).copy(), truth.copy()
        if position >= 0:
            part = self.others.affected(position, targets.depends_on_all)
            after[part] = self.others.recomputed(part, targets.relabeled(position, label), [k])[
                :, 0
            ]
        else:
            now[np.searchsorted(rest, row)] = targets.coded([label])[0]
        changed = np.flatnonzero(after != before)
        return RelabelEffect(
            row,
            None,
            label,
            targets.error(before, truth),
            targets.error(after, now),
            rest[changed],
            targets.named(before[changed]),
            targets.named(after[changed]),
        )

    def relabeled(self, place: int, label: object) -> RowPredictions:
        """Return the predictions where a training row has another label; these stay as they are."""
        others = self.others
        if others is not None:
            targets = self.each.targets
            affected = others.affected(place, targets.depends_on_all)
            others = others.updated(affected, targets.relabeled(place, label))
        return self._replace(each=self.each.relabeled(place, label), others=others)


def predict_rows(model: BaseEstimator, Z: Matrix, row: Rows, groups: Rows | None) -> RowPredictions:
    """Return the predictions of a K-NN model for the rows `Z`; it was fitted on the rows `row`."""
    place = np.full(Z.shape[0], -1, np.int64)
    place[row] = np.arange(len(row))
    known = RowPredictions(leave_one_out(model, groups=groups), None, row, place)
    if len(known.rest) == 0:
        return known
    query = neighbor_query(model, Z[known.rest])
    return known._replace(others=NeighborPredictions(query, targets_of(model), known.each.k))


def relabeled_model(model: BaseEstimator, place: int, label: object) -> BaseEstimator:
    """Return a K-NN model where a training row has another label; `model` stays as it is."""
    targets = targets_of(model).relabeled(place, label)
    name = "codes" if isinstance(targets, ClassTargets) else "values"
    other = copy.copy(model)
    other.targets_ = model.targets_._replace(**{name: targets.values[:, None]})
    return other
