"""Leave-one-out predictions of K neighbors for every K, and what a changed label does to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.explain.k_ranges import KRange, k_ranges, largest_k
from lookalike.explain.neighbor_predictions import (
    ClassTargets,
    NeighborPredictions,
    NumberTargets,
    Targets,
)
from lookalike.models.cross_validation import as_groups
from lookalike.models.estimator import check_is_fitted
from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.neighbors.regressor import KNeighborsRegressor
from lookalike.models.neighbors.supervised import neighbor_query
from lookalike.models.neighbors.voting import SPARE_NEIGHBORS_FOR_TIES
from lookalike.typing import AnyArray, Array, Rows
from lookalike.validation import check_int

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


class RelabelEffect(NamedTuple):
    """What would change if one training row had another label; nothing has changed yet."""

    row: int
    label_before: object
    label_after: object
    error_before: float  # leave-one-out error rate, or RMSE
    error_after: float
    rows: Rows  # whose leave-one-out prediction changes
    predicted_before: AnyArray
    predicted_after: AnyArray


class LeaveOneOut:
    """Leave-one-out predictions of every training row for every K; made by `leave_one_out`.

    Attributes
    ----------
    k : ndarray
        The numbers of neighbors, 1 to the largest.
    selected : int
        The K of the model.
    predictions : NeighborPredictions
        The neighbors of every row, and what they predict.
    targets : ClassTargets or NumberTargets
        The labels or numbers of the rows, as they are now.
    """

    predictions: NeighborPredictions
    targets: Targets
    selected: int

    def __init__(self, predictions: NeighborPredictions, targets: Targets, selected: int) -> None:
        self.predictions, self.targets, self.selected = predictions, targets, selected
        self.k: Rows = predictions.k

    @property
    def n_rows(self) -> int:
        """How many training rows there are."""
        return self.predictions.n_queries

    @property
    def error(self) -> Array:
        """The leave-one-out error rate, or RMSE, of every K."""
        return np.array([self.error_at(int(k)) for k in self.k])

    def error_at(self, k: int) -> float:
        """Return the leave-one-out error rate, or RMSE, of one K."""
        return self.targets.error(self.predictions.at(k), self.targets.values)

    def predicted(self, k: int | None = None) -> AnyArray:
        """Return the leave-one-out prediction of every row: a label, or a number."""
        return self.targets.named(self.predictions.at(self._checked_k(k)))

    def ranges(self, row: int) -> tuple[KRange, ...]:
        """Return the numbers of neighbors by what they predict for one row.

        A row whose label no K predicts is likely to be mislabeled; one that some K predict and
        others do not lies between the classes.
        """
        row = check_int("row", row, least=0, most=self.n_rows - 1)
        return k_ranges(self.targets.named(self.predictions.value[row]), self.k)

    def relabel_effect(self, row: int, label: object, k: int | None = None) -> RelabelEffect:
        """Return what another label of one row would change, exactly, before it is changed."""
        k = self._checked_k(k)
        row = check_int("row", row, least=0, most=self.n_rows - 1)
        changed = self.targets.relabeled(row, label)
        affected = self.predictions.affected(row, self.targets.depends_on_all)
        before = self.predictions.at(k)
        after = before.copy()
        after[affected] = self.predictions.recomputed(affected, changed, [k])[:, 0]
        rows = np.flatnonzero(after != before)
        return RelabelEffect(
            row,
            self.targets.label(row),
            changed.label(row),
            self.targets.error(before, self.targets.values),
            changed.error(after, changed.values),
            rows,
            self.targets.named(before[rows]),
            changed.named(after[rows]),
        )

    def relabeled(self, row: int, label: object) -> LeaveOneOut:
        """Return the predictions where one row has another label; these stay as they are."""
        targets = self.targets.relabeled(row, label)
        affected = self.predictions.affected(row, self.targets.depends_on_all)
        return LeaveOneOut(self.predictions.updated(affected, targets), targets, self.selected)

    def harm(self, rows: Rows, labels: AnyArray, k: int | None = None) -> Array:
        """Return the harm that the labels of some rows do to others: what `labels` would mend.

        Of classification, the leave-one-out errors of other rows that would go away, less those
        that would come, if the row alone had the label given. Of regression, by how much the sum
        of their squared errors would fall.
        """
        k = self._checked_k(k)
        rows = np.asarray(rows, np.int64)
        if len(rows) == 0:
            return np.empty(0)
        suspect, query = self.predictions.reverse_neighbors(rows)
        before = self.predictions.at(k)[query]
        after = self.predictions.with_own_labels(
            query, rows[suspect], self.targets.coded(labels)[suspect], self.targets, k
        )
        truth = self.targets.values[query]
        gain = self.targets.loss(before, truth) - self.targets.loss(after, truth)
        gain[query == rows[suspect]] = 0.0
        return np.bincount(suspect, gain, minlength=len(rows)).astype(np.float64)

    def _checked_k(self, k: int | None) -> int:
        return check_int("k", self.selected if k is None else k, least=1, most=int(self.k[-1]))


def leave_one_out(model: object, *, k_max: int | None = None, groups: object = None) -> LeaveOneOut:
    """Return the leave-one-out predictions of a fitted K-NN model for every K, from one search.

    The errors are those of ``model.select()``; nothing is fitted again for another K or label.

    Parameters
    ----------
    model : KNeighborsClassifier or KNeighborsRegressor
        Fitted on rows without weights, and on one target.
    k_max : int, optional
        Largest K; 25, or the model's own where that is larger, when None.
    groups : array of shape (n_rows,), optional
        Rows of one group are not neighbors of each other.

    Examples
    --------
    >>> from lookalike import KNeighborsClassifier
    >>> rows, labels = [[0.0], [1.0], [2.5], [7.0], [8.0], [9.0]], list("aabbbb")
    >>> each = leave_one_out(KNeighborsClassifier(1).fit(rows, labels))
    >>> each.predicted(1)
    array(['a', 'a', 'a', 'b', 'b', 'b'], dtype='<U1')
    >>> effect = each.relabel_effect(2, "a")
    >>> effect.error_before, effect.error_after
    (0.16666666666666666, 0.0)
    """
    check_is_fitted(model)
    if not isinstance(model, (KNeighborsClassifier, KNeighborsRegressor)):
        raise ParameterTypeError(
            f"{type(model).__name__} is not a K-NN model of lookalike. Give one."
        )
    targets = targets_of(model)
    n_rows = model.n_samples_fit_
    group = None if groups is None else as_groups(groups, n_rows)
    largest = 1 if group is None else int(np.bincount(group).max())
    most = largest_k(model.n_neighbors_, k_max, n_rows - largest)
    query = neighbor_query(model)
    if group is not None:
        query = query._replace(
            group=group, spare=SPARE_NEIGHBORS_FOR_TIES + min(largest - 1, 2 * most)
        )
    predictions = NeighborPredictions(query, targets, np.arange(1, most + 1))
    return LeaveOneOut(predictions, targets, min(model.n_neighbors_, most))


def targets_of(model: BaseEstimator) -> Targets:
    """Return the labels or numbers of the training rows of a K-NN model, and how they decide."""
    if model.space_.weight is not None:
        raise ParameterError("The model has sample weights. Fit it on rows that count the same.")
    return NumberTargets(model) if isinstance(model, KNeighborsRegressor) else ClassTargets(model)
