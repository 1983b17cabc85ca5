"""Kernel classification: the share of each class among all rows, weighted by a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import softmax

from lookalike.kernels.votes import VoteResult
from lookalike.models.cross_validation import HeldOutRows
from lookalike.models.kernel.bandwidth import choose_bandwidth
from lookalike.models.kernel.nearby_rows import NearbyRows, rows_that_matter
from lookalike.models.kernel.smoothing import (
    check_kernel,
    choose_bandwidth_by_rule,
    kernel_extent,
    kernel_weights,
)
from lookalike.models.kernel.votes import kernel_votes, require_one_output
from lookalike.models.labels import Labels
from lookalike.models.neighbors.classifier import NeighborsClassifier
from lookalike.models.neighbors.supervised import rows_of
from lookalike.models.neighbors.voting_rules import voting_rules
from lookalike.typing import AnyArray, Array
from lookalike.validation import check_choice


class KernelClassifier(NeighborsClassifier):
    r"""Non-parametric RBF classifier: shares of the classes, weighted by a kernel.

    .. math:: g_c(x) = \frac{\sum_{n : y_n = c} \alpha_n(x)}{\sum_m \alpha_m(x)}, \qquad
              \alpha_n(x) = \phi\Big(\frac{\|x - x_n\|}{r}\Big)

    [UGR]. The class of the largest share is predicted: with targets of -1 and 1 the sign of
    :math:`g = g_1 - g_0`, the prediction of :class:`lookalike.KernelRegressor`. Classes whose
    shares are level, to nine digits, are decided by the nearest neighbors. Labels may be of any
    kind, and there may be any number of classes.

    Parameters
    ----------
    bandwidth : float, "loo", "cv" or "rule", default="loo"
        r; or the one of lowest leave-one-out or `folds`-fold squared error of the shares; or
        :math:`N^{-1/(2d)}` [UGR], which assumes columns of unit scale.
    kernel : {"gaussian", "window", "epanechnikov"}, default="gaussian"
        As in :class:`lookalike.KernelRegressor`.
    probability : {"share", "sigmoid"}, default="share"
        What `predict_proba` returns: the shares, or, as logistic regression does with g,
        :math:`\theta(g) = 1 / (1 + e^{-g})` [UGR]; of more than two classes the softmax.
    algorithm, leaf_size, n_jobs, missing, folds, engine
        As in :class:`lookalike.KernelDensityClassifier`.

    Attributes
    ----------
    classes_ : ndarray
        The labels in sorted order.
    bandwidth_, curve_, decisions_
        As in :class:`lookalike.KernelRegressor`.

    Examples
    --------
    >>> from lookalike import KernelClassifier
    >>> X, y = [[0.0], [1.0], [3.0]], ["low", "low", "high"]
    >>> model = KernelClassifier(1.0, kernel="window").fit(X, y)
    >>> model.predict([[0.5], [2.5]])
    array(['low', 'high'], dtype='<U4')
    """

    priors = None
    ties = "grow"
    cost = None
    bandwidth: Any
    folds: int
    bandwidth_: float
    curve_: dict[str, Array]
    _several_outputs = False
    _choose = choose_bandwidth
    _rule_bandwidth = choose_bandwidth_by_rule
    _votes = kernel_votes
    _extent = kernel_extent
    _kernel_weights = kernel_weights

    def __init__(
        self,
        bandwidth: float | str = "loo",
        *,
        kernel: str = "gaussian",
        probability: str = "share",
        algorithm: str = "auto",
        leaf_size: int = 30,
        n_jobs: int | None = None,
        missing: str = "error",
        folds: int = 5,
        engine: str = "auto",
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.probability = probability
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs
        self.missing = missing
        self.folds = folds
        self.engine = engine

    def _hold(self, targets: Labels, weight: Array | None) -> None:
        require_one_output(targets)
        super()._hold(targets, weight)

    def _only_nearest(self, queries: Any, held_out: HeldOutRows | None) -> AnyArray:
        return np.zeros(queries.shape[0], bool)

    def _class_votes(self, queries: Any, held_out: HeldOutRows | None) -> Array:
        """Return what each class has of the votes for every query, (queries, classes)."""
        shares = np.empty((queries.shape[0], len(self.classes_)))
        for near in rows_that_matter(self, queries, held_out, **self._extent(self.bandwidth_)):
            shares[near.part] = self._class_shares(near, self.bandwidth_)
        return shares

    def _shares(self, results: list[VoteResult]) -> Any:
        shares = results[0].votes
        return softmax(shares, axis=1) if self.probability == "sigmoid" else shares

    def _class_shares(self, near: NearbyRows, bandwidth: float) -> Array:
        """Return g (queries, classes)."""
        n_classes, count = len(self.classes_), len(near.part)
        cell = near.query * n_classes + self.targets_.codes[near.row, 0]
        weight = self._kernel_weights(near, bandwidth)
        sums = np.bincount(cell, weight, count * n_classes).reshape(count, n_classes)
        shares: Array = sums / sums.sum(axis=1, keepdims=True)
        return shares

    def _scores(self, held_out: HeldOutRows, tried: Array) -> dict[str, Array]:
        everyone, weight = self.space_.queries(None), self.space_.weight
        weight = np.ones(len(held_out.row)) if weight is None else weight[held_out.row]
        error, brier = np.zeros(len(tried)), np.zeros(len(tried))
        indicator = np.eye(len(self.classes_))[self.targets_.codes[held_out.row, 0]]
        extent = self._extent(float(tried[-1]))
        for near in rows_that_matter(self, rows_of(everyone, held_out.row), held_out, **extent):
            truth, counted = indicator[near.part], weight[near.part]
            for index, bandwidth in enumerate(tried):
                shares = self._class_shares(near, float(bandwidth))
                error[index] += counted @ (shares.argmax(axis=1) != truth.argmax(axis=1))
                brier[index] += counted @ ((shares - truth) ** 2).sum(axis=1)
        # brier: mean squared error of the shares, summed over the classes
        return {"error": error / weight.sum(), "brier": brier / weight.sum()}

    def _scales(self, first: Array, queries: object, bandwidth: float) -> tuple[Array, Array]:
        """Return the weights of the kernels; there is no background."""
        return np.ones(len(first)), np.zeros(len(first))

    def _prior(self) -> Array:
        """Return how probable each class is before any row is seen."""
        frequency = voting_rules(self)[0].frequency
        return np.ones(len(self.classes_)) if frequency is None else frequency

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_kernel(self)
        check_choice("probability", self.probability, ("share", "sigmoid"))
