"""A weighted mean of the probabilities of several classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from lookalike.models.ensemble.base import Members, WeightedEnsemble
from lookalike.models.ensemble.member_weights import MemberTable
from lookalike.models.labels import require_two_classes
from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.models.scores import AccuracyMixin
from lookalike.models.targets import given_labels
from lookalike.models.trees.forest_classifier import ForestNeighborsClassifier
from lookalike.typing import AnyArray, Array, Rows


class WeightedEnsembleClassifier(AccuracyMixin, WeightedEnsemble):
    r"""Classification by the weighted mean of the probabilities of several models.

    .. math:: p(c \mid x) = \sum_m w_m\, p_m(c \mid x), \qquad w_m \ge 0, \quad \sum_m w_m = 1

    The weights are chosen on what the members predict for rows that they were not fitted to: the
    mean of all whose error is near the lowest, or those of greedy selection [Caruana04], whichever
    has the lower log loss on rows it was not chosen on. Members without weight are left out; the
    others are fitted to all rows. What each training row adds to a prediction is said by
    :func:`lookalike.explain.prediction.row_contributions.row_contributions`.

    Parameters
    ----------
    estimators : list of (str, classifier), optional
        The members, with predict_proba; K-NN and a forest when None.
    weights : {"out_of_fold", "equal"} or sequence of float, default="out_of_fold"
        Those of the members.
    cv : int, default=5
        Folds in which weights are chosen.
    random_state : int, default=0
        Of the folds.
    engine
        As in :class:`lookalike.KNeighborsClassifier`. The rows of fit are read into memory.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    members_ : list of (str, classifier)
        The members with a weight, fitted to all rows.
    weights_ : ndarray of shape (n_members,)
        Their weights, which sum to 1.
    decisions_ : Decisions
        What was decided, and why.

    Examples
    --------
    >>> from lookalike import KNeighborsClassifier
    >>> from lookalike.models.ensemble import WeightedEnsembleClassifier
    >>> X, y = [[0.0], [0.2], [0.9], [1.1]], ["low", "low", "high", "high"]
    >>> members = [("one", KNeighborsClassifier(1)), ("three", KNeighborsClassifier(3))]
    >>> model = WeightedEnsembleClassifier(members, weights=[0.25, 0.75]).fit(X, y)
    >>> model.predict([[0.1]]).tolist(), model.predict_proba([[0.1]]).tolist()
    (['low'], [[0.25, 0.75]])
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
        """Return the ensemble of models that are fitted to rows with labels.

        `n_rows` are the rows of `X` that each was fitted to, the first ones; all when None.
        Without `X` an ensemble predicts, and does not say which rows its predictions are made of.
        """
        model = cls([(name, clone(member)) for name, member in members], weights=weights.tolist())
        model.n_features_in_, model.classes_ = int(members[0][1].n_features_in_), np.unique(y)
        model._hold(members, weights, X, np.asarray(y), n_rows)
        return model

    def predict_proba(self, X: object) -> Array:
        """Return the probability of every class, of shape (n_rows, n_classes)."""
        return np.asarray(self._mixed(X))

    def predict(self, X: object) -> AnyArray:
        """Return the most probable class of every row of `X`, the first of equals."""
        best = np.asarray(self._mixed(X)).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def member_outputs(self, member: BaseEstimator, X: object) -> Array:
        """Return the probabilities of all classes by a member, 0 of those it does not know."""
        own = np.asarray(member.predict_proba(X), np.float64)
        shares = np.zeros((len(own), len(self.classes_)))
        shares[:, np.searchsorted(self.classes_, np.asarray(member.classes_))] = own
        return shares

    def _given_targets(self, X: object, y: object) -> AnyArray | None:
        return given_labels(self, X, y)

    def _read(self, y: Any) -> AnyArray:
        self.classes_: AnyArray = np.unique(y)
        require_two_classes(self.classes_)
        return np.asarray(y)

    def _code_targets(self, targets: AnyArray) -> Rows:
        return np.searchsorted(self.classes_, targets).astype(np.int64)

    def _default_members(self) -> Members:
        forest = ForestNeighborsClassifier(100, random_state=self.random_state)
        return [("knn", KNeighborsClassifier()), ("forest", forest)]

    def _stratify(self) -> bool:
        return True

    def _table(self, outputs: Sequence[AnyArray], targets: AnyArray) -> MemberTable:
        codes = self._code_targets(targets)
        true_shares = np.stack([shares[np.arange(len(codes)), codes] for shares in outputs])
        wrong = np.stack([shares.argmax(axis=1) != codes for shares in outputs])
        return MemberTable(true_shares, wrong.astype(np.float64))
