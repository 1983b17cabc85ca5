"""K nearest neighbors: exact distances, row by row, and votes with every rule for ties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.models.neighbors.training_rows import training_rows
from lookalike.models.neighbors.voting_rules import voting_rules
from lookalike.store.onnx.distances import for_each_row
from lookalike.store.onnx.graph import Graph, Prediction, refuse

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


SPARE_NEIGHBORS = 32  # searched for beyond K, which decide nearly every tie
EUCLIDEAN_METRICS = ("euclidean", "l2", "minkowski")


def neighbors_classifier(model: BaseEstimator, graph: Graph, X: str) -> Prediction:
    """Write the class that wins the vote of the nearest rows, and the shares of the votes."""
    rows = _rows(model)
    if model.outputs_2d_:
        refuse(model, "it has several outputs")
    (rule,) = voting_rules(model)
    vote = _Vote(model, rule, len(rows))

    def body(inner: Graph, distance: str) -> Sequence[str]:
        narrow = min(len(rows), vote.k + SPARE_NEIGHBORS)
        place, shares, decided = vote.write(inner, distance, narrow)
        if narrow == len(rows):
            return place, shares

        def widened(branch: Graph, _: Sequence[str]) -> Sequence[str]:
            return vote.write(branch, distance, len(rows))[:2]

        def as_it_is(_: Graph, __: Sequence[str]) -> Sequence[str]:
            return place, shares

        return inner.add_several(
            "If",
            2,
            decided,
            then_branch=inner.subgraph(as_it_is),
            else_branch=inner.subgraph(widened),
        )

    place, shares = for_each_row(graph, X, rows, body, 2)
    return Prediction(place, shares, model.classes_)


def neighbors_regressor(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write the mean target of the nearest rows."""
    rows, targets = _rows(model), np.asarray(model.targets_.values, np.float64)
    k = min(int(model.n_neighbors_), len(rows))
    held = graph.name_of(targets)

    def body(inner: Graph, squared: str) -> Sequence[str]:
        distance, row = _nearest(inner, squared, k)
        weight = _weights(inner, distance, model.weights, k)
        weight = inner.add("Div", weight, inner.add("ReduceSum", weight, np.array([0]), keepdims=1))
        near = inner.add("Gather", held, row, axis=0)
        weighted = inner.add("Mul", near, inner.add("Unsqueeze", weight, np.array([1])))
        return [inner.add("ReduceSum", weighted, np.array([0]), keepdims=0)]

    (mean,) = for_each_row(graph, X, rows, body, 1)
    return graph.add("Squeeze", mean, np.array([1])) if model.targets_.flat else mean


class _Vote:
    """The votes for one row, after each of its neighbors, and after which of them they count."""

    def __init__(self, model: BaseEstimator, rule: Any, n_rows: int) -> None:
        self.k, self.n_rows, self.rule = min(int(model.n_neighbors_), n_rows), n_rows, rule
        self.classes = np.eye(rule.n_classes)[model.targets_.codes[:, 0]]

    def write(self, graph: Graph, squared: str, width: int) -> tuple[str, str, str]:
        """Write the place of the winner, the shares, and whether these neighbors decide."""
        distance, row = _nearest(graph, squared, width)
        label = graph.add("Gather", self.classes, row, axis=0)  # (width, classes)
        weight = _weights(graph, distance, self.rule.weights, width)
        each = graph.add("Mul", label, graph.add("Unsqueeze", weight, np.array([1])))
        votes = graph.add("CumSum", each, 0)
        if self.rule.class_weight is not None:
            votes = graph.add("Mul", votes, self.rule.class_weight)
        leads = self._leads(graph, votes)
        n_leading = graph.add("ReduceSum", leads, np.array([1]), keepdims=0)
        alone = graph.as_integers(graph.add("Equal", n_leading, 1.0))
        last, decided = self._last(graph, distance, alone, width)
        shares = graph.add("Gather", votes, last, axis=0)
        leading = self._break_ties(graph, graph.add("Gather", leads, last, axis=0), label, distance)
        total = graph.add("ReduceSum", shares, np.array([0]), keepdims=1)
        place = graph.add("ArgMax", leading, axis=0, keepdims=0)
        return place, graph.add("Div", shares, total), decided

    def _leads(self, graph: Graph, votes: str) -> str:
        """Write 1 for the classes that lead after each neighbor, else 0."""
        if self.rule.cost is None:
            merit = votes
        else:
            merit = graph.add("Neg", graph.add("MatMul", votes, self.rule.cost))
        largest = graph.add("ReduceMax", merit, np.array([1]), keepdims=1)
        return graph.as_doubles(graph.add("Equal", merit, largest))

    def _last(self, graph: Graph, distance: str, alone: str, width: int) -> tuple[str, str]:
        """Write the place of the last neighbor that votes, and whether it is among these."""
        yes = graph.add("Equal", 1, 1)
        if self.rule.ties == "fewer":
            places = graph.add(
                "Mul", alone, np.where(np.arange(width) < self.k, np.arange(width), 0)
            )
            return graph.add("ReduceMax", places, keepdims=0), yes
        if self.rule.ties != "grow":
            return graph.name_of(np.array(self.k - 1)), yes
        counted = (np.arange(width) >= self.k - 1).astype(np.int64)
        if width == 1:
            return graph.name_of(np.array(0)), yes
        nearer, farther = (
            graph.add("Slice", distance, np.array([start]), np.array([width - 1 + start]))
            for start in (0, 1)
        )
        ends = graph.as_integers(graph.add("Greater", farther, nearer))
        complete = width == self.n_rows  # then no row is left, and the last one decides
        settled = graph.add(
            "Mul", graph.add("Concat", ends, np.array([int(complete)]), axis=0), alone
        )
        if complete:
            settled = graph.add("Max", settled, (np.arange(width) == width - 1).astype(np.int64))
        settled = graph.add("Mul", settled, counted)
        found = graph.add("ReduceMax", settled, keepdims=0)
        last = graph.add("ArgMax", graph.as_doubles(settled), axis=0, keepdims=0)
        return last, graph.add("Equal", found, 1)

    def _break_ties(self, graph: Graph, leads: str, label: str, distance: str) -> str:
        """Write what decides between leading classes, the more the better."""
        if self.rule.ties == "prior":
            prior = np.asarray(self.rule.class_prior, np.float64)
            return graph.add("Where", graph.add("Greater", leads, 0.0), prior, -1.0)
        if self.rule.ties != "nearest":
            return leads
        of_voters = np.array([0]), np.array([self.k]), np.array([0])
        label, distance = (graph.add("Slice", value, *of_voters) for value in (label, distance))
        far = graph.add("Unsqueeze", distance, np.array([1]))
        of_class = graph.add("Where", graph.add("Greater", label, 0.0), far, np.inf)
        nearest = graph.add("ReduceMin", of_class, np.array([0]), keepdims=0)
        reached = graph.add("Where", graph.add("Greater", leads, 0.0), nearest, np.inf)
        return graph.add("Neg", reached)


def _rows(model: BaseEstimator) -> Any:
    """Return the training rows, or raise where they are compared in another way."""
    space, rows = model.space_, training_rows(model)
    metric = model.effective_metric_
    if metric not in EUCLIDEAN_METRICS or model.metric_params or model.p not in (None, 2):
        refuse(model, f"rows are compared by {metric!r}, and ONNX here knows euclidean distances")
    if rows is None or not isinstance(rows, np.ndarray):
        refuse(model, "its rows are sparse or not in memory")
    if space.weight is not None or space.codes is not None or space.imputer is not None:
        refuse(model, "its rows have weights, categories or missing values")
    if callable(model.weights):
        refuse(model, "weights is a function")
    return np.asarray(rows, np.float64)


def _nearest(graph: Graph, squared: str, k: int) -> tuple[str, str]:
    """Write the distances and numbers of the nearest rows; equal ones go by row number."""
    distance, row = graph.add_several(
        "TopK", 2, squared, np.array([k]), axis=0, largest=0, sorted=1
    )
    return graph.add("Sqrt", distance), row


def _weights(graph: Graph, distance: str, weights: str, width: int) -> str:
    """Write how much each neighbor counts for its nearness."""
    if weights == "uniform":
        return graph.name_of(np.ones(width))
    first = graph.add("Slice", distance, np.array([0]), np.array([1]), np.array([0]))
    positive = graph.add("Where", graph.add("Greater", distance, 0.0), distance, 1.0)
    ratio = graph.add("Div", first, positive)
    here = graph.as_doubles(graph.add("Equal", distance, 0.0))
    return graph.add("Where", graph.add("Greater", first, 0.0), ratio, here)


NEIGHBOR_CLASSIFIERS = {"KNeighborsClassifier": neighbors_classifier}
NEIGHBOR_REGRESSORS = {"KNeighborsRegressor": neighbors_regressor}
