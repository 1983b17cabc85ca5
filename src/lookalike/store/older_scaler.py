"""The scaler with a choice of method of older model files, as the scalers of today."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

OLDER_SCALER = "Standardizer"

State = dict[str, Any]
_SHARED_ATTRIBUTES = (
    *("engine", "n_jobs", "n_features_in_", "feature_names_in_"),
    *("mean_", "n_samples_seen_", "decisions_"),
)


def present_scaler(state: Mapping[str, Any]) -> tuple[str, State]:
    """Return the class that scales as `state` says, and the state of an object of it.

    Ranges without centering are kept by a `StandardScaler`, which takes sparse rows as well.
    """
    shared = {name: state[name] for name in _SHARED_ATTRIBUTES if name in state}
    method, center = state.get("method", "zscore"), state.get("center", True)
    name = {"whiten": "PCA", "minmax": "MinMaxScaler" if center else None}.get(method)
    name = name or "LookalikeStandardScaler"
    return name, _PRESENT_SCALERS[name](shared, state)


def _as_standard_scaler(shared: State, state: Mapping[str, Any]) -> State:
    made = {"copy": True, "with_mean": state.get("center", True), "with_std": True, **shared}
    if "scale_" in state:
        made |= {"scale_": state["scale_"], "var_": state["scale_"] ** 2}
    return made


def _as_min_max_scaler(shared: State, state: Mapping[str, Any]) -> State:
    made = {"feature_range": (0, 1), "copy": True, "clip": False, **shared}
    if "scale_" in state:
        least, width = made.pop("mean_"), state["scale_"]
        made |= {"data_min_": least, "data_max_": least + width, "data_range_": width}
        made |= {"scale_": 1.0 / width, "min_": -least / width}
    return made


def _as_pca(shared: State, state: Mapping[str, Any]) -> State:
    from lookalike.models.decomposition.pca import PCA

    made = {**PCA(whiten=True, ddof=state.get("ddof", 0)).get_params(), **shared}
    if "scale_" in state:
        rows = made.pop("n_samples_seen_")
        scale = state["scale_"]  # infinite where the rows do not vary
        variance = np.where(np.isinf(scale), 0.0, scale**2)
        total = max(float(variance.sum()), np.finfo(np.float64).tiny)
        made |= {
            "components_": state["components_"],
            "explained_variance_": variance,
            "explained_variance_ratio_": variance / total,
            "singular_values_": np.sqrt(max(rows - made["ddof"], 0.0) * variance),
            "spectrum_": variance,
            "noise_variance_": 0.0,
            "reconstruction_error_": 0.0,
            "n_components_": len(variance),
            "rank_": int(np.count_nonzero(variance)),
            "n_samples_": rows,
            "moments_": None,
        }
    return made


_PRESENT_SCALERS: dict[str, Callable[[State, Mapping[str, Any]], State]] = {
    "LookalikeStandardScaler": _as_standard_scaler,
    "MinMaxScaler": _as_min_max_scaler,
    "PCA": _as_pca,
}
