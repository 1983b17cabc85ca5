"""Forest neighbors regression: the mean target of the rows that share leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

from lookalike.kernels.forest import Forest
from lookalike.models.inputs import is_sklearn_table
from lookalike.models.scores import R2Mixin
from lookalike.models.targets import missing_target, read_numbers
from lookalike.models.trees.forest import ForestNeighbors
from lookalike.models.trees.growth_targets import root_mean_square
from lookalike.typing import AnyArray, Array

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


class ForestNeighborsRegressor(R2Mixin, ForestNeighbors):
    r"""Regression by a forest, seen as the nearest-neighbor model that it is.

    .. math:: g(x) = \sum_n w_n(x)\, y_n, \qquad
              w_n(x) = \frac{1}{T} \sum_t
              \frac{v_{tn} [n \in L_t(x)]}{\sum_{m \in L_t(x)} v_{tm}}

    with leaves :math:`L_t(x)` and weights :math:`v_{tn}` as in
    :class:`lookalike.ForestNeighborsClassifier` [Lin & Jeon 2006, J. Am. Stat. Assoc. 101, 578].

    Parameters
    ----------
    max_features : "sqrt", "log2", int, float or None, default=1.0
        Features tried at a node: their number or share; all when None.
    n_estimators, splitter, min_samples_leaf, max_depth, bootstrap, random_state, engine, n_jobs
        As in :class:`lookalike.ForestNeighborsClassifier`.

    Attributes
    ----------
    oob_error_ : float
        The root mean squared error of out-of-bag predictions: for every row by the trees
        that did not draw it. NaN for ``bootstrap=False``.
    oob_errors_, min_samples_leaf_, decisions_
        As in :class:`lookalike.ForestNeighborsClassifier`.

    Examples
    --------
    >>> from lookalike import ForestNeighborsRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 4.0, 4.0]
    >>> model = ForestNeighborsRegressor(10, bootstrap=False, random_state=0).fit(X, y)
    >>> model.predict([[0.4], [2.7]])
    array([0., 4.])
    """

    _several_outputs = True

    def __init__(
        self,
        n_estimators: int = 200,
        *,
        splitter: str = "best",
        max_features: str | int | float | None = 1.0,
        min_samples_leaf: int | str = 1,
        max_depth: int | None = None,
        bootstrap: bool = True,
        random_state: object = None,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.splitter = splitter
        self.max_features: str | int | float | None = max_features
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.bootstrap = bootstrap
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs

    def predict(self, X: object) -> Array:
        """Return the mean target of the rows that share leaves with every row of `X`."""
        return self._shaped(self._map_trees(Forest.means, X))

    def _given_targets(self, X: object, y: object) -> AnyArray | None:
        if y is None and is_sklearn_table(X):
            raise missing_target(type(self).__name__)
        if y is None:
            return None
        columns, flat = read_numbers(y)
        return columns[:, 0] if flat else columns

    def _read(self, y: object) -> tuple[Array, int, bool]:
        columns, flat = read_numbers(y)
        return columns, columns.shape[1], flat

    def _keep(self, targets: Array, note: bool) -> None:
        self._targets, self._flat = targets, note

    def _error(self, predicted: Array, targets: Array) -> float:
        known = ~np.isnan(predicted[:, 0])
        if not known.any():
            return float("nan")
        return root_mean_square(predicted[known] - targets[known])

    def _kind(self) -> type[BaseEstimator]:
        kind: type[BaseEstimator] = (
            RandomForestRegressor if self.splitter == "best" else ExtraTreesRegressor
        )
        return kind

    def _shaped(self, values: AnyArray) -> Array:
        return values[:, 0] if self._flat else values
