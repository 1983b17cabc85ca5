"""scikit-learn's DistanceMetric objects, as the dissimilarities that they are."""

from __future__ import annotations

from typing import Any

import numpy as np

OBJECT_MODULE = "sklearn.metrics._dist_metrics"


def is_distance_object(metric: object) -> bool:
    """Return whether `metric` is an object that ``DistanceMetric.get_metric`` made."""
    return type(metric).__module__ == OBJECT_MODULE


def name_and_params(metric: Any) -> tuple[Any, dict[str, object]]:
    """Return the name, or the function, of a DistanceMetric, and its parameters.

    Examples
    --------
    >>> from sklearn.metrics import DistanceMetric
    >>> name_and_params(DistanceMetric.get_metric("minkowski", p=3))
    ('minkowski', {'p': 3.0})
    """
    name = type(metric).__name__.partition("Distance")[0].lower()
    power, vector, matrix, *rest = metric.__getstate__()
    if name == "pyfunc":
        return rest[0], dict(rest[1])
    params: dict[str, object] = {}
    if name == "minkowski":
        params["p"] = power
        if np.size(vector) > 1:
            params["w"] = np.asarray(vector)
    elif name == "seuclidean":
        params["V"] = np.asarray(vector)
    elif name == "mahalanobis":
        params["VI"] = np.asarray(matrix)
    return name, params
