"""Boosted trees for classification, as sums over training rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, softmax
from sklearn.ensemble import HistGradientBoostingClassifier

from lookalike.kernels.boosted import BoostedTrees
from lookalike.models.trees.boosted import BoostedNeighbors
from lookalike.models.trees.tree_neighbors import TreeClassifierMixin
from lookalike.typing import Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


class BoostedNeighborsClassifier(TreeClassifierMixin, BoostedNeighbors):
    r"""Classification by gradient-boosted trees, as sums over training rows.

    .. math:: F_c(x) = b_c + \sum_n \sum_t c_{tn} [n \in L_t(x)], \qquad
              c_{tn} = - \eta \frac{g_{tn}}{\sum_{m \in L_t(x)} h_{tm}}

    where :math:`L_t(x)` is the leaf of x in tree t, and :math:`g_{tn}`, :math:`h_{tn}` are the
    derivatives of the logistic loss of row n before tree t was added [Friedman 2001, Ann. Stat. 29,
    1189]. The trees are grown by scikit-learn on histograms; the value of every leaf is the Newton
    step over all of its training rows, so that every row's part in a prediction is known.

    Parameters
    ----------
    max_iter : int, default=100
        Steps, each of one tree, or of one for every class of more than two. Of more than 10,000
        rows a tenth decides when to stop.
    learning_rate : float, default=0.1
        :math:`\eta`.
    max_leaf_nodes : int, default=31
        Leaves of a tree.
    l2_regularization : float, default=0.0
        :math:`\lambda`, added to the sum of :math:`h_{tm}`: leaves of rows that are nearly certain
        do not take steps without bound.
    random_state : int, RandomState instance or None, default=None
        Of the rows that decide when to stop, and of the sample that bins are made from.
    engine, n_jobs
        As in :class:`lookalike.NearestNeighbors`. The rows of fit are read into memory.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    n_iter_ : int
        Steps made.
    decisions_ : Decisions
        What was decided, and why.

    Examples
    --------
    >>> import numpy as np
    >>> from lookalike import BoostedNeighborsClassifier
    >>> X, y = np.arange(80.0)[:, None], np.repeat(["low", "high"], 40)
    >>> model = BoostedNeighborsClassifier(random_state=0).fit(X, y)
    >>> model.predict([[10.0], [70.0]]).tolist()
    ['low', 'high']
    >>> added = model.contributions([[10.0]])
    >>> bool(np.isclose(added.sum() + model.baseline_, model.decision_function([[10.0]])[0]))
    True
    """

    def __init__(
        self,
        max_iter: int = 100,
        *,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 31,
        l2_regularization: float = 0.0,
        random_state: object = None,
        engine: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.l2_regularization = l2_regularization
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs

    def decision_function(self, X: object) -> Array:
        """Return F of every class, of shape (n_rows, n_classes).

        Of two classes it is the log odds of the second, of shape (n_rows,).
        """
        score = self._map_trees(BoostedTrees.sums, X)
        return score[:, 0] if score.shape[1] == 1 else score

    def predict_proba(self, X: object) -> Array:
        """Return the probability of every class, of shape (n_rows, n_classes)."""
        score = self.decision_function(X)
        if score.ndim == 2:
            return np.asarray(softmax(score, axis=1))
        return np.column_stack([expit(-score), expit(score)])

    def _read(self, y: object) -> tuple[Rows, int]:
        self.classes_, codes = self._coded(y)
        return codes, 1 if len(self.classes_) == 2 else len(self.classes_)

    def _kind(self) -> type[BaseEstimator]:
        kind: type[BaseEstimator] = HistGradientBoostingClassifier
        return kind
