"""What a search of rows, or of a fitted model, will do and cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lookalike.index.plan import SearchPlan, plan_of_rows
from lookalike.kernels.metrics import Metric
from lookalike.models.estimator import check_is_fitted
from lookalike.models.neighbors.neighbors_model import NeighborsModel
from lookalike.validation import typed

if TYPE_CHECKING:
    from lookalike.data.chunk import Matrix

UNMEASURED_INDEXES = ("chunks", "cluster", "gpu_exact")


@typed
def search_plan(
    X: Matrix | NeighborsModel,
    k: int | None = None,
    *,
    n_queries: int | None = None,
    metric: str | Metric = "euclidean",
    p: float | None = 2,
    metric_params: Mapping[str, object] | None = None,
    algorithm: str = "auto",
) -> SearchPlan:
    """Return which index a search uses, why, and about what it costs.

    Some queries are searched for, in a sample of the rows where these are many, and the times are
    stretched to all. Queries that are searched for together share work where they are near each
    other, so that these are taken from few places, as near to each other as all of them are.

    Parameters
    ----------
    X : array of shape (n_rows, n_features), or a fitted model
        The rows to search; or a model that searches, such as
        :class:`lookalike.NearestNeighbors`, whose metric and algorithm are then used.
    k : int, optional
        Neighbors of each query; 5, or that of the model, when None.
    n_queries : int, optional
        How many queries; as many as there are rows when None.
    metric, p, metric_params, algorithm
        As in :class:`lookalike.NearestNeighbors`; not looked at where a model is given.

    Examples
    --------
    >>> import lookalike, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> lookalike.neighbors.search_plan(X, k=3).index
    'kd_tree'
    >>> lookalike.neighbors.search_plan(lookalike.NearestNeighbors(3).fit(X)).index
    'kd_tree'
    """
    if isinstance(X, NeighborsModel):
        return _plan_of_model(X, k, n_queries)
    return plan_of_rows(
        X,
        5 if k is None else k,
        n_queries=n_queries,
        metric=metric,
        p=p,
        metric_params=metric_params,
        algorithm=algorithm,
    )


def _plan_of_model(model: NeighborsModel, k: int | None, n_queries: int | None) -> SearchPlan:
    check_is_fitted(model)
    space = model.space_
    chosen = model.decisions_.about("index")[0]
    if chosen.choice in UNMEASURED_INDEXES:
        return SearchPlan(chosen.choice, chosen.reason, np.nan, np.nan, 0)
    options, coded = space.options, space.codes is not None  # the metric was made for the codes
    metric = options.metric_by(space.codes)
    planned = plan_of_rows(
        space.rows,
        model._default_k() if k is None else k,
        n_queries=n_queries,
        metric=getattr(space.index, "metric", metric) if coded else metric,
        p=options.p,
        metric_params=None if coded else options.metric_params,
        algorithm=options.algorithm,
    )
    others = [
        f"; {decision.about} {decision.choice}"
        for decision in model.decisions_.about("exact search")
    ]
    return replace(planned, reason=planned.reason + "".join(others))
