"""Boosted trees as plain arrays: sums of leaf values, and the training rows behind each value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from scipy.special import expit, softmax

from lookalike import _core
from lookalike.errors import ModelFileError
from lookalike.kernels.class_codes import require_class_codes
from lookalike.kernels.forest import leaves_per_tree
from lookalike.typing import AnyArray, Array, Rows

LEAST_CURVATURE = 1e-15  # of the loss in a leaf
MOST_KEPT_VALUES = 10**7  # of training rows in trees, which answer one query after the other


class BoostedTrees:
    r"""Trees whose leaf values add up, each value made by the training rows of its leaf.

    .. math:: F(x) = b + \sum_t v_t(L_t(x)), \qquad
              v_t(L) = \sum_{n \in L} c_{tn}, \qquad
              c_{tn} = - \eta \frac{g_{tn}}{\lambda + \sum_{m \in L} h_{tm}}

    with :math:`g_{tn}` and :math:`h_{tn}` the first and second derivative of the loss of row n
    before tree t was added [Friedman 2001, Ann. Stat. 29, 1189]. So a prediction is a sum over
    training rows: row n adds :math:`\sum_t c_{tn} [n \in L_t(x)]`.

    Parameters
    ----------
    nodes, root
        As in :class:`lookalike.kernels.forest.Forest`: tree by tree, in the order of growth.
    value : float64 array of shape (n_leaves, n_outputs), or of none
        What each leaf adds; with none, it is computed from the rows.
    X : float32 array
        The training rows.
    targets : float64 or int64 array of shape (n_rows,)
        Numbers, or classes from 0.
    n_outputs : int
        1 of numbers and of two classes, else one for every class.
    learning_rate : float
        :math:`\eta`.
    l2 : float
        :math:`\lambda`.
    """

    nodes: AnyArray
    root: Rows
    targets: AnyArray
    n_outputs: int
    learning_rate: float
    l2: float
    value: Array

    def __init__(
        self,
        *,
        nodes: AnyArray,
        root: Rows,
        value: Array,
        X: AnyArray,
        targets: AnyArray,
        n_outputs: int,
        learning_rate: float,
        l2: float = 0.0,
    ) -> None:
        self.nodes, self.root, self.X, self.targets = nodes, root, X, targets
        self.n_outputs, self.learning_rate, self.l2 = n_outputs, learning_rate, l2
        per_tree = leaves_per_tree(nodes, root, X.shape[1])
        self._first_leaf = np.concatenate([[0], np.cumsum(per_tree)])
        if len(X) != len(targets) or not len(X):
            raise ModelFileError("the arrays of the boosted trees do not belong together")
        classes = max(n_outputs, 2) if targets.dtype.kind == "i" else 0
        if classes:
            require_class_codes(targets, classes, "the boosted trees")
        if n_outputs > 1 and not classes:
            raise ModelFileError("the boosted trees have several outputs and targets of one")
        self.base: Array = start_scores(targets, n_outputs)
        self.value = value if len(value) else self._values()
        shape = (int(self._first_leaf[-1]), n_outputs)
        if self.value.shape != shape or not np.isfinite(self.value).all():
            raise ModelFileError("the boosted trees do not have one finite value for every leaf")
        self._added: tuple[AnyArray, Array] | None = None

    @property
    def n_trees(self) -> int:
        """How many trees there are."""
        return len(self.root)

    def sums(self, X: AnyArray, threads: int) -> Array:
        """Return F of every row, (rows, outputs)."""
        total = np.empty((len(X), self.n_outputs))
        _core.mean_leaf_values(
            nodes=self.nodes, root=self.root, X=X, value=self.value, threads=threads, mean=total
        )
        return np.asarray(total * self.n_trees + self.base)

    def leaves(self, X: AnyArray, threads: int, trees: slice = slice(None)) -> AnyArray:
        """Return the leaf of every row in every tree, (rows, trees)."""
        root = np.ascontiguousarray(self.root[trees])
        leaf = np.empty((len(X), len(root)), np.int32)
        _core.find_leaves(nodes=self.nodes, root=root, X=X, threads=threads, leaf=leaf)
        return leaf

    def contributions(self, leaf: AnyArray) -> Array:
        """Return what every training row adds to every output, for the leaves of some rows.

        Of shape (rows, training rows, outputs); with `base`, the sum over training rows is F.
        """
        total = np.zeros((len(leaf), len(self.X), self.n_outputs))
        for tree, (of_rows, added) in enumerate(self._row_values()):
            for query, own in enumerate(leaf[:, tree]):
                shared = np.flatnonzero(of_rows == own)
                total[query, shared] += added[shared]
        return total

    def _row_values(self) -> Iterable[tuple[AnyArray, Array]]:
        """Give by tree the leaf of every training row, and what the row adds to its value.

        They are kept where there is room, as queries come one by one.
        """
        if self._added is not None:
            return zip(*self._added, strict=True)
        parts = (
            (leaf + self._first_leaf[tree], -self.learning_rate * gradient / weight[leaf])
            for tree, leaf, gradient, weight in self._rounds()
        )
        if self.n_trees * len(self.X) * self.n_outputs > MOST_KEPT_VALUES:
            return parts
        of_rows, added = zip(*parts, strict=True)
        self._added = np.array(of_rows, np.int32), np.array(added)
        return zip(*self._added, strict=True)

    def _values(self) -> Array:
        """Return the values of the leaves, from the training rows."""
        self.value = np.zeros((int(self._first_leaf[-1]), self.n_outputs))
        for tree, leaf, gradient, weight in self._rounds():
            first, end = self._first_leaf[tree : tree + 2].tolist()
            self.value[first:end] = -self.learning_rate * _sums(leaf, gradient, len(weight))
            self.value[first:end] /= weight
        return self.value

    def _rounds(self) -> Iterator[tuple[int, AnyArray, Array, Array]]:
        """Go through the steps of boosting again, from the training rows.

        Gives every tree, the place of every training row among its leaves, the gradient of the
        loss before the step (rows, outputs), and the curvature of the loss in every leaf (leaves,
        outputs).
        """
        score = np.tile(self.base, (len(self.X), 1))
        for tree in range(self.n_trees):
            first, end = self._first_leaf[tree : tree + 2].tolist()
            place = self.leaves(self.X, 1, slice(tree, tree + 1))[:, 0] - first
            gradient, curvature = self._derivatives(score)
            curved = _sums(place, curvature, end - first)
            weight = np.maximum(curved + self.l2, LEAST_CURVATURE)
            yield tree, place, gradient, weight
            score += self.value[first:end][place]

    def _derivatives(self, score: Array) -> tuple[Array, Array]:
        """Return the first and second derivatives of the loss, (rows, outputs)."""
        if self.targets.dtype.kind != "i":
            return score - self.targets[:, None], np.ones_like(score)
        if self.n_outputs == 1:
            share = expit(score)
            return share - self.targets[:, None], share * (1 - share)
        share = softmax(score, axis=1)
        is_target = np.arange(self.n_outputs) == self.targets[:, None]
        return share - is_target, share * (1 - share)


def start_scores(targets: AnyArray, n_outputs: int) -> Array:
    """Return F without any tree: the mean, the log odds, or the logarithms of the shares."""
    if targets.dtype.kind != "i":
        return np.array([targets.mean()])
    counts = np.maximum(np.bincount(targets, minlength=max(n_outputs, 2)), 0.5)
    share = np.log(counts / counts.sum())
    return np.asarray(share[1:] - share[:1] if n_outputs == 1 else share - share.mean())


def _sums(position: AnyArray, values: Array, n_leaves: int) -> Array:
    """Return the sums of the values of rows by leaf, (leaves, outputs)."""
    return np.stack([np.bincount(position, one, n_leaves) for one in values.T], axis=1)
