"""How rows are compared, as searches and models take it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict


class MetricOptions(TypedDict, total=False):
    """The metric of a search."""

    metric: str
    metric_params: Mapping[str, object] | None


class MinkowskiOptions(MetricOptions, total=False):
    """The metric of a search, and the order of Minkowski's."""

    p: float


class NeighborOptions(MetricOptions, total=False):
    """The metric of a model of neighbors, and what it does about missing values."""

    missing: str


def metric_of(options: NeighborOptions) -> MetricOptions:
    """Return the metric alone, of rows that lack no value.

    Examples
    --------
    >>> metric_of({"metric": "gower", "missing": "present"})
    {'metric': 'gower'}
    """
    metric: NeighborOptions = {**options}
    metric.pop("missing", None)
    return metric
