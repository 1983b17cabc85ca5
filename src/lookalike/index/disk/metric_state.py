"""The metric of an index as plain data: the class, numbers and arrays; no code is ever loaded."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.errors import ModelFileError, ParameterError
from lookalike.kernels.metrics.angular import Correlation, Cosine
from lookalike.kernels.metrics.base import Embedded, Metric
from lookalike.kernels.metrics.minkowski import Euclidean, SquaredEuclidean
from lookalike.kernels.metrics.quadratic import Mahalanobis, StandardizedEuclidean
from lookalike.kernels.metrics.sphere import Haversine
from lookalike.typing import AnyArray

KNOWN: dict[str, type[Embedded]] = {
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
ARRAY = "metric."  # how the names of its arrays begin


def metric_to_plain(metric: Metric) -> tuple[dict[str, object], dict[str, AnyArray]]:
    """Return the metric as JSON and as arrays by name; an error where it embeds no rows."""
    if type(metric).__name__ not in KNOWN:
        raise ParameterError(
            f"metric {metric.name!r} does not order rows as a Euclidean distance does, and an "
            "index on disk needs one that does: euclidean, sqeuclidean, seuclidean, mahalanobis, "
            "cosine, correlation or haversine. Choose one of them."
        )
    plain: dict[str, Any] = {"class": type(metric).__name__, "values": {}, "sets": {}}
    arrays = {}
    for name, value in vars(metric).items():
        if isinstance(value, np.ndarray):
            arrays[ARRAY + name] = value
        elif isinstance(value, frozenset):
            plain["sets"][name] = sorted(value)
        else:
            plain["values"][name] = value
    return plain, arrays


def metric_from_plain(plain: dict[str, Any], arrays: dict[str, AnyArray]) -> Embedded:
    """Return the metric that `metric_to_plain` took apart."""
    kind = KNOWN.get(plain.get("class", ""))
    if kind is None:
        raise ModelFileError(
            f"The index is by a metric {plain.get('class')!r} that is not known here. Update the "
            "program, or build the index again."
        )
    metric = object.__new__(kind)
    metric.__dict__.update(plain["values"])
    metric.__dict__.update({name: frozenset(value) for name, value in plain["sets"].items()})
    metric.__dict__.update(
        {name.removeprefix(ARRAY): a for name, a in arrays.items() if name.startswith(ARRAY)}
    )
    return metric
