"""Kernels that weigh all training rows by their distance from a query [UGR]."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from lookalike.models.neighbors.bandwidth import BandwidthSelectionMixin
from lookalike.models.neighbors.kernel_sums import NearbyRows, gaussians, log_spread
from lookalike.typing import Array
from lookalike.validation import check_choice

KERNELS = ("gaussian", "window", "epanechnikov")


class KernelSmoothing(BandwidthSelectionMixin):
    """Weights of the rows around a query; subclasses have the parameter `kernel`."""

    kernel: str
    _named_bandwidths: ClassVar[tuple[str, ...]] = ("rule",)

    def _rule_bandwidth(self) -> float:
        n_rows = self.n_samples_fit_ if self._weight is None else self._weight.sum()
        bandwidth = float(n_rows ** (-1 / (2 * self.n_features_in_)))
        self.decisions_.put("bandwidth", f"{bandwidth:.4g}", "N^(-1/2d)")
        return bandwidth

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("kernel", self.kernel, KERNELS)

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
