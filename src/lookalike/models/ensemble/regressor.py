"""A weighted mean of the numbers that several regressors predict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from lookalike.models.ensemble.base import Members, WeightedEnsemble
from lookalike.models.ensemble.member_weights import MemberTable
from lookalike.models.inputs import is_sklearn_table
from lookalike.models.neighbors.regressor import KNeighborsRegressor
from lookalike.models.scores import R2Mixin
from lookalike.models.targets import as_numbers, missing_target
from lookalike.models.trees.forest_regressor import ForestNeighborsRegressor
from lookalike.typing import AnyArray, Array


class WeightedEnsembleRegressor(R2Mixin, WeightedEnsemble):
    r"""Regression by the weighted mean of what several models predict.

    .. math:: f(x) = \sum_m w_m\, f_m(x), \qquad w_m \ge 0, \quad \sum_m w_m = 1

    Weights and members as in :class:`lookalike.models.ensemble.WeightedEnsembleClassifier`; the
    loss is the squared error.

    Parameters
    ----------
    estimators : list of (str, regressor), optional
        The members; K-NN and a forest when None.
    weights, cv, random_state, engine
        As in :class:`lookalike.models.ensemble.WeightedEnsembleClassifier`.

    Attributes
    ----------
    members_, weights_, decisions_
        As in :class:`lookalike.models.ensemble.WeightedEnsembleClassifier`.

    Examples
    --------
    >>> from lookalike import KNeighborsRegressor
    >>> from lookalike.models.ensemble import WeightedEnsembleRegressor
    >>> members = [("one", KNeighborsRegressor(1)), ("two", KNeighborsRegressor(2))]
    >>> model = WeightedEnsembleRegressor(members, weights=[0.5, 0.5])
    >>> model.fit([[0.0], [1.0], [5.0]], [0.0, 4.0, 9.0]).predict([[0.1]]).tolist()
    [1.0]
    """

    @classmethod
    def of_fitted(
        cls,
        members: Members,
        weights: Array,
        X: object,
        y: AnyArray,
        *,
        n_rows: Sequence[int] | None = None,
    ) -> Self:
        """Return the ensemble of models that are fitted to rows with numbers.

        `n_rows` are the rows of `X` that each was fitted to, the first ones; all when None.
        Without `X` an ensemble predicts, and does not say which rows its predictions are made of.
        """
        model = cls([(name, clone(member)) for name, member in members], weights=weights.tolist())
        model.n_features_in_ = int(members[0][1].n_features_in_)
        model._hold(members, weights, X, np.asarray(y, np.float64), n_rows)
        return model

    def predict(self, X: object) -> Array:
        """Return the weighted mean of the predictions for every row of `X`."""
        return np.asarray(self._mixed(X))

    def member_outputs(self, member: BaseEstimator, X: object) -> Array:
        """Return the numbers that a member predicts."""
        return np.asarray(member.predict(X), np.float64)

    def _given_targets(self, X: object, y: object) -> AnyArray | None:
        if y is None and is_sklearn_table(X):
            raise missing_target(type(self).__name__)
        return None if y is None else self._read(y)

    def _read(self, y: object) -> Array:
        return as_numbers(y)

    def _code_targets(self, targets: AnyArray) -> AnyArray:
        return np.asarray(targets, np.float64)

    def _default_members(self) -> Members:
        forest = ForestNeighborsRegressor(100, random_state=self.random_state)
        return [("knn", KNeighborsRegressor()), ("forest", forest)]

    def _stratify(self) -> bool:
        return False

    def _table(self, outputs: Sequence[AnyArray], targets: AnyArray) -> MemberTable:
        values = np.stack(outputs)
        return MemberTable(values, (values - targets) ** 2, np.asarray(targets, np.float64))
