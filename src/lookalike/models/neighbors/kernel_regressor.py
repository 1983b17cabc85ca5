"""Nadaraya-Watson kernel regression."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lookalike.errors import ParameterError
from lookalike.models.cross_validation import HeldOutRows
from lookalike.models.neighbors.bandwidth import BandwidthSelectionMixin
from lookalike.models.neighbors.kernel_sums import (
    NearbyRows,
    gaussians,
    log_spread,
    rows_that_matter,
)
from lookalike.models.neighbors.regressor import NeighborsRegressor
from lookalike.models.neighbors.supervised import rows_of
from lookalike.typing import Array
from lookalike.validation import check_choice

KERNELS = ("gaussian", "window", "epanechnikov")
OUTPUTS = ("mean", "sign", "sigmoid")


class RadiusCurve(NamedTuple):
    """Cross-validated mean squared error of every bandwidth tried; both (bandwidths,)."""

    bandwidth: Array
    mse: Array


class RBFSmoother(BandwidthSelectionMixin, NeighborsRegressor):
    r"""Nadaraya-Watson kernel regression: the mean of all targets, weighted by a kernel.

    .. math:: g(x) = \frac{\sum_n \alpha_n(x)\, y_n}{\sum_m \alpha_m(x)}, \qquad
              \alpha_n(x) = \phi\Big(\frac{\|x - x_n\|}{r}\Big)

    [UGR]. Only rows that matter are summed: the others are proven to add less than 1e-16 of the
    sum. Where no kernel reaches, the nearest rows decide, as they do for a Gaussian of small r.

    Parameters
    ----------
    bandwidth : float, "loo", "cv" or "rule", default="loo"
        r; or the one of least leave-one-out or `folds`-fold squared error; or
        :math:`N^{-1/(2d)}` [UGR], which assumes columns of unit scale.
    kernel : {"gaussian", "window", "epanechnikov"}, default="gaussian"
        :math:`\phi(z) = e^{-z^2 / 2}`, :math:`[z \le 1]`, or :math:`\max(0, 1 - z^2)`.
    output : {"mean", "sign", "sigmoid"}, default="mean"
        g(x) itself; its sign, or :math:`1 / (1 + e^{-g(x)})`, for targets of -1 and 1.
    algorithm, leaf_size, n_jobs, engine
        As of :class:`lookalike.NearestNeighbors`.
    missing : {"error", "mean"}, default="error"
        A missing value is an error, or the mean of its column.
    folds : int, default=5
        Folds of ``bandwidth="cv"``. Copies of a row, where it weighs more than one, stay together.

    Attributes
    ----------
    bandwidth_ : float
        The r used.
    curve_ : RadiusCurve
        Errors of the bandwidths tried, where one was selected.
    decisions_ : Decisions
        What was decided, and why.

    Examples
    --------
    >>> from lookalike import RBFSmoother
    >>> model = RBFSmoother(1.0, kernel="window").fit([[0.0], [1.0], [3.0]], [1.0, 3.0, 9.0])
    >>> model.predict([[0.5]])
    array([2.])
    """

    _named_bandwidths: ClassVar[tuple[str, ...]] = ("rule",)

    def __init__(
        self,
        bandwidth: float | str = "loo",
        *,
        kernel: str = "gaussian",
        output: str = "mean",
        algorithm: str = "auto",
        leaf_size: int = 30,
        n_jobs: int | None = None,
        missing: str = "error",
        folds: int = 5,
        engine: str = "auto",
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.output = output
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs
        self.missing = missing
        self.folds = folds
        self.engine = engine

    def predict(self, X: object = None, return_std: bool = False) -> Any:
        """Return g(x), its sign or its sigmoid for every row of `X`.

        Parameters
        ----------
        X : table, optional
            The rows to predict; None means the training rows, leave-one-out.
        return_std : bool, default=False
            Whether the weighted standard deviation of the targets is returned too.
        """
        predicted = super().predict(X, return_std)
        mean, std = predicted if return_std else (predicted, None)
        if self.output == "sign":
            mean = np.where(mean >= 0, 1.0, -1.0)
        elif self.output == "sigmoid":
            mean = 1 / (1 + np.exp(-mean))
        return (mean, std) if return_std else mean

    def _hold(self, targets: tuple[Array, bool], weight: Array | None) -> None:
        if self.output != "mean" and not np.isin(targets[0], (-1.0, 1.0)).all():
            raise ParameterError(
                f"output={self.output!r} is for two classes, -1 and 1, and y holds other numbers. "
                "Give these, or output='mean'."
            )
        super()._hold(targets, weight)

    def _rule_bandwidth(self) -> float:
        n_rows = self.n_samples_fit_ if self._weight is None else self._weight.sum()
        bandwidth = float(n_rows ** (-1 / (2 * self.n_features_in_)))
        self.decisions_.put("bandwidth", f"{bandwidth:.4g}", "N^(-1/2d)")
        return bandwidth

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("kernel", self.kernel, KERNELS)
        check_choice("output", self.output, OUTPUTS)

    def _averages(self, X: object) -> tuple[Array, Array]:
        check_is_fitted(self)
        queries, exclude = self._queries(X)
        shape = (queries.shape[0], self._targets.shape[1])
        mean, spread = np.empty(shape), np.empty(shape)
        held_out = None if exclude is None else HeldOutRows(exclude)
        for near in rows_that_matter(self, queries, held_out, **self._extent(self.bandwidth_)):
            mean[near.part], spread[near.part] = self._smoothed(near, self.bandwidth_)
        return mean, spread

    def _extent(self, bandwidth: float) -> dict[str, Any]:
        """Return how far rows matter, as `rows_that_matter` takes it."""
        if self.kernel != "gaussian":
            return {"bandwidth": bandwidth, "log_spread": None}
        spread = 0.0 if self._weight is None else log_spread(self._weight)
        return {"bandwidth": bandwidth, "log_spread": spread}

    def _kernel_weights(self, near: NearbyRows, bandwidth: float) -> Array:
        """Return what every pair counts; where no kernel reaches, the nearest rows do."""
        counted = np.ones(len(near.row)) if near.weight is None else near.weight
        if self.kernel == "gaussian":
            weight = gaussians(near, bandwidth)
        elif self.kernel == "window":
            weight = counted * (np.sqrt(near.squared) <= bandwidth * near.unit[near.query])
        else:
            weight = counted * np.maximum(0.0, 1.0 - near.in_bandwidths(near.squared, bandwidth))
        no_kernel = np.bincount(near.query, weight, len(near.part))[near.query] == 0
        nearest = near.squared == near.first[near.query]
        return np.where(no_kernel, counted * nearest, weight)

    def _smoothed(self, near: NearbyRows, bandwidth: float) -> tuple[Array, Array]:
        """Return g(x) and the spread of the targets around it."""
        count, weight = len(near.part), self._kernel_weights(near, bandwidth)
        total = np.bincount(near.query, weight, count)
        mean, spread = [], []
        for target in self._targets.T:
            center = np.bincount(near.query, weight * target[near.row], count) / total
            gap = target[near.row] - center[near.query]
            mean.append(center)
            spread.append(np.sqrt(np.bincount(near.query, weight * gap**2, count) / total))
        return np.column_stack(mean), np.column_stack(spread)

    def _scores(self, held_out: HeldOutRows, tried: Array) -> RadiusCurve:
        everyone, _ = self._queries(None)
        weight = np.ones(len(held_out.row)) if self._weight is None else self._weight[held_out.row]
        error, extent = np.zeros(len(tried)), self._extent(float(tried[-1]))
        for near in rows_that_matter(self, rows_of(everyone, held_out.row), held_out, **extent):
            truth = self._targets[held_out.row[near.part]]
            for place, bandwidth in enumerate(tried):
                gap = self._smoothed(near, float(bandwidth))[0] - truth
                error[place] += weight[near.part] @ (gap**2).mean(axis=1)
        return RadiusCurve(tried, error / weight.sum())
