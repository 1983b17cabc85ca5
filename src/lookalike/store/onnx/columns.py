"""Models of single columns: scalers, imputers, a range of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.store.onnx.graph import Graph, refuse

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def standard_scaler(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write the z-scores of the columns."""
    if model.with_mean:
        X = graph.add("Sub", X, model.mean_)
    return X if model.scale_ is None else graph.add("Div", X, model.scale_)


def min_max_scaler(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write the columns in their range."""
    scaled = graph.add("Add", graph.add("Mul", X, model.scale_), model.min_)
    low, high = map(float, model.feature_range)
    return graph.add("Clip", scaled, low, high) if model.clip else scaled


def simple_imputer(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write the columns with missing numbers filled, without those that had none."""
    if model.statistics_.dtype.kind != "f" or getattr(model, "add_indicator", False):
        refuse(model, "it fills categories, or adds columns that say what was missing")
    fill = np.nan_to_num(model.statistics_)
    filled = graph.add("Where", graph.add("IsNaN", X), fill, X)
    dropped = np.flatnonzero(np.isnan(model.statistics_))
    kept = np.delete(np.arange(len(fill)), dropped)
    return graph.add("Gather", filled, kept, axis=1) if len(dropped) else filled


def feature_range(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write some consecutive columns."""
    columns = model.columns_
    ends = np.array([columns.start]), np.array([columns.stop]), np.array([1])
    return graph.add("Slice", X, *ends)


COLUMN_TRANSFORMERS = {
    "FeatureRange": feature_range,
    "MinMaxScaler": min_max_scaler,
    "SimpleImputer": simple_imputer,
    "StandardScaler": standard_scaler,
}
