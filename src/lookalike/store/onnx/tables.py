"""Tables of numbers and text: columns come as inputs of their own, categories as strings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from lookalike.models.preprocessing.table_encoder import MISSING_CATEGORY, ONEHOT_VALUE
from lookalike.store.onnx.graph import Graph, refuse

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


MISSING_TEXT = ""  # how a missing category comes


def table_columns(model: BaseEstimator) -> dict[str, str]:
    """Return the columns that a preprocessor of tables reads, and the kind of each."""
    if model.texts_:
        refuse(model, f"column {next(iter(model.texts_))!r} is text, whose terms are not counted")
    parts = getattr(model, "date_parts_", {})
    if parts:
        refuse(model, f"parts of the dates in column {next(iter(parts))!r} are features")
    return dict(model.columns_)


def encode_table(model: BaseEstimator, graph: Graph, columns: Mapping[str, str]) -> str:
    """Write the rows as numbers: numbers first, then categories; `columns` are (rows, 1) each."""
    parts = [_encoded(getattr(model, "encoded", model), graph, columns)]
    if hasattr(model, "cells_"):  # for trees, the columns as they are come after them
        parts.append(_encoded(model.cells_, graph, columns))
    return graph.add("Concat", *parts, axis=1)


def _encoded(model: BaseEstimator, graph: Graph, columns: Mapping[str, str]) -> str:
    onehot = model.encoding == "onehot"
    parts = []
    numbers = [name for name, kind in model.columns_.items() if kind != "category"]
    if numbers:
        X = graph.add("Concat", *(columns[name] for name in numbers), axis=1)
        if onehot:
            X = graph.add("Where", graph.add("IsNaN", X), model.fill_, X)
        X = graph.add("Sub", X, model.shift_)
        parts.append(graph.add("Div", X, model.spread_))
    for name, categories in model.categories_.items():
        write = _onehot if onehot else _codes
        parts.append(write(graph, columns[name], categories))
    return graph.add("Concat", *parts, axis=1)


def _onehot(graph: Graph, cells: str, categories: tuple[str, ...]) -> str:
    """Write a column for each category; a category that fit did not see has none."""
    return graph.add("Mul", graph.as_doubles(_is_category(graph, cells, categories)), ONEHOT_VALUE)


def _codes(graph: Graph, cells: str, categories: tuple[str, ...]) -> str:
    """Write the number of the category: one more of a new one, NaN of a missing one."""
    equal = graph.as_doubles(_is_category(graph, cells, categories))
    among = graph.add("ReduceMax", equal, np.array([1]), keepdims=1)
    code = graph.as_doubles(graph.add("ArgMax", equal, axis=1, keepdims=1))
    code = graph.add("Where", graph.add("Greater", among, 0.0), code, float(len(categories)))
    missing = graph.add("Equal", cells, np.array([MISSING_TEXT]))
    return graph.add("Where", missing, np.nan, code)


def _is_category(graph: Graph, cells: str, categories: tuple[str, ...]) -> str:
    """Write which category each cell is; that of missing values is one, where fit had any."""
    known = [MISSING_TEXT if name == MISSING_CATEGORY else name for name in categories]
    return graph.add("Equal", cells, np.array([known], object))
