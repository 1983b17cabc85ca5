"""Share of each feature in the distances between a query and training rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from lookalike.data.targets import one_a_row
from lookalike.errors import ShapeError
from lookalike.kernels.native_arrays import as_dense
from lookalike.models.neighbors.training_rows import training_rows
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def one_row(x: Any) -> object:
    """Return `x` as a table of one row, or raise."""
    if nw.dependencies.is_into_dataframe(x) or sp.issparse(x):
        table = x
    else:
        table = one_a_row(x, "x")
        table = table[None] if table.ndim == 1 else table
    if table.shape[0] != 1:
        raise ShapeError(f"x holds {table.shape[0]} rows. Give one row, or explain each in turn.")
    return table


def named_shares(model: BaseEstimator, query: object, row: Rows) -> tuple[Array | None, AnyArray]:
    """Return the shares of the features in some distances, and their names or x0, x1 and so on."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = np.array([f"x{j}" for j in range(model.n_features_in_)])
    return feature_shares(model, query, row), names


def feature_shares(model: BaseEstimator, query: object, row: Rows) -> Array | None:
    """Return each feature's share of the distances to some training rows.

    None where a distance is not a sum over features, as that of a forest. A cosine distance is half
    the squared Euclidean distance of rows of length one, and Gower's the mean over columns.
    """
    rows = training_rows(model)
    metric = getattr(model, "effective_metric_", "")
    parameters = dict(getattr(model, "effective_metric_params_", {}) or {})
    if metric in ("cosine", "gower") and (isinstance(rows, np.ndarray) or sp.issparse(rows)):
        near, dense_query = _dense(rows[row]), _dense(query)
        if metric == "cosine":
            return _shares(_cosine_terms(near, dense_query))
        gower = model.space_.index.metric
        return _shares(gower.column_terms(gower.rows(dense_query), gower.rows(near)))
    power = {"euclidean": 2.0, "sqeuclidean": 2.0, "manhattan": 1.0}.get(metric)
    if metric == "minkowski":
        power = float(parameters.get("p", model.p))
    if power is None or not (isinstance(rows, np.ndarray) or sp.issparse(rows)):
        return None
    terms = np.abs(_dense(rows[row]) - _dense(query)) ** power
    if parameters.get("w") is not None:
        terms = terms * np.asarray(parameters["w"], np.float64)
    return _shares(terms)


def _dense(rows: object) -> Array:
    dense = np.asarray(as_dense(rows))
    return np.asarray(dense, np.float64)


def _shares(terms: Array) -> Array:
    """Return terms as shares of the sum of each row; zeros where that is zero."""
    total = terms.sum(axis=1, keepdims=True)
    shares: Array = np.divide(terms, total, out=np.zeros_like(terms), where=total > 0)
    return shares


def _cosine_terms(near: Array, query: Array) -> Array:
    """Return the terms of half the squared distance of unit rows, which is the cosine distance."""

    def unit(part: Array) -> Array:
        length = np.sqrt((part**2).sum(axis=1, keepdims=True))
        scaled: Array = np.divide(part, length, out=np.zeros_like(part), where=length > 0)
        return scaled

    terms: Array = (unit(near) - unit(query)) ** 2 / 2
    return terms


def ranked_features(shares: Array | None, names: AnyArray) -> list[tuple[str, float]]:
    """Return the features by their mean share of the distances that are not zero."""
    if shares is None:
        return []
    distinct = shares[shares.sum(axis=1) > 0]
    mean = distinct.mean(axis=0) if len(distinct) else np.zeros(len(names))
    order = np.argsort(-mean, kind="stable")
    return [(str(names[j]), float(mean[j])) for j in order]
