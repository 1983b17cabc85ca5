"""Boosted trees as plain arrays: sums of leaf values, and the training rows behind each value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import expit, softmax

from lookalike import _core
from lookalike.errors import ModelFileError
from lookalike.kernels.forest import leaves_per_tree
from lookalike.typing import AnyArray, Array, Rows

LEAST_CURVATURE = 1e-15  # of the loss in a leaf


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
        As in :class:`lookalike.kernels.forest.Forest`: tree by tree, in the order of growth. The
        trees of one step, one for every output, follow each other.
    value : float64 array of shape (n_leaves,), or of none
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
        if len(root) % n_outputs or len(X) != len(targets) or not len(X):
            raise ModelFileError("the arrays of the boosted trees do not belong together")
        if targets.dtype.kind == "i" and (targets.min() < 0 or targets.max() >= max(n_outputs, 2)):
            raise ModelFileError("the boosted trees have targets of no class")
        self.base = self._base()
        self.value = value if len(value) else np.concatenate([*self._values()])
        if self.value.shape != (self._first_leaf[-1],) or not np.isfinite(self.value).all():
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
            nodes=self.nodes,
            root=self.root,
            X=X,
            value=self._values_by_output(),
            threads=threads,
            mean=total,
        )
        return np.asarray(total * self.n_trees + self.base)

    def leaves(self, X: AnyArray, threads: int, trees: slice = slice(None)) -> AnyArray:
        """Return the leaf of every row in every tree, (rows, trees)."""
        root = np.ascontiguousarray(self.root[trees])
        leaf = np.empty((len(X), len(root)), np.int32)
        _core.find_leaves(nodes=self.nodes, root=root, X=X, threads=threads, leaf=leaf)
        return leaf

    def contributions(self, leaf: AnyArray) -> Array:
        """Return what every training row adds to every output, for the leaves of one row.

        Of shape (training rows, outputs); with `base`, the sum over rows is F.
        """
        if self._added is None:
            self._added = self._row_values()
        of_rows, added = self._added
        total = np.zeros((len(self.X), self.n_outputs))
        for output in range(self.n_outputs):
            trees = slice(output, None, self.n_outputs)
            shared = of_rows[trees] == leaf[trees, None]
            total[:, output] = np.einsum("tn,tn->n", shared, added[trees])
        return total

    def _row_values(self) -> tuple[AnyArray, Array]:
        """Return the leaf of every training row in every tree, and what it adds to the value."""
        leaf = np.empty((self.n_trees, len(self.X)), np.int32)
        added = np.empty(leaf.shape)
        for trees, place, gradient, weight in self._rounds():
            leaf[trees] = (place + self._first_leaf[trees.start]).T
            added[trees] = (-self.learning_rate * gradient / weight[place]).T
        return leaf, added

    def _values(self) -> Iterator[Array]:
        """Give the values of the leaves of one step after the other."""
        for _, leaf, gradient, weight in self._rounds():
            yield self._step_values(leaf, gradient, weight)

    def _step_values(self, leaf: AnyArray, gradient: Array, weight: Array) -> Array:
        sums = np.bincount(leaf.ravel(), gradient.ravel(), len(weight))
        return np.asarray(-self.learning_rate * sums / weight)

    def _rounds(self) -> Iterator[tuple[slice, AnyArray, Array, Array]]:
        """Go through the steps of boosting again, from the training rows.

        Gives the trees of a step, one for every output; the place of every training row among
        their leaves; the gradient of the loss before the step, both (rows, trees); and the
        curvature of the loss in every leaf.
        """
        score = np.tile(self.base, (len(self.X), 1))
        for begin in range(0, self.n_trees, self.n_outputs):
            trees = slice(begin, begin + self.n_outputs)
            leaf = self.leaves(self.X, 1, trees)
            gradient, curvature = self._derivatives(score)
            first, end = self._first_leaf[[begin, begin + self.n_outputs]].tolist()
            place = leaf - first
            curved = np.bincount(place.ravel(), curvature.ravel(), end - first)
            weight = np.maximum(curved + self.l2, LEAST_CURVATURE)
            score += self._step_values(place, gradient, weight)[place]
            yield trees, place, gradient, weight

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

    def _base(self) -> Array:
        """Return F without any tree: the mean, the log odds, or the logarithms of the shares."""
        if self.targets.dtype.kind != "i":
            return np.array([self.targets.mean()])
        counts = np.maximum(np.bincount(self.targets, minlength=max(self.n_outputs, 2)), 0.5)
        share = np.log(counts / counts.sum())
        return np.asarray(share[1:] - share[:1] if self.n_outputs == 1 else share - share.mean())

    def _values_by_output(self) -> Array:
        """Return what each leaf adds to every output, (leaves, outputs)."""
        if self.n_outputs == 1:
            return self.value[:, None]
        per_tree = np.diff(self._first_leaf)
        output = np.repeat(np.arange(self.n_trees) % self.n_outputs, per_tree)
        values = np.zeros((len(self.value), self.n_outputs))
        values[np.arange(len(self.value)), output] = self.value
        return values
