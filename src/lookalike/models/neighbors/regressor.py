"""K-nearest-neighbor regression: the mean target of the K nearest rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lookalike.data.sources.tensors import as_given
from lookalike.errors import ParameterError, ShapeError
from lookalike.models.estimator import check_is_fitted
from lookalike.models.neighbors.averaging import average
from lookalike.models.neighbors.k_curves import regressor_curves
from lookalike.models.neighbors.k_selection import (
    SELECTION_METHODS,
    KSelection,
    check_selection,
    choose_k,
    default_k,
    select_k,
    selected_k,
)
from lookalike.models.neighbors.supervised import SupervisedNeighbors, neighbor_query
from lookalike.models.neighbors.voting import WEIGHT_SUM_ROUNDING
from lookalike.models.scores import coefficient_of_determination
from lookalike.models.sklearn_bases import RegressorMixin
from lookalike.models.targets import RegressionTargets, read_numbers
from lookalike.typing import Array


class NeighborsRegressor(RegressorMixin, SupervisedNeighbors):
    """Base of the regressors: targets, standard deviations, and prediction intervals."""

    targets_: RegressionTargets
    score = coefficient_of_determination

    def predict(self, X: object = None, return_std: bool = False) -> Array | tuple[Array, Array]:
        """Return the mean target of the neighbors of every row of `X`.

        Parameters
        ----------
        X : table, optional
            The rows to predict; None means the training rows, leave-one-out.
        return_std : bool, default=False
            Whether the standard deviation of the neighbors' targets is returned too.
        """
        mean, std = self._averages(X)
        shaped = self.targets_.shaped
        mean, std = as_given(X, shaped(mean)), as_given(X, shaped(std))
        return (mean, std) if return_std else mean

    def predict_interval(self, X: object = None, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals that contain `coverage` of targets.

        Quantiles of the leave-one-out errors of the training rows are added to the prediction.
        The coverage holds for rows of the same distribution.

        Parameters
        ----------
        X : table, optional
            The rows to predict.
        coverage : float, default=0.9
            Between 0 and 1.
        """
        if not 0 < coverage < 1:
            raise ParameterError(
                f"coverage={coverage} is out of range. Give a share between 0 and 1."
            )
        check_is_fitted(self)
        errors, weight = self.targets_.values - self._averages(None)[0], self.space_.weight
        weight = np.ones(len(errors)) if weight is None else weight
        known = np.isfinite(errors).all(axis=1) & (weight > 0)
        low, high = _middle_errors(errors[known], weight[known], coverage)
        mean = self._averages(X)[0]
        return self.targets_.shaped(mean + low), self.targets_.shaped(mean + high)

    def _averages(self, X: object) -> tuple[Array, Array]:
        raise NotImplementedError

    def _read(self, y: object, known: object) -> RegressionTargets:
        return read_numbers(y)

    def _given_targets(self) -> Array:
        return self.targets_.shaped(self.targets_.values)

    def _with_more(self, y: object) -> Array:
        before, after = self.targets_, read_numbers(y)
        n_before, n_after = before.values.shape[1], after.values.shape[1]
        if after.flat != before.flat or n_before != n_after:
            raise ShapeError(
                f"y has {n_after} outputs, that of the rows before {n_before}. Give as many."
            )
        return before.shaped(np.concatenate([before.values, after.values]))

    def _declare(self, classes: object) -> None:
        if classes is not None:
            raise ParameterError("classes are of classifiers; numbers have none. Leave them out.")

    def _hold(self, targets: RegressionTargets, weight: Array | None) -> None:
        self.targets_ = targets


def _middle_errors(errors: Array, weight: Array, coverage: float) -> tuple[Array, Array]:
    """Return the errors (outputs,) between which `coverage` of all lie; weights are repetition."""
    total = weight.sum()
    rank = np.array([(1 - coverage) / 2, (1 + coverage) / 2]) * (total + 1)
    ranks = np.clip([np.floor(rank[0]), np.ceil(rank[1])], 1, total)
    order = np.argsort(errors, axis=0, kind="stable")
    reached = np.cumsum(weight[order], axis=0)
    rank_indices = [(reached < rank * (1 - WEIGHT_SUM_ROUNDING)).sum(axis=0) for rank in ranks]
    ordered = np.take_along_axis(errors, order, 0)
    low, high = (np.take_along_axis(ordered, rank_index[None], 0)[0] for rank_index in rank_indices)
    return low, high


class KNeighborsRegressor(NeighborsRegressor):
    r"""K-nearest-neighbor regressor: the mean target of the K nearest rows.

    .. math:: g(x) = \frac{1}{K} \sum_{i=1}^{K} y_{(i)}

    [LUMS; UGR]. Replaces scikit-learn's class of this name. Of rows equally near those
    of smaller number are taken.

    Parameters
    ----------
    n_neighbors : int, "loo" or "cv", default=5
        K; or chosen from 1 to `k_max` by the leave-one-out or the `folds`-fold error.
    weights : {"uniform", "distance"} or function, default="uniform"
        How targets count: the same, by the inverse of the distance (where rows coincide with
        the query only they count), or by a function of the distances.
    algorithm, leaf_size, split, approximate, recall, p, metric, metric_params, n_jobs, engine
        As in :class:`lookalike.NearestNeighbors`.
    missing, k_max, folds
        As in :class:`lookalike.KNeighborsClassifier`.

    Attributes
    ----------
    n_neighbors_, selection_
        As in :class:`lookalike.KNeighborsClassifier`.
    effective_metric_, effective_metric_params_, n_samples_fit_, decisions_
        As in :class:`lookalike.NearestNeighbors`.

    Examples
    --------
    >>> from lookalike import KNeighborsRegressor
    >>> model = KNeighborsRegressor(2).fit([[0.0], [1.0], [2.0]], [10.0, 20.0, 60.0])
    >>> model.predict([[0.1]], return_std=True)
    (array([15.]), array([5.]))
    """

    k_max: int
    folds: int
    selection_: KSelection
    _reads_tensors = True
    _chosen = SELECTION_METHODS
    _curves = regressor_curves
    n_neighbors_: property = property(selected_k)
    select = select_k
    _choose = choose_k
    _default_k = default_k

    def __init__(
        self,
        n_neighbors: int | str = 5,
        *,
        weights: object = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        split: str = "variance",
        approximate: float = 0.0,
        recall: float = 0.95,
        p: float | None = 2,
        metric: object = "minkowski",
        metric_params: Mapping[str, object] | None = None,
        n_jobs: int | None = None,
        missing: str = "error",
        k_max: int = 25,
        folds: int = 5,
        engine: str = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.split = split
        self.approximate = approximate
        self.recall = recall
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.missing = missing
        self.k_max = k_max
        self.folds = folds
        self.engine = engine

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_selection(self)

    def _averages(self, X: object) -> tuple[Array, Array]:
        query = neighbor_query(self, X)
        k = self._enough(self._default_k(), query)
        mean, std = average(query._replace(spare=0), self.targets_.values, self.weighting, [k])
        return mean[:, 0], std[:, 0]
