"""Gaussian mixtures: densities of components, of mixtures, and of the mixtures of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.models.mixture.covariance_types import COVARIANCE_TYPES
from lookalike.store.onnx.graph import Graph, Prediction
from lookalike.store.onnx.linear import of_scores

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def log_components(model: BaseEstimator, graph: Graph, X: str) -> str:
    r"""Write :math:`\log \pi_k + \log N(x | \mu_k, \Sigma_k)` of every row and component."""
    n_components, n_features = model.means_.shape
    kind = COVARIANCE_TYPES[model.covariance_type]
    factors = kind.of_each(
        np.asarray(model.precisions_cholesky_, np.float64), n_components, n_features
    )
    columns = []
    for weight, mean, factor in zip(model.weights_, model.means_, factors, strict=True):
        centered = graph.add("Sub", X, np.asarray(mean, np.float64))
        along = graph.add("Mul" if kind.diagonal else "MatMul", centered, factor)
        squared = graph.add("ReduceSumSquare", along, np.array([1]), keepdims=1)
        diagonal = factor if kind.diagonal else np.diag(factor)
        with np.errstate(divide="ignore"):  # a component may have no weight
            size = np.log(weight) + np.log(diagonal).sum() - n_features / 2 * np.log(2 * np.pi)
        columns.append(graph.add("Add", graph.add("Mul", squared, -0.5), float(size)))
    return graph.add("Concat", *columns, axis=1)


def log_density(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write the logarithm of the density of every row, as a column."""
    each = log_components(model, graph, X)
    largest = graph.add("ReduceMax", each, np.array([1]), keepdims=1)
    total = graph.add("ReduceSum", graph.add("Exp", graph.add("Sub", each, largest)), np.array([1]))
    return graph.add("Add", graph.add("Log", total), largest)


def gaussian_mixture(model: BaseEstimator, graph: Graph, X: str) -> Prediction:
    """Write the most responsible component, and the responsibilities of all."""
    return of_scores(graph, log_components(model, graph, X), np.arange(len(model.means_)))


def mixture_classifier(model: BaseEstimator, graph: Graph, X: str) -> Prediction:
    """Write the most probable class by the mixture of each."""
    densities = [log_density(mixture, graph, X) for mixture in model.mixtures_]
    with np.errstate(divide="ignore"):  # a class may have no probability
        log_prior = np.log(model.class_prior_)
    scores = graph.add("Add", graph.add("Concat", *densities, axis=1), log_prior)
    return of_scores(graph, scores, model.classes_)


MIXTURE_CLASSIFIERS = {
    "GaussianMixture": gaussian_mixture,
    "GaussianMixtureClassifier": mixture_classifier,
}
