"""Forest neighbors classification: the share of each class among the rows that share leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from lookalike.kernels.forest import Forest
from lookalike.models.labels import Labels
from lookalike.models.trees.forest import ForestNeighbors
from lookalike.models.trees.tree_neighbors import TreeClassifierMixin
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


class ForestNeighborsClassifier(TreeClassifierMixin, ForestNeighbors):
    r"""Classification by a forest, seen as the nearest-neighbor model that it is.

    .. math:: p(c | x) = \sum_n w_n(x) [c^n = c], \qquad
              w_n(x) = \frac{1}{T} \sum_t
              \frac{v_{tn} [n \in L_t(x)]}{\sum_{m \in L_t(x)} v_{tm}}

    where :math:`L_t(x)` is the leaf of x in tree t, and :math:`v_{tn}` how often row n was drawn
    for it [Lin & Jeon 2006, J. Am. Stat. Assoc. 101, 578]. The trees are those of scikit-learn, to
    the bit, and have its answers; the training rows behind each of them can be shown, and rows can
    be compared by the leaves that they share, a similarity learned for the target.

    Parameters
    ----------
    n_estimators : int, default=200
        Trees.
    splitter : {"best", "random"}, default="best"
        Whether a node is split at the best threshold of each feature tried (a random forest), or at
        the best of random ones (extra trees).
    max_features : "sqrt", "log2", int, float or None, default="sqrt"
        Features tried at a node: their number or share; all when None.
    min_samples_leaf : int or "oob", default=1
        The minimum number of rows of a leaf; or the one of 1, 2, 5, 10, 20 of lowest
        out-of-bag error.
    max_depth : int, optional
        The most splits from the root to a leaf.
    bootstrap : bool, default=True
        Whether a tree is grown on rows drawn with replacement, so that the others measure its
        error, or on all.
    random_state : int, RandomState instance or None, default=None
        Of drawn rows, features and thresholds.
    engine, n_jobs
        As in :class:`lookalike.NearestNeighbors`. The rows of fit are read into memory.

    Attributes
    ----------
    oob_error_ : float
        The share of errors of out-of-bag predictions: for every row by the trees
        that did not draw it. NaN for ``bootstrap=False``.
    oob_errors_ : dict
        The same of every `min_samples_leaf` tried.
    min_samples_leaf_ : int
        The minimum number of rows of a leaf.
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    decisions_ : Decisions
        What was decided, and why.

    Examples
    --------
    >>> from lookalike import ForestNeighborsClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"]
    >>> model = ForestNeighborsClassifier(50, bootstrap=False, random_state=0).fit(X, y)
    >>> model.predict([[0.4], [2.7]]).tolist()
    ['low', 'high']
    >>> model.neighbor_weights([[0.4]]).toarray()
    array([[0.5, 0.5, 0. , 0. ]])
    """

    def __init__(
        self,
        n_estimators: int = 200,
        *,
        splitter: str = "best",
        max_features: str | int | float | None = "sqrt",
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

    def predict_proba(self, X: object) -> Array:
        """Return the probability of every class, of shape (n_rows, n_classes)."""
        return self._map_trees(Forest.means, X)

    def _read(self, y: object) -> tuple[Rows, int, AnyArray]:
        classes, codes = self._coded(y)
        return codes, len(classes), classes

    def _keep(self, targets: Rows, note: AnyArray) -> None:
        self.classes_ = note
        self._targets = Labels((note,), targets[:, None], True)

    def _error(self, predicted: Array, targets: Rows) -> float:
        known = ~np.isnan(predicted[:, 0])
        wrong = predicted[known].argmax(axis=1) != targets[known]
        return float(wrong.mean()) if known.any() else float("nan")

    def _kind(self) -> type[BaseEstimator]:
        kind: type[BaseEstimator] = (
            RandomForestClassifier if self.splitter == "best" else ExtraTreesClassifier
        )
        return kind
