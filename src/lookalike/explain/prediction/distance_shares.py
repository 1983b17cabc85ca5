"""Share of each feature in the distances between a query and training rows."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from lookalike.data.targets import one_a_row
from lookalike.errors import ShapeError
from lookalike.typing import AnyArray, Array, Rows


def one_row(x: Any) -> Any:
    """Return `x` as a table of one row, or raise."""
    if nw.dependencies.is_into_dataframe(x) or sp.issparse(x):
        table = x
    else:
        table = one_a_row(x, "x")
        table = table[None] if table.ndim == 1 else table
    if table.shape[0] != 1:
        raise ShapeError(f"x holds {table.shape[0]} rows. Give one row, or explain each in turn.")
    return table


def feature_names(model: Any) -> AnyArray:
    """Return the names of the training columns, or x0, x1 and so on."""
    named = getattr(model, "feature_names_in_", None)
    return np.array([f"x{j}" for j in range(model.n_features_in_)]) if named is None else named


def feature_shares(model: Any, query: Any, row: Rows) -> Array | None:
    """Return each feature's share of the distances to some training rows.

    None where a distance is no sum over features, as that of a forest.
    """
    rows: Any = getattr(model, "_fit_X", None)
    metric = getattr(model, "effective_metric_", "")
    parameters = dict(getattr(model, "effective_metric_params_", {}) or {})
    power = {"euclidean": 2.0, "sqeuclidean": 2.0, "manhattan": 1.0}.get(metric)
    if metric == "minkowski":
        power = float(parameters.get("p", model.p))
    if power is None or not (isinstance(rows, np.ndarray) or sp.issparse(rows)):
        return None
    near, here = rows[row], query
    near, here = (
        part.toarray() if sp.issparse(part) else np.asarray(part) for part in (near, here)
    )
    terms = np.abs(near.astype(np.float64) - here.astype(np.float64)) ** power
    if parameters.get("w") is not None:
        terms = terms * np.asarray(parameters["w"], np.float64)
    total = terms.sum(axis=1, keepdims=True)
    shares: Array = np.divide(terms, total, out=np.zeros_like(terms), where=total > 0)
    return shares


def ranked_features(shares: Array | None, names: AnyArray) -> list[tuple[str, float]]:
    """Return the features by their mean share of the distances that are not zero."""
    if shares is None:
        return []
    distinct = shares[shares.sum(axis=1) > 0]
    mean = distinct.mean(axis=0) if len(distinct) else np.zeros(len(names))
    order = np.argsort(-mean, kind="stable")
    return [(str(names[j]), float(mean[j])) for j in order]
