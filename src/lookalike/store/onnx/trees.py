"""Forests and boosted trees: float32 thresholds, float64 sums, missing values as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.models.trees.float32_rows import LARGEST_FLOAT32
from lookalike.models.trees.forest_arrays import split_nodes
from lookalike.models.trees.tree_neighbors import TreeArrays, tree_arrays
from lookalike.store.onnx.graph import ML_DOMAIN, Graph, Prediction, onnx_package
from lookalike.store.onnx.linear import both_scores, of_scores
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def forest_means(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write the mean of the leaf values over the trees, (rows, outputs)."""
    arrays = tree_arrays(model)
    total = _leaf_sums(graph, _compared(arrays, graph, X), arrays.trees)
    return graph.add("Div", total, float(arrays.trees.n_trees))


def forest_classifier(model: BaseEstimator, graph: Graph, X: str) -> Prediction:
    """Write the most probable class by the shares in the leaves."""
    shares = forest_means(model, graph, X)
    place = graph.add("ArgMax", shares, axis=1, keepdims=0)
    return Prediction(place, shares, model.classes_)


def forest_regressor(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write the mean target of the leaves."""
    mean = forest_means(model, graph, X)
    return graph.add("Squeeze", mean, np.array([1])) if tree_arrays(model).one_output else mean


def boosted_scores(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write the sum of the leaf values and the start, (rows, outputs)."""
    arrays = tree_arrays(model)
    rows, n_trees = _compared(arrays, graph, X), float(arrays.trees.n_trees)
    if arrays.statistics is not None:
        rows = _target_statistics(arrays.statistics, graph, rows)
    mean = graph.add("Div", _leaf_sums(graph, rows, arrays.trees), n_trees)
    return graph.add("Add", graph.add("Mul", mean, n_trees), arrays.trees.base)


def boosted_classifier(model: BaseEstimator, graph: Graph, X: str) -> Prediction:
    """Write the most probable class by the sums."""
    scores = boosted_scores(model, graph, X)
    if len(model.classes_) == 2:
        scores = both_scores(graph, scores)
    return of_scores(graph, scores, model.classes_)


def boosted_regressor(model: BaseEstimator, graph: Graph, X: str) -> str:
    """Write the sums as numbers."""
    return graph.add("Squeeze", boosted_scores(model, graph, X), np.array([1]))


def _compared(arrays: TreeArrays, graph: Graph, X: str) -> str:
    """Write the rows as trees compare them: rounded to float32, in the range of that type."""
    if arrays.shift.any() or (arrays.scale != 1).any():
        X = graph.add("Mul", graph.add("Sub", X, arrays.shift), arrays.scale)
    X = graph.as_doubles(graph.add("Cast", X, to=onnx_package().TensorProto.FLOAT))
    for sign in (1.0, -1.0):
        beyond = graph.add("Equal", X, sign * np.inf)
        X = graph.add("Where", beyond, sign * LARGEST_FLOAT32, X)
    return X


def _leaf_sums(graph: Graph, X: str, trees: Any) -> str:
    """Write the sum over the trees of the values of the leaves of every row, tree by tree.

    The operator for trees adds in float32, so that it gives the number of the leaf alone.
    """
    nodes = split_nodes(trees.nodes)
    root = np.asarray(trees.root)
    tree = np.repeat(np.arange(trees.n_trees), np.diff([*root, len(nodes.feature)]))
    number = np.arange(len(tree)) - root[tree]  # of a node in its tree
    is_leaf = nodes.leaf >= 0
    leaf = np.flatnonzero(is_leaf)
    first_leaf = nodes.leaf[leaf[np.searchsorted(tree[leaf], np.arange(trees.n_trees))]]
    place = graph.add(
        "TreeEnsembleRegressor",
        X,
        domain=ML_DOMAIN,
        n_targets=trees.n_trees,
        aggregate_function="SUM",
        post_transform="NONE",
        nodes_treeids=tree.tolist(),
        nodes_nodeids=number.tolist(),
        nodes_featureids=np.maximum(nodes.feature, 0).tolist(),
        nodes_modes=np.where(is_leaf, "LEAF", "BRANCH_LEQ").tolist(),
        nodes_values_as_tensor=_doubles(nodes.threshold),
        nodes_truenodeids=np.where(is_leaf, 0, number + 1).tolist(),
        nodes_falsenodeids=np.where(is_leaf, 0, nodes.right - root[tree]).tolist(),
        nodes_missing_value_tracks_true=nodes.missing_left.astype(int).tolist(),
        target_treeids=tree[leaf].tolist(),
        target_nodeids=number[leaf].tolist(),
        target_ids=tree[leaf].tolist(),
        target_weights_as_tensor=_doubles(nodes.leaf[leaf] - first_leaf[tree[leaf]]),
    )
    place = graph.add("Add", graph.as_integers(place), first_leaf)
    sums = graph.add("CumSum", graph.add("Gather", trees.value, place, axis=0), 1)
    last = np.array([trees.n_trees - 1]), np.array([trees.n_trees]), np.array([1])
    return graph.add("Squeeze", graph.add("Slice", sums, *last), np.array([1]))


def _doubles(values: AnyArray) -> Any:
    return onnx_package().numpy_helper.from_array(np.ascontiguousarray(values, np.float64))


def _target_statistics(statistics: Any, graph: Graph, X: str) -> str:
    """Write the columns without categories, then what every category became."""
    n_columns = graph.add("Shape", X, start=1)
    everyone = graph.add("Range", 0, graph.add("Squeeze", n_columns), 1)
    kept = graph.add("Equal", graph.add("Unsqueeze", everyone, np.array([1])),
                     statistics.columns[None, :])  # fmt: skip
    kept = graph.add("ReduceSum", graph.as_integers(kept), np.array([1]), keepdims=0)
    blocks = [graph.add("Compress", X, graph.add("Equal", kept, 0), axis=1)]
    for column, known, table in zip(
        statistics.columns, statistics.values, statistics.tables, strict=True
    ):
        cells = graph.add("Gather", X, np.array([column]), axis=1)
        place = graph.name_of(np.array([len(known) + 1]))
        if len(known):
            equal = graph.add("Equal", cells, np.asarray(known, np.float64)[None, :])
            equal = graph.as_doubles(equal)
            among = graph.add("ReduceMax", equal, np.array([1]), keepdims=0)
            position = graph.add("ArgMax", equal, axis=1, keepdims=0)
            place = graph.add("Where", graph.add("Greater", among, 0.0), position, place)
        missing = graph.add("Squeeze", graph.add("IsNaN", cells), np.array([1]))
        place = graph.add("Where", missing, np.array([len(known)]), place)
        blocks.append(graph.add("Gather", np.asarray(table, np.float64), place, axis=0))
    return graph.add("Concat", *blocks, axis=1)


TREE_CLASSIFIERS = {
    "BoostedNeighborsClassifier": boosted_classifier,
    "ForestNeighborsClassifier": forest_classifier,
}
TREE_REGRESSORS = {
    "BoostedNeighborsRegressor": boosted_regressor,
    "ForestNeighborsRegressor": forest_regressor,
}
