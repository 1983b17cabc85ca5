"""Squared distances in ONNX, summed in the one order that decides every search.

Term j is added to lane j % 8, then the lanes are folded in half, as in
:mod:`lookalike.kernels.distance`: rows that are equally far here are equally far there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lookalike.store.onnx.graph import Graph, onnx_package
from lookalike.typing import Array

SUM_LANES = 8
ForRow = Callable[[Graph, str], Sequence[str]]


def for_each_row(graph: Graph, X: str, rows: Array, then: ForRow, outputs: int) -> list[str]:
    """Return what `then` makes of the squared distances of one row of `X` to `rows`, of all rows.

    One row of `X` is compared at a time, so that no block of all differences is needed.
    """
    n_rows, n_features = rows.shape
    blocks = max(1, -(-n_features // SUM_LANES))
    spare = blocks * SUM_LANES - n_features
    padded = np.pad(np.asarray(rows, np.float64), ((0, 0), (0, spare)))
    held = graph.name_of(padded.reshape(n_rows, blocks, SUM_LANES))
    if spare:
        X = graph.add("Pad", X, np.array([0, 0, 0, spare]))
    X = graph.add("Reshape", X, np.array([-1, blocks, SUM_LANES]))

    def body(inner: Graph, inputs: Sequence[str]) -> Sequence[str]:
        difference = inner.add("Sub", inputs[0], held)
        return then(inner, _fold(inner, inner.add("Mul", difference, difference), blocks))

    kind = onnx_package().TensorProto.DOUBLE, (blocks, SUM_LANES)
    return graph.add_several(
        "Scan", outputs, X, body=graph.subgraph(body, [kind]), num_scan_inputs=1
    )


def squared_distances(graph: Graph, X: str, rows: Array) -> str:
    """Return the squared distance of every row of `X` to every one of `rows`."""
    return for_each_row(graph, X, rows, lambda _, distance: [distance], 1)[0]


def _fold(graph: Graph, terms: str, blocks: int) -> str:
    """Return the sums of (rows, blocks, lanes) in the order of the lanes."""
    if blocks > 1:
        terms = graph.add("CumSum", terms, 1)
        terms = graph.add("Slice", terms, np.array([-1]), np.array([blocks]), np.array([1]))
    terms = graph.add("Squeeze", terms, np.array([1]))
    lanes = SUM_LANES
    while lanes > 1:
        lanes //= 2
        low, high = (
            graph.add("Slice", terms, np.array([start]), np.array([start + lanes]), np.array([1]))
            for start in (0, lanes)
        )
        terms = graph.add("Add", low, high)
    return graph.add("Squeeze", terms, np.array([1]))
