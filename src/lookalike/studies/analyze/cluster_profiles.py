"""Profiles of clusters: their most typical rows, and the columns or terms that differ most."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lookalike.missing import is_missing
from lookalike.studies.analysis_results import Cluster, ClusterTrait, Neighbor
from lookalike.studies.analyze.feature_importance import common_terms
from lookalike.studies.analyze.thumbnails import show_row
from lookalike.studies.load.dataset import Dataset
from lookalike.typing import AnyArray, Array, Rows

TYPICAL_ROWS_SHOWN = 3  # rows shown of a cluster
MAX_TRAITS = 5
NOTABLE_DEVIATIONS = 0.3  # standard deviations by which the mean of a cluster differs
MAX_CATEGORIES_OF_TRAIT = 50  # values of a category beyond which none is worth a look


def profile_clusters(
    Z: AnyArray, centers: Array, labels: Rows, dataset: Dataset
) -> tuple[Cluster, ...]:
    """Return every cluster with the rows nearest to its center, and its traits."""
    traits = _traits(dataset, labels, len(centers))
    clusters = []
    for number, center in enumerate(centers):
        rows = np.flatnonzero(labels == number)
        distance = np.sqrt(((Z[rows] - center) ** 2).sum(axis=1, dtype=np.float64))
        near = np.argsort(distance, kind="stable")[:TYPICAL_ROWS_SHOWN]
        typical = tuple(_typical_row(dataset, int(rows[j]), float(distance[j])) for j in near)
        clusters.append(Cluster(len(rows), typical, traits[number]))
    return tuple(clusters)


def _typical_row(dataset: Dataset, row: int, distance: float) -> Neighbor:
    return Neighbor(int(dataset.row[row]), distance, **show_row(dataset, row))


def _traits(dataset: Dataset, labels: Rows, n_clusters: int) -> list[tuple[ClusterTrait, ...]]:
    """Return the traits of each cluster, those that differ most from all rows first."""
    if dataset.image_shape is not None:
        return [()] * n_clusters  # single pixels are not traits
    traits_of: list[list[tuple[float, ClusterTrait]]] = [[] for _ in range(n_clusters)]
    for name, values, as_share in _columns(dataset):
        spread = float(np.nanstd(values))
        if not spread > 0:
            continue
        overall = float(np.nanmean(values))
        for number, traits in enumerate(traits_of):
            inside = values[labels == number]
            inside = inside[~np.isnan(inside)]
            mean_inside = float(inside.mean()) if len(inside) else overall
            strength = abs(mean_inside - overall) / spread
            if strength >= NOTABLE_DEVIATIONS:
                traits.append((strength, ClusterTrait(name, mean_inside, overall, as_share)))
    best = (sorted(traits, key=lambda one: -one[0])[:MAX_TRAITS] for traits in traits_of)
    return [tuple(trait for _, trait in traits) for traits in best]


def _columns(dataset: Dataset) -> Iterator[tuple[str, Array, bool]]:
    """Give each number, boolean, category and term as a column, and whether it is a share."""
    if dataset.text is not None:
        yield from _terms(dataset)
        return
    for name, kind in dataset.kinds.items():
        column = dataset.column(name)
        if kind in ("number", "boolean"):
            yield name, _numbers(column), kind == "boolean"
        elif kind == "category":
            cells = np.array(["" if is_missing(value) else str(value) for value in column])
            known = [value for value in np.unique(cells).tolist() if value]
            if len(known) <= MAX_CATEGORIES_OF_TRAIT:
                for value in known:
                    yield f"{name} = {value}", np.where(cells == "", np.nan, cells == value), True


def _numbers(column: AnyArray) -> Array:
    if column.dtype.kind in "fiub":
        return column.astype(np.float64)
    return np.array([np.nan if is_missing(value) else float(value) for value in column])


def _terms(dataset: Dataset) -> Iterator[tuple[str, Array, bool]]:
    """Give for each of the most frequent terms whether a document holds it."""
    names, rows = common_terms(dataset)
    columns = rows.tocsc()
    for j, name in enumerate(names):
        holds = np.zeros(len(dataset))
        holds[columns.indices[columns.indptr[j] : columns.indptr[j + 1]]] = 1.0
        yield str(name), holds, True
