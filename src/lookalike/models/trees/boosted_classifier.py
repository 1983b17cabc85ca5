"""Boosted trees for classification, as sums over training rows."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax

from lookalike.kernels.boosted import BoostedTrees
from lookalike.models.trees.boosted import BoostedNeighbors
from lookalike.models.trees.tree_neighbors import TreeClassifierMixin
from lookalike.typing import AnyArray, Array, Rows


class BoostedNeighborsClassifier(TreeClassifierMixin, BoostedNeighbors):
    r"""Classification by gradient-boosted trees, as sums over training rows.

    .. math:: F_c(x) = b_c + \sum_n \sum_t c_{tn} [n \in L_t(x)], \qquad
              c_{tn} = - \eta \frac{g_{tn}}{\sum_{m \in L_t(x)} h_{tm}}

    where :math:`L_t(x)` is the leaf of x in tree t, and :math:`g_{tn}`, :math:`h_{tn}` are the
    derivatives of the logistic loss of row n before tree t was added [Friedman 2001, Ann. Stat. 29,
    1189]. Trees are grown on histograms of the columns, one for all classes; the value of every
    leaf is the Newton step over all of its training rows, so that every row's part in a prediction
    is known.

    Parameters
    ----------
    max_iter : int, default=100
        Steps, each of one tree.
    learning_rate : float, default=0.1
        :math:`\eta`.
    max_leaf_nodes : int, default=31
        Leaves of a tree; of symmetric ones the depth decides.
    max_depth : int, optional
        Levels of a tree; when None 6 of symmetric trees, else as many as its leaves allow.
    min_samples_leaf : int, default=20
        Rows in a leaf; symmetric trees have no such limit.
    l2_regularization : float, default=0.0
        :math:`\lambda`, added to the sum of :math:`h_{tm}`: leaves of rows that are nearly certain
        do not take steps without bound.
    grow_policy : {"lossguide", "symmetric"}, default="lossguide"
        Whether the leaf of the largest gain is split next, or all leaves of a level by one
        threshold, which fits noise less.
    subsample : float, default=1.0
        Part of the rows that the splits of a tree are chosen on; values of leaves take all of them.
    max_features : float, default=1.0
        Part of the columns that a tree sees.
    max_bins : int, default=255
        Bins of a column, besides that of missing values.
    categorical_features : sequence of int, optional
        Columns whose numbers are names. Of up to 4 categories each has a column; of more, they are
        replaced by what the targets of other training rows of the category say (ordered target
        statistics), and by how many there are.
    early_stopping : {"auto", True, False}, default="auto"
        Whether rows that are left out choose the number of steps, at most `max_iter`; all rows are
        then learned from. "auto": of more than 10,000 rows. Up to 5,000 rows, thirds are left out
        one after the other until all, or 400 rows, were; of more rows a tenth is.
    random_state : int, RandomState instance or None, default=None
        Of the rows and columns that are drawn or left out, and of the order of rows.
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

    classes_: AnyArray

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
