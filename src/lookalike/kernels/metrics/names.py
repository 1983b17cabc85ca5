"""Names of dissimilarities: those of scikit-learn and scipy, with their aliases and parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.kernels.metrics.angular import Correlation, Cosine, InnerProduct
from lookalike.kernels.metrics.base import (
    IDENTITY_AXIOM,
    NONNEGATIVITY_AXIOM,
    SYMMETRY_AXIOM,
    TRIANGLE_AXIOM,
    Metric,
)
from lookalike.kernels.metrics.custom import (
    CompiledFunction,
    Precomputed,
    PythonFunction,
    address_of,
)
from lookalike.kernels.metrics.distance_objects import is_distance_object, name_and_params
from lookalike.kernels.metrics.gower import Gower
from lookalike.kernels.metrics.minkowski import Euclidean, Minkowski, SquaredEuclidean, minkowski
from lookalike.kernels.metrics.nan_euclidean import NanEuclidean
from lookalike.kernels.metrics.quadratic import Mahalanobis, StandardizedEuclidean
from lookalike.kernels.metrics.ratios import BrayCurtis, Canberra
from lookalike.kernels.metrics.set_metrics import BINARY_FORMS, BinaryMetric, Hamming, Jaccard
from lookalike.kernels.metrics.sphere import Haversine
from lookalike.kernels.native_arrays import table_shape
from lookalike.validation import is_function, shown, typed

METRIC_ALIASES = {
    "l1": "manhattan",
    "cityblock": "manhattan",
    "l2": "euclidean",
    "p": "minkowski",
    "infinity": "chebyshev",
    "ip": "inner_product",
}


def metric_from(
    metric: str | Metric | Callable[..., float] | object,
    p: float | None = 2,
    metric_params: Mapping[str, object] | None = None,
    X: object = None,
) -> Metric:
    """Return the dissimilarity that `metric` names, made for the training rows `X`.

    Parameters
    ----------
    metric : str, Metric, or function
        A name of `METRIC_NAMES` or `METRIC_ALIASES`; a compiled function (see
        `CompiledFunction`); or a Python function of two rows, which is given `metric_params`
        as keywords.
    p : float
        Order of "minkowski"; others take no notice of it, as in scikit-learn.
    metric_params : mapping, optional
        Parameters of the metric: ``w``, ``V``, ``VI``, ``p``, ``zero``, ``categorical``,
        ``min_shared``.
    X : rows
        What is measured where a parameter is not given: the covariance of "mahalanobis", the
        variances of "seuclidean", the ranges of "gower", the number of columns of "hamming".

    Examples
    --------
    >>> metric = metric_from("minkowski", p=1)
    >>> metric.name, sorted(metric.axioms)
    ('manhattan', ['identity', 'nonnegative', 'symmetry', 'triangle'])
    """
    if metric_params is not None and not isinstance(metric_params, Mapping):
        raise ParameterTypeError(
            f"metric_params={shown(metric_params)} is not a mapping. Give one."
        )
    params = dict(metric_params or {})
    if isinstance(metric, Metric):
        if params:
            raise ParameterError(
                f"metric_params={params} is given with a Metric. Make the Metric with them."
            )
        return metric
    if is_distance_object(metric):
        if params:
            raise ParameterError(
                f"metric_params={params} is given with a DistanceMetric. Make it with them."
            )
        metric, params = name_and_params(metric)
    if not isinstance(metric, str):
        return _from_function(metric, params)
    name = METRIC_ALIASES.get(metric.lower(), metric.lower())
    if name not in METRIC_NAMES:
        raise ParameterError(f"metric={metric!r} is not known. Give one of {sorted(METRIC_NAMES)}.")
    make, accepted = METRIC_NAMES[name]
    unknown = [key for key in params if key not in accepted]
    if unknown:
        known = f"one of {list(accepted)}" if accepted else "none"
        raise ParameterError(f"metric_params names {unknown}; metric={metric!r} takes {known}.")
    if name == "minkowski":
        params.setdefault("p", p)
    return make(X, **params)


@typed
def metric_axioms(
    metric: str | Metric | Callable[..., float] | Any = "euclidean",
    p: float = 2,
    metric_params: Mapping[str, Any] | None = None,
    X: object = None,
) -> dict[str, bool]:
    """Return which axioms of a metric hold for a dissimilarity, for all rows that it accepts.

    These are: no distance is negative; only equal rows have distance 0 (identity); d(x, y) is
    d(y, x) (symmetry); no way around is shorter, d(x, z) <= d(x, y) + d(y, z) (triangle).

    Parameters
    ----------
    metric, p, metric_params
        As in :class:`lookalike.NearestNeighbors`.
    X : rows, optional
        The training rows, on which some depend: a Mahalanobis distance whose covariance is
        singular has no identity, and "gower" over missing values neither that nor the triangle
        inequality. Where absent, rows without such gaps.

    Examples
    --------
    >>> metric_axioms("sqeuclidean")
    {'nonnegative': True, 'identity': True, 'symmetry': True, 'triangle': False}
    """
    if X is None:
        given = dict(metric_params or {})
        sizes = [len(given[name]) for name in ("w", "V", "VI") if given.get(name) is not None]
        width = sizes[0] if sizes else 2
        X = np.concatenate([np.zeros((1, width)), np.eye(width)])
    holds = metric_from(metric, p, metric_params, X).axioms
    return {
        name: name in holds
        for name in (NONNEGATIVITY_AXIOM, IDENTITY_AXIOM, SYMMETRY_AXIOM, TRIANGLE_AXIOM)
    }


def _from_function(function: object, params: dict[str, object]) -> Metric:
    if address_of(function) is not None:
        if params:
            raise ParameterError(
                f"metric_params={params} cannot reach a compiled function. Compile them in."
            )
        return CompiledFunction(function)
    if is_function(function):
        return PythonFunction(function, params)
    raise ParameterTypeError(
        f"metric={shown(function)} is not a name, a Metric or a function. Give one of them."
    )


def _measure(X: object, name: str) -> Any:
    if X is None:
        raise ParameterError(f"metric={name!r} measures the training rows. Give X.")
    return X


def _ones(X: object, w: object, name: str) -> Any:
    return np.ones(table_shape(_measure(X, name))[1]) if w is None else w


def _mahalanobis(X: Any, V: Any = None, VI: Any = None) -> Metric:
    if V is not None and VI is not None:
        raise ParameterError("V and VI are both given. Give one of them.")
    return Mahalanobis(V, VI) if X is None else Mahalanobis.of(X, V, VI)


def _seuclidean(X: object, V: Any = None) -> Metric:
    if V is None:
        return StandardizedEuclidean.of(_measure(X, "seuclidean"))
    return StandardizedEuclidean(V)


# name -> how it is made of the training rows and its parameters, and which it takes
METRIC_NAMES: dict[str, tuple[Callable[..., Metric], tuple[str, ...]]] = {
    "euclidean": (lambda _, w=None: Euclidean(w), ("w",)),
    "sqeuclidean": (lambda _, w=None: SquaredEuclidean(w), ("w",)),
    "manhattan": (lambda _, w=None: Minkowski(1, w), ("w",)),
    "chebyshev": (lambda _, w=None: Minkowski(np.inf, w), ("w",)),
    "minkowski": (lambda _, p, w=None: minkowski(p, w), ("p", "w")),
    "mahalanobis": (_mahalanobis, ("V", "VI")),
    "seuclidean": (_seuclidean, ("V",)),
    "cosine": (lambda _, zero="error": Cosine(zero), ("zero",)),
    "correlation": (lambda _, zero="error": Correlation(zero), ("zero",)),
    "inner_product": (lambda _: InnerProduct(), ()),
    "hamming": (lambda X, w=None: Hamming(_ones(X, w, "hamming")), ("w",)),
    "jaccard": (lambda _: Jaccard(), ()),
    "haversine": (lambda _: Haversine(), ()),
    "braycurtis": (lambda _: BrayCurtis(), ()),
    "canberra": (lambda _: Canberra(), ()),
    **{name: (lambda _, name=name: BinaryMetric(name), ()) for name in BINARY_FORMS},
    "nan_euclidean": (lambda X, w=None: NanEuclidean(_ones(X, w, "nan_euclidean")), ("w",)),
    "gower": (
        lambda X, w=None, categorical=(), min_shared=0.0: Gower(
            _measure(X, "gower"), w, categorical, min_shared
        ),
        ("w", "categorical", "min_shared"),
    ),
    "precomputed": (lambda _: Precomputed(), ()),
}
