"""Models of basis functions and kernels: RBF networks, kernel ridge regression, kernel PCA."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.models.decomposition.kernel_pca import centered_kernel
from lookalike.store.onnx.distances import squared_distances
from lookalike.store.onnx.graph import Graph, Prediction, refuse
from lookalike.store.onnx.linear import of_scores, products

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def network_outputs(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write the outputs of an RBF network, of kernel ridge regression too: (rows, outputs)."""
    squared = squared_distances(graph, X, model.centers_)
    width = float(model.width_)
    basis = (
        _normalized(graph, squared, width) if model.normalized else _gaussian(graph, squared, width)
    )
    weights = np.atleast_2d(model.coef_).T  # (centers, outputs)
    return graph.add("Add", graph.add("MatMul", basis, weights), np.atleast_1d(model.intercept_))


def _gaussian(graph: Graph, squared: str, width: float) -> str:
    scaled = graph.add("Div", graph.add("Sqrt", squared), width)
    return graph.add("Exp", graph.add("Mul", graph.add("Mul", scaled, scaled), -0.5))


def _normalized(graph: Graph, squared: str, width: float) -> str:
    """Write the basis functions divided by their sum, measured from the nearest center."""
    distance = graph.add("Sqrt", squared)
    nearest = graph.add("ReduceMin", distance, np.array([1]), keepdims=1)
    difference = graph.add("Div", graph.add("Sub", distance, nearest), width)
    total = graph.add("Div", graph.add("Add", distance, nearest), width)
    basis = graph.add("Exp", graph.add("Mul", graph.add("Mul", difference, total), -0.5))
    return graph.add("Div", basis, graph.add("ReduceSum", basis, np.array([1]), keepdims=1))


def rbf_classifier(model: BaseEstimator, graph: Graph, X: str) -> Prediction:
    """Write the class of the largest output, and the shares that outputs stand for."""
    outputs = network_outputs(model, graph, X)
    if model.output == "logistic":
        return of_scores(graph, outputs, model.classes_)
    place = graph.add("ArgMax", outputs, axis=1, keepdims=0)
    clipped = graph.add("Clip", outputs, 0.0, 1.0)
    total = graph.add("ReduceSum", clipped, np.array([1]), keepdims=1)
    largest = graph.add("ReduceMax", outputs, np.array([1]), keepdims=1)
    best = graph.as_doubles(graph.add("Equal", outputs, largest))
    shares = graph.add("Where", graph.add("Greater", total, 0.0), clipped, best)
    total = graph.add("ReduceSum", shares, np.array([1]), keepdims=1)
    return Prediction(place, graph.add("Div", shares, total), model.classes_)


def rbf_regressor(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write the prediction of an RBF network."""
    outputs = network_outputs(model, graph, X)
    return graph.add("Squeeze", outputs, np.array([1])) if np.ndim(model.coef_) == 1 else outputs


def kernel_pca(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write the scores of the rows along the principal directions of a kernel."""
    kernel, columns = centered_kernel(model)
    if not isinstance(kernel.name, str) or kernel.name == "precomputed":
        refuse(model, "its kernel is a function, or not of rows")
    rows = np.asarray(model.X_fit_, np.float64)
    gram = graph.add("Sub", _gram(kernel, graph, X, rows), columns)
    return graph.add("MatMul", gram, model.axes_)


def _gram(kernel: Any, graph: Graph, X: str, rows: Any) -> str:
    """Write the kernel of the rows of `X` with other rows."""
    if kernel.name == "rbf":
        squared = squared_distances(graph, X, rows)
        return graph.add("Exp", graph.add("Mul", squared, -float(kernel.gamma)))
    if kernel.name == "linear":
        shift = kernel.shift
        return products(graph, X, rows if shift is None else rows - shift, shift)
    if kernel.name == "cosine":
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
        length = graph.add("ReduceL2", X, np.array([1]), keepdims=1)
        divisor = graph.add("Where", graph.add("Greater", length, 0.0), length, 1.0)
        return products(graph, graph.add("Div", X, divisor), rows)
    scaled = graph.add("Mul", products(graph, X, rows), float(kernel.gamma))
    scaled = graph.add("Add", scaled, float(kernel.coef0))
    if kernel.name == "sigmoid":
        return graph.add("Tanh", scaled)
    return graph.add("Pow", scaled, float(kernel.degree))


BASIS_TRANSFORMERS = {"KernelPCA": kernel_pca}
BASIS_CLASSIFIERS = {"RBFNetworkClassifier": rbf_classifier}
BASIS_REGRESSORS = {"RBFNetworkRegressor": rbf_regressor}
