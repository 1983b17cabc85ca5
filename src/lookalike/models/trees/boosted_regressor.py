"""Boosted trees for regression, as sums over training rows."""

from __future__ import annotations

from lookalike.errors import ShapeError
from lookalike.kernels.boosted import BoostedTrees
from lookalike.models.inputs import is_sklearn_table
from lookalike.models.labels import warn_column
from lookalike.models.scores import R2Mixin
from lookalike.models.targets import missing_target, read_numbers
from lookalike.models.trees.boosted import BoostedNeighbors
from lookalike.typing import AnyArray, Array


class BoostedNeighborsRegressor(R2Mixin, BoostedNeighbors):
    r"""Regression by gradient-boosted trees, as sums over training rows.

    .. math:: F(x) = \bar y + \sum_n \sum_t c_{tn} [n \in L_t(x)], \qquad
              c_{tn} = \eta \frac{y_n - F_{t-1}(x_n)}{|L_t(x)|}

    where :math:`L_t(x)` is the leaf of x in tree t, and :math:`F_{t-1}` the prediction before it
    was added; see :class:`lookalike.BoostedNeighborsClassifier`.

    Parameters
    ----------
    max_iter : int, default=100
        Steps, each of one tree.
    learning_rate, max_leaf_nodes, max_depth, min_samples_leaf, l2_regularization
        As in :class:`lookalike.BoostedNeighborsClassifier`.
    grow_policy, subsample, max_features, max_bins, categorical_features, early_stopping
        As in :class:`lookalike.BoostedNeighborsClassifier`.
    random_state, engine, n_jobs
        As in :class:`lookalike.BoostedNeighborsClassifier`.

    Attributes
    ----------
    n_iter_, decisions_
        As in :class:`lookalike.BoostedNeighborsClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from lookalike import BoostedNeighborsRegressor
    >>> X, y = np.arange(80.0)[:, None], np.repeat([0.0, 4.0], 40)
    >>> BoostedNeighborsRegressor(random_state=0).fit(X, y).predict([[10.0], [70.0]]).round(3)
    array([0., 4.])
    """

    def predict(self, X: object) -> Array:
        """Return F(x) for every row of `X`."""
        score: Array = self._map_trees(BoostedTrees.sums, X)
        return score[:, 0]

    def _given_targets(self, X: object, y: object) -> AnyArray | None:
        if y is None and is_sklearn_table(X):
            raise missing_target(type(self).__name__)
        return None if y is None else _one_number(y)

    def _read(self, y: object) -> tuple[Array, int]:
        return _one_number(y), 1


def _one_number(y: object) -> Array:
    columns, flat = read_numbers(y)
    if columns.shape[1] != 1:
        raise ShapeError(f"y has {columns.shape[1]} outputs. Give one, and a model for each.")
    if not flat:
        warn_column()
    return columns[:, 0]
