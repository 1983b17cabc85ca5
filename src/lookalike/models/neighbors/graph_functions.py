"""Graphs of neighbors from one call: the nearest rows, or all within a radius, as sparse rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import EfficiencyWarning

from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.models.neighbors.neighbors_model import NeighborsModel
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.validation import check_choice, check_kind, shown

SORTABLE_FORMATS = ("csr", "csc", "coo", "lil")  # which keep zeros that are stored


def kneighbors_graph(
    X: object,
    n_neighbors: int,
    *,
    mode: str = "connectivity",
    metric: object = "minkowski",
    p: float | None = 2,
    metric_params: Mapping[str, object] | None = None,
    include_self: bool | str = False,
    n_jobs: int | None = None,
) -> sp.csr_matrix:
    """Return the graph of the K nearest rows of every row, exact.

    Parameters
    ----------
    X : table or fitted model
        The rows; or a model of neighbors that was fitted on them.
    n_neighbors : int
        Neighbors of each row.
    mode : {"connectivity", "distance"}, default="connectivity"
        Whether the matrix holds ones or distances.
    metric, p, metric_params, n_jobs
        As in :class:`lookalike.NearestNeighbors`; where `X` is a model, those that it has.
    include_self : bool or "auto", default=False
        Whether a row is its own first neighbor; "auto" means for ``mode="connectivity"``.

    Examples
    --------
    >>> from lookalike.neighbors import kneighbors_graph
    >>> kneighbors_graph([[0.0], [3.0], [1.0]], 2, include_self=True).toarray()
    array([[1., 0., 1.],
           [0., 1., 1.],
           [1., 0., 1.]])
    """
    options = {"metric": metric, "p": p, "metric_params": metric_params}
    model = _model_of(X, n_neighbors=n_neighbors, n_jobs=n_jobs, **options)
    query = model.space_.training_rows() if _with_self(include_self, mode) else None
    return model.kneighbors_graph(query, n_neighbors, mode)


def radius_neighbors_graph(
    X: object,
    radius: float,
    *,
    mode: str = "connectivity",
    metric: object = "minkowski",
    p: float | None = 2,
    metric_params: Mapping[str, object] | None = None,
    include_self: bool | str = False,
    n_jobs: int | None = None,
) -> sp.csr_matrix:
    """Return the graph of all rows within a radius of every row, the boundary included.

    Parameters
    ----------
    X : table or fitted model
        The rows; or a model of neighbors that was fitted on them.
    radius : float
        Up to which distance rows are neighbors.
    mode, metric, p, metric_params, include_self, n_jobs
        As in :func:`kneighbors_graph`.

    Examples
    --------
    >>> from lookalike.neighbors import radius_neighbors_graph
    >>> radius_neighbors_graph([[0.0], [3.0], [1.0]], 1.5, include_self=True).toarray()
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """
    options = {"metric": metric, "p": p, "metric_params": metric_params}
    model = _model_of(X, radius=radius, n_jobs=n_jobs, **options)
    query = model.space_.training_rows() if _with_self(include_self, mode) else None
    return model.radius_neighbors_graph(query, radius, mode)


def sort_graph_by_row_values(
    graph: sp.csr_matrix, copy: bool = False, warn_when_not_sorted: bool = True
) -> object:
    """Return a sparse graph whose rows rise in value, equal values by column.

    Parameters
    ----------
    graph : sparse matrix or array of shape (n_rows, n_rows)
        Distances; what is not stored is not a neighbor.
    copy : bool, default=False
        Whether the graph stays as it is. One that is not CSR is always copied, and needs True.
    warn_when_not_sorted : bool, default=True
        Whether a graph that is not sorted warns.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from lookalike.neighbors import sort_graph_by_row_values
    >>> graph = sp.csr_array([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    >>> sort_graph_by_row_values(graph, copy=True, warn_when_not_sorted=False).data
    array([1., 3., 2., 3., 1., 2.])
    """
    if not sp.issparse(graph):
        raise ParameterTypeError(f"graph={shown(graph)} is not sparse. Give a CSR matrix.")
    if graph.format == "csr" and _is_sorted(graph):
        return graph
    if warn_when_not_sorted:
        warnings.warn(
            "Precomputed sparse input was not sorted by row values. Give "
            "sort_graph_by_row_values(graph, warn_when_not_sorted=False) to remove this warning.",
            EfficiencyWarning,
            stacklevel=2,
        )
    if graph.format not in SORTABLE_FORMATS:
        raise ParameterTypeError(
            f"Sparse matrix in {graph.format!r} format is not supported due to its handling of "
            "explicit zeros. Give CSR."
        )
    if graph.format != "csr" and not copy:
        raise ParameterError(
            "The input graph is not in CSR format. Use copy=True to allow the conversion to CSR "
            "format."
        )
    graph = graph.copy() if graph.format == "csr" and copy else graph.asformat("csr")
    order = np.lexsort((graph.indices, graph.data, rows_of_entries(graph)))
    graph.data[:], graph.indices[:] = graph.data[order], graph.indices[order]
    graph.has_sorted_indices = False
    return graph


def rows_of_entries(graph: sp.csr_matrix) -> Any:
    """Return the row of every stored value of a CSR matrix."""
    return np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))


def _is_sorted(graph: sp.csr_matrix) -> bool:
    falls = np.flatnonzero(graph.data[1:] < graph.data[:-1]) + 1
    return bool(np.isin(falls, graph.indptr).all())


def _with_self(include_self: object, mode: str) -> bool:
    if isinstance(include_self, str):
        check_choice("include_self", include_self, ("auto",))
        return mode == "connectivity"
    check_kind("include_self", include_self, bool, np.bool_)
    return bool(include_self)


def _model_of(X: object, **options: Any) -> NeighborsModel:
    """Return a fitted model: `X` itself, or one fitted on its rows."""
    if not isinstance(X, NeighborsModel):
        return NearestNeighbors(**options).fit(X)
    for name in ("metric", "p", "metric_params"):
        if options[name] != getattr(X, name):
            raise ParameterError(
                f"Got {options[name]} for {name}, while the estimator has {getattr(X, name)} for "
                "the same parameter. Give the same, or fit it with the other."
            )
    return X
