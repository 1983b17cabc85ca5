"""Models of linear functions: PCA, discriminant analysis, ridge and logistic regression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.models.discriminant.linear_scores import linear_function
from lookalike.store.onnx.graph import Graph, Prediction, refuse
from lookalike.typing import Array

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def products(graph: Graph, X: str, weights: Array, center: Array | None = None) -> str:
    """Write the products of the rows, less a center, with the rows of `weights`."""
    if center is not None:
        X = graph.add("Sub", X, np.asarray(center, np.float64))
    return graph.add("MatMul", X, np.ascontiguousarray(np.asarray(weights, np.float64).T))


def of_scores(graph: Graph, scores: str, classes: Any) -> Prediction:
    """Write the class of the highest score, and the softmax of the scores."""
    place = graph.add("ArgMax", scores, axis=1, keepdims=0)
    return Prediction(place, graph.add("Softmax", scores, axis=1), classes)


def both_scores(graph: Graph, second: str) -> str:
    """Write the scores of two classes, of which that of the first is 0."""
    return graph.add("Concat", graph.add("Mul", second, 0.0), second, axis=1)


def pca(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write the scores of the rows along the principal directions."""
    if model.missing == "em":
        refuse(model, "it completes rows with missing values one by one")
    scores = products(graph, X, model.components_, model.mean_)
    if not model.whiten:
        return scores
    deviation = np.sqrt(np.asarray(model.explained_variance_, np.float64))
    return graph.add("Div", scores, np.where(deviation > 0, deviation, np.inf))


def discriminant_directions(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write the rows along the directions that separate the classes."""
    if model.solver == "lsqr":
        refuse(model, "solver='lsqr' finds no directions")
    directions = model.scalings_[:, : len(model.get_feature_names_out())]
    return products(graph, X, directions.T, model.xbar_)


def discriminant(model: BaseEstimator, graph: Graph, X: str) -> Prediction:
    """Write the most probable class by the linear function of each."""
    coef, constant, center = linear_function(model)
    scores = graph.add("Add", products(graph, X, coef, center), constant)
    if len(model.classes_) == 2:
        scores = both_scores(graph, scores)
    return of_scores(graph, scores, model.classes_)


def ridge(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write the prediction of a linear regression."""
    coef = np.atleast_2d(model.coef_)
    scores = graph.add("Add", products(graph, X, coef), np.atleast_1d(model.intercept_))
    if getattr(model, "target_range", None) is not None:
        low, high = map(float, model.target_range)
        scores = graph.add("Clip", scores, low, high)
    flat = np.ndim(model.coef_) == 1
    return graph.add("Squeeze", scores, np.array([1])) if flat else scores


def logistic(model: BaseEstimator, graph: Graph, X: str) -> Prediction:
    """Write the most probable class of a logistic regression of scikit-learn."""
    scores = graph.add("Add", products(graph, X, model.coef_), np.atleast_1d(model.intercept_))
    if len(model.classes_) == 2:
        scores = both_scores(graph, scores)
    return of_scores(graph, scores, model.classes_)


def components(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write the rows mapped by the matrix of neighborhood components analysis."""
    return products(graph, X, model.components_)


LINEAR_TRANSFORMERS = {
    "LinearDiscriminantAnalysis": discriminant_directions,
    "NeighborhoodComponentsAnalysis": components,
    "PCA": pca,
}
LINEAR_CLASSIFIERS = {"LinearDiscriminantAnalysis": discriminant, "LogisticRegression": logistic}
LINEAR_REGRESSORS = {"LinearRegression": ridge, "Ridge": ridge, "RidgeCV": ridge}
