"""Kernels that weigh all training rows by their distance from a query [UGR]."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.models.kernel.bandwidth import KernelModel, check_bandwidth
from lookalike.models.kernel.nearby_rows import NearbyRows, gaussians, log_spread
from lookalike.typing import Array
from lookalike.validation import check_choice

SMOOTHING_KERNELS = ("gaussian", "window", "epanechnikov")


def choose_bandwidth_by_rule(self: KernelModel) -> float:
    """Return N^(-1/2d), and note the choice in `decisions_`."""
    weight = self.space_.weight
    n_rows = self.n_samples_fit_ if weight is None else weight.sum()
    bandwidth = float(n_rows ** (-1 / (2 * self.n_features_in_)))
    self.decisions_.put("bandwidth", f"{bandwidth:.4g}", "N^(-1/2d)")
    return bandwidth


def check_kernel(model: KernelModel) -> None:
    """Raise unless kernel and bandwidth are possible ones."""
    check_bandwidth(model, ("rule",))
    check_choice("kernel", model.kernel, SMOOTHING_KERNELS)


def kernel_extent(self: KernelModel, bandwidth: float) -> dict[str, Any]:
    """Return how far rows matter, as `rows_that_matter` takes it."""
    if self.kernel != "gaussian":
        return {"bandwidth": bandwidth, "log_spread": None}
    spread = 0.0 if self.space_.weight is None else log_spread(self.space_.weight)
    return {"bandwidth": bandwidth, "log_spread": spread}


def kernel_weights(self: KernelModel, near: NearbyRows, bandwidth: float) -> Array:
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
