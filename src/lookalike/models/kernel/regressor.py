"""Nadaraya-Watson kernel regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.index.rescale import scale_of
from lookalike.models.cross_validation import HeldOutRows
from lookalike.models.estimator import check_is_fitted
from lookalike.models.kernel.bandwidth import choose_bandwidth
from lookalike.models.kernel.nearby_rows import NearbyRows, gaussian_reach, rows_that_matter
from lookalike.models.kernel.smoothing import (
    check_kernel,
    choose_bandwidth_by_rule,
    kernel_extent,
    kernel_weights,
)
from lookalike.models.neighbors.regressor import NeighborsRegressor
from lookalike.models.neighbors.supervised import rows_of
from lookalike.typing import AnyArray, Array


class KernelRegressor(NeighborsRegressor):
    r"""Nadaraya-Watson kernel regression: the mean of all targets, weighted by a kernel.

    .. math:: g(x) = \frac{\sum_n \alpha_n(x)\, y_n}{\sum_m \alpha_m(x)}, \qquad
              \alpha_n(x) = \phi\Big(\frac{\|x - x_n\|}{r}\Big)

    [UGR]. Only rows that matter are summed: the others are proven to add less than 1e-16 of the
    sum. Where no kernel reaches, the nearest rows decide, as they do for a Gaussian of small r.

    Parameters
    ----------
    bandwidth : float, "loo", "cv" or "rule", default="loo"
        r; or the one of lowest leave-one-out or `folds`-fold squared error; or
        :math:`N^{-1/(2d)}` [UGR], which assumes columns of unit scale.
    kernel : {"gaussian", "window", "epanechnikov"}, default="gaussian"
        :math:`\phi(z) = e^{-z^2 / 2}`, :math:`[z \le 1]`, or :math:`\max(0, 1 - z^2)`.
    algorithm, leaf_size, n_jobs, engine
        As in :class:`lookalike.NearestNeighbors`.
    missing, folds
        As in :class:`lookalike.KernelDensityClassifier`.

    Attributes
    ----------
    bandwidth_ : float
        The r used.
    curve_ : dict of str to ndarray
        Errors of the bandwidths tried, where one was selected.
    decisions_ : Decisions
        What was decided, and why.

    Examples
    --------
    >>> from lookalike import KernelRegressor
    >>> model = KernelRegressor(1.0, kernel="window").fit([[0.0], [1.0], [3.0]], [1.0, 3.0, 9.0])
    >>> model.predict([[0.5]])
    array([2.])
    """

    bandwidth: Any
    folds: int
    bandwidth_: float
    curve_: dict[str, Array]
    _choose = choose_bandwidth
    _rule_bandwidth = choose_bandwidth_by_rule
    _extent = kernel_extent
    _kernel_weights = kernel_weights

    def __init__(
        self,
        bandwidth: float | str = "loo",
        *,
        kernel: str = "gaussian",
        algorithm: str = "auto",
        leaf_size: int = 30,
        n_jobs: int | None = None,
        missing: str = "error",
        folds: int = 5,
        engine: str = "auto",
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs
        self.missing = missing
        self.folds = folds
        self.engine = engine

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_kernel(self)

    def _averages(self, X: object) -> tuple[Array, Array]:
        check_is_fitted(self)
        queries, exclude = self._queries(X)
        shape = (queries.shape[0], self.targets_.values.shape[1])
        mean, spread = np.empty(shape), np.empty(shape)
        held_out = None if exclude is None else HeldOutRows(exclude)
        for near in rows_that_matter(self, queries, held_out, **self._extent(self.bandwidth_)):
            mean[near.part], spread[near.part] = self._smooth(near, self.bandwidth_)
        return mean, spread

    def _smooth(self, near: NearbyRows, bandwidth: float) -> tuple[Array, Array]:
        """Return g(x) and the spread of the targets around it."""
        count, weight = len(near.part), self._kernel_weights(near, bandwidth)
        total = np.bincount(near.query, weight, count)
        mean, spread = self._means(near, weight, total), []
        for target, center in zip(self.targets_.values.T, mean.T, strict=True):
            scale = scale_of(float(np.abs(target).max(initial=0.0)))
            difference = (target * scale)[near.row] - (center * scale)[near.query]
            squares = np.bincount(near.query, weight * difference**2, count)
            spread.append(np.sqrt(squares / total) / scale)
        return mean, np.column_stack(spread)

    def _means(self, near: NearbyRows, weight: Array, total: AnyArray) -> Array:
        """Return g(x) by the weights of all pairs, and their sums."""
        sums = [
            np.bincount(near.query, weight * target[near.row], len(near.part))
            for target in self.targets_.values.T
        ]
        return np.column_stack(sums) / total[:, None]

    def _reached(self, near: NearbyRows, bandwidth: float) -> NearbyRows:
        """Return the pairs that matter to kernels of this bandwidth."""
        log_spread = self._extent(bandwidth)["log_spread"]
        if log_spread is None:
            return near
        return near.within(gaussian_reach(bandwidth * near.unit, self.n_samples_fit_, log_spread))

    def _scores(self, held_out: HeldOutRows, tried: Array) -> dict[str, Array]:
        everyone, weight = self.space_.queries(None), self.space_.weight
        weight = np.ones(len(held_out.row)) if weight is None else weight[held_out.row]
        error, extent = np.zeros(len(tried)), self._extent(float(tried[-1]))
        scale = scale_of(float(np.abs(self.targets_.values).max(initial=0.0)))
        for near in rows_that_matter(self, rows_of(everyone, held_out.row), held_out, **extent):
            truth, reached = self.targets_.values[held_out.row[near.part]], near
            for index in reversed(range(len(tried))):  # ever narrower kernels, which reach fewer
                bandwidth = float(tried[index])
                reached = self._reached(reached, bandwidth)
                kernel = self._kernel_weights(reached, bandwidth)
                total = np.bincount(reached.query, kernel, len(truth))
                mean = self._means(reached, kernel, total)
                difference = mean * scale - truth * scale
                error[index] += weight[near.part] @ (difference**2).mean(axis=1)
        if scale != 1.0:  # squares of the targets would overflow or vanish
            unit = f"of y times 2^{int(np.log2(scale))}"
            self.decisions_.put("mse", unit, "squares of y leave the range of float64")
        return {"mse": error / weight.sum()}
