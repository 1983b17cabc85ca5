"""Write a fitted model as an ONNX file, whose answers are those of the model."""

from __future__ import annotations

import json
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

import lookalike
from lookalike.data.write.atomic_write import Place, replace_file
from lookalike.models.estimator import check_is_fitted
from lookalike.store.onnx.graph import (
    IR_VERSION,
    ML_DOMAIN,
    ML_OPSET,
    ONNX_OPSET,
    Graph,
    Prediction,
    onnx_package,
    refuse,
)
from lookalike.store.onnx.steps import MATRIX_INPUT, convert, preprocessor_of
from lookalike.store.onnx.tables import table_columns
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def export_onnx(model: BaseEstimator, path: Place) -> None:
    """Write a fitted model to an ONNX file, whole or not at all.

    Everything is float64. A model of a table has an input for every column, of shape (rows, 1):
    numbers are float64 with NaN where one is missing, dates the days since 1970 as float64,
    categories strings, empty where one is missing. Every other model has one input ``X`` of shape
    (rows, columns). Classifiers return ``label`` and ``probabilities`` (of `classes_`, in order),
    regressors ``prediction``, all else ``transformed``.

    Parameters
    ----------
    model : estimator or pipeline of estimators
        Scalers, imputers of numbers, PCA, kernel PCA, linear discriminant analysis, linear and
        logistic models, RBF networks and kernel ridge regression, Gaussian mixtures, K nearest
        neighbors by Euclidean distance, forests, boosted trees, and weighted ensembles of these.
    path : path, str, or open binary file
        Usually ends in ``.onnx``.

    Examples
    --------
    >>> import tempfile
    >>> from lookalike import KNeighborsClassifier
    >>> from lookalike.store.onnx import export_onnx
    >>> model = KNeighborsClassifier(n_neighbors=1).fit([[0.0], [1.0]], ["a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:  # doctest: +SKIP
    ...     export_onnx(model, f"{folder}/model.onnx")
    """
    content = onnx_model(model).SerializeToString()
    replace_file(path, lambda file: file.write(content))


def onnx_model(model: BaseEstimator) -> Any:
    """Return a fitted model as an object of the package onnx."""
    onnx = onnx_package()
    check_is_fitted(model)
    graph = Graph()
    inputs = _inputs(model, onnx)
    names = {name: name for name in inputs}
    result = convert(model, graph, names)
    numbers = "prediction" if hasattr(model, "predict") else "transformed"
    outputs = _outputs(result, numbers, graph, onnx, taken=names)
    made = onnx.helper.make_graph(
        graph.nodes, "lookalike", list(inputs.values()), outputs, graph.constants
    )
    domains = [
        onnx.helper.make_opsetid("", ONNX_OPSET),
        onnx.helper.make_opsetid(ML_DOMAIN, ML_OPSET),
    ]
    proto = onnx.helper.make_model(made, opset_imports=domains, ir_version=IR_VERSION)
    proto.producer_name, proto.producer_version = "lookalike", lookalike.__version__
    classes = getattr(model, "classes_", None)
    if classes is not None:
        labels = json.dumps(np.asarray(classes).tolist(), default=str)
        onnx.helper.set_model_props(proto, {"classes": labels})
    return proto


def _inputs(model: BaseEstimator, onnx: ModuleType) -> dict[str, Any]:
    """Return what the graph is given: a matrix, or the columns of a table by name."""
    number, text = onnx.TensorProto.DOUBLE, onnx.TensorProto.STRING
    preprocessor = preprocessor_of(model)
    if preprocessor is None:
        width = getattr(model, "n_features_in_", None)
        if width is None:
            refuse(model, "it does not say how many columns it reads")
        kinds = {MATRIX_INPUT: (number, ["rows", int(width)])}
    else:
        kinds = {
            name: (text if kind == "category" else number, ["rows", 1])
            for name, kind in table_columns(preprocessor).items()
        }
    make = onnx.helper.make_tensor_value_info
    return {name: make(name, *kind) for name, kind in kinds.items()}


def _outputs(
    result: Prediction | str, numbers: str, graph: Graph, onnx: ModuleType, taken: Any
) -> list[Any]:
    """Return what the graph gives, after nodes that name it."""
    types = onnx.TensorProto
    if isinstance(result, Prediction):
        classes, kind = _labels(result.classes, types)
        label = graph.add("Gather", classes, result.place, axis=0)
        named = {"label": (label, kind), "probabilities": (result.shares, types.DOUBLE)}
    else:
        named = {numbers: (result, types.DOUBLE)}
    outputs = []
    for name, (value, kind) in named.items():
        free = name
        while free in taken:
            free += "_"
        graph.nodes.append(onnx.helper.make_node("Identity", [value], [free]))
        outputs.append(onnx.helper.make_tensor_value_info(free, kind, None))
    return outputs


def _labels(classes: AnyArray, types: Any) -> tuple[AnyArray, int]:
    """Return the classes as ONNX has them, and their type."""
    classes = np.asarray(classes)
    if classes.dtype.kind in "iu":
        return classes.astype(np.int64), types.INT64
    if classes.dtype.kind == "f":
        return classes.astype(np.float64), types.DOUBLE
    if classes.dtype.kind == "b":
        return classes, types.BOOL
    return np.array([str(label) for label in classes.tolist()], object), types.STRING
