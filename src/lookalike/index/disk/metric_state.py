"""The metric of an index as plain data: the class, numbers and arrays; no code is ever loaded."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.errors import ModelFileError, ParameterError
from lookalike.kernels.metrics.angular import Correlation, Cosine
from lookalike.kernels.metrics.base import METRIC_AXIOMS, Embedded, Metric
from lookalike.kernels.metrics.minkowski import Euclidean, SquaredEuclidean
from lookalike.kernels.metrics.quadratic import Mahalanobis, StandardizedEuclidean
from lookalike.kernels.metrics.sphere import Haversine
from lookalike.typing import AnyArray

KNOWN_METRICS: dict[str, type[Embedded]] = {
    kind.__name__: kind
    for kind in (
        Euclidean,
        SquaredEuclidean,
        StandardizedEuclidean,
        Mahalanobis,
        Cosine,
        Correlation,
        Haversine,
    )
}
METRIC_ARRAY_PREFIX = "metric."  # how the names of its arrays begin
STORED_ATTRIBUTES: dict[str, tuple[str, ...]] = {  # attributes, by the class that has them
    "Euclidean": ("name", "w", "axioms"),
    "SquaredEuclidean": ("name", "w", "axioms"),
    "StandardizedEuclidean": ("name", "w", "axioms"),
    "Mahalanobis": ("name", "map", "center", "axioms"),
    "Cosine": ("name", "zero"),
    "Correlation": ("name", "zero"),
    "Haversine": (),
}


def metric_to_plain(metric: Metric) -> tuple[dict[str, object], dict[str, AnyArray]]:
    """Return the metric as JSON and as arrays by name; an error where it embeds no rows."""
    if type(metric).__name__ not in KNOWN_METRICS:
        raise ParameterError(
            f"metric {metric.name!r} does not order rows as a Euclidean distance does, and an "
            "index on disk needs one that does: euclidean, sqeuclidean, seuclidean, mahalanobis, "
            "cosine, correlation or haversine. Choose one of them."
        )
    plain: dict[str, Any] = {"class": type(metric).__name__, "values": {}, "sets": {}}
    arrays = {}
    for name, value in dict(vars(metric)).items():
        if isinstance(value, np.ndarray):
            arrays[METRIC_ARRAY_PREFIX + name] = value
        elif isinstance(value, frozenset):
            plain["sets"][name] = sorted(value)
        else:
            plain["values"][name] = value
    return plain, arrays


def metric_from_plain(
    plain: dict[str, Any], arrays: dict[str, AnyArray], n_features: int
) -> Embedded:
    """Return the metric that `metric_to_plain` took apart, of rows of `n_features` columns."""
    kind = KNOWN_METRICS.get(plain["class"])
    if kind is None:
        raise ModelFileError(
            f"The index is by a metric {plain['class']!r} that is not known here. Update the "
            "program, or build the index again."
        )
    state = {**plain["values"]}
    state |= {name: frozenset(value) for name, value in plain["sets"].items()}
    state |= {
        name.removeprefix(METRIC_ARRAY_PREFIX): a
        for name, a in arrays.items()
        if name.startswith(METRIC_ARRAY_PREFIX)
    }
    _check_state(plain["class"], state, n_features)
    metric = object.__new__(kind)
    metric.__dict__.update(state)
    return metric


def _check_state(kind: str, state: dict[str, object], n_features: int) -> None:
    """Raise unless the attributes of a metric are its own, and fit the columns."""
    if set(state) != set(STORED_ATTRIBUTES[kind]):
        raise ModelFileError(f"metric: {kind} has other attributes than {sorted(state)}")
    fits = {
        "name": lambda value: isinstance(value, str),
        "zero": lambda value: value in ("error", "far"),
        "axioms": lambda value: isinstance(value, frozenset) and value <= METRIC_AXIOMS,
        "w": lambda value: value is None or _is_weight(value, n_features),
        "map": lambda value: _is_array(value, (None, n_features)) and len(value) > 0,
        "center": lambda value: _is_array(value, (n_features,)),
    }
    for name, value in state.items():
        if not fits[name](value):
            raise ModelFileError(f"metric: {name} of {kind} does not fit {n_features} columns")


def _is_weight(value: Any, n_features: int) -> bool:
    return _is_array(value, (n_features,)) and bool((value >= 0).all())


def _is_array(value: object, shape: tuple[int | None, ...]) -> bool:
    return (
        isinstance(value, np.ndarray)
        and value.dtype == np.float64
        and value.ndim == len(shape)
        and all(b in (None, a) for a, b in zip(value.shape, shape, strict=True))
        and bool(np.isfinite(value).all())
    )
