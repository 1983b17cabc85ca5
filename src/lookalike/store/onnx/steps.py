"""Pipelines, calibrated ones, and ensembles: which converter writes which step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.store.onnx import (
    basis_functions,
    columns,
    linear,
    mixtures,
    neighbors,
    tables,
    trees,
)
from lookalike.store.onnx.graph import Graph, Prediction, refuse

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


Inputs = Mapping[str, str]  # the inputs of a graph: columns of a table by name, or one matrix
MATRIX_INPUT = "X"
CONVERTERS_BY_KIND: dict[str, dict[str, Callable[..., Any]]] = {
    "transformer": {
        **columns.COLUMN_TRANSFORMERS,
        **linear.LINEAR_TRANSFORMERS,
        **basis_functions.BASIS_TRANSFORMERS,
    },
    "classifier": {
        **linear.LINEAR_CLASSIFIERS,
        **basis_functions.BASIS_CLASSIFIERS,
        **mixtures.MIXTURE_CLASSIFIERS,
        **neighbors.NEIGHBOR_CLASSIFIERS,
        **trees.TREE_CLASSIFIERS,
    },
    "regressor": {
        **linear.LINEAR_REGRESSORS,
        **basis_functions.BASIS_REGRESSORS,
        **neighbors.NEIGHBOR_REGRESSORS,
        **trees.TREE_REGRESSORS,
    },
}
SKLEARN_MODELS = ("LinearRegression", "LogisticRegression", "Ridge", "RidgeCV", "StandardScaler")


def preprocessor_of(model: BaseEstimator) -> Any:
    """Return what reads the columns of a table in a model; None where it reads a matrix."""
    first = model.steps[0][1] if hasattr(model, "steps") else model
    named = hasattr(first, "columns_") and hasattr(first, "feature_names_in_")
    return first if named else None


def convert(model: BaseEstimator, graph: Graph, inputs: Inputs) -> Prediction | str:
    """Write a model: what a classifier predicts, or the numbers that it returns."""
    steps = [step for _, step in getattr(model, "steps", [("", model)])]
    X = inputs.get(MATRIX_INPUT, "")
    if preprocessor_of(model) is not None:
        X = tables.encode_table(steps[0], graph, inputs)
        steps = steps[1:]
        if not steps:
            return X
    *before, last = steps
    for step in before:
        if step is not None and step != "passthrough":
            X = _converter("transformer", step)(step, graph, X)
    result = _answers(last, graph, X)
    calibration = getattr(model, "calibration", None)
    if calibration is not None and isinstance(result, Prediction):
        result = result._replace(shares=_calibrated(calibration, graph, result.shares))
    return result


def _answers(model: BaseEstimator, graph: Graph, X: str) -> Prediction | str:
    """Write what the last step of a pipeline returns."""
    if hasattr(model, "members_"):
        return _ensemble(model, graph, X)
    kinds = ("classifier", "regressor", "transformer")
    kind = next((kind for kind in kinds if _find(kind, model)), kinds[0])
    result: Prediction | str = _converter(kind, model)(model, graph, X)
    return result


def _converter(kind: str, model: BaseEstimator) -> Callable[..., Any]:
    """Return what writes a model of a kind, or raise where nothing does."""
    found = _find(kind, model)
    if found is None:
        refuse(model, "there is no converter for it; docs/model_files.md lists those there are")
    return found


def _find(kind: str, model: BaseEstimator) -> Callable[..., Any] | None:
    name, module = type(model).__name__, type(model).__module__
    if not module.startswith("lookalike.") and name not in SKLEARN_MODELS:
        return None
    return CONVERTERS_BY_KIND[kind].get(name)


def _ensemble(model: BaseEstimator, graph: Graph, X: str) -> Prediction | str:
    """Write the weighted mean of what the members predict."""
    total: str | None = None
    for (_, member), weight in zip(model.members_, model.weights_.tolist(), strict=True):
        outputs = convert(member, graph, {MATRIX_INPUT: X})
        if isinstance(outputs, Prediction):
            position = np.searchsorted(model.classes_, np.asarray(outputs.classes))
            outputs = graph.add("MatMul", outputs.shares, np.eye(len(model.classes_))[position])
        outputs = graph.add("Mul", outputs, weight)
        total = outputs if total is None else graph.add("Add", total, outputs)
    if total is None:
        refuse(model, "it has no members")
    if not hasattr(model, "classes_"):
        return total
    place = graph.add("ArgMax", total, axis=1, keepdims=0)
    return Prediction(place, total, model.classes_)


def _calibrated(calibration: Any, graph: Graph, shares: str) -> str:
    """Write calibrated probabilities, as TemperatureScaling computes them."""
    kept = graph.add("Mul", shares, 1.0 - calibration.shrinkage)
    mixed = graph.add("Add", kept, calibration.shrinkage * np.asarray(calibration.prior))
    even = graph.add("Add", kept, calibration.shrinkage / len(calibration.prior))
    best, turned = (graph.add("ArgMax", value, axis=1, keepdims=1) for value in (shares, mixed))
    mixed = graph.add("Where", graph.add("Equal", best, turned), mixed, even)
    largest = graph.add("ReduceMax", mixed, np.array([1]), keepdims=1)
    power = graph.add("Pow", graph.add("Div", mixed, largest), 1.0 / calibration.temperature)
    return graph.add("Div", power, graph.add("ReduceSum", power, np.array([1]), keepdims=1))
