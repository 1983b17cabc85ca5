"""What sets each group apart: its most typical rows, and the columns or words that stand out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lookalike.missing import is_missing
from lookalike.studies.analysis_results import Cluster, ClusterTrait, Neighbor
from lookalike.studies.analyze.feature_importance import common_terms
from lookalike.studies.analyze.thumbnails import exhibit
from lookalike.studies.load.dataset import Material
from lookalike.studies.load.read import Reading
from lookalike.typing import AnyArray, Array, Rows

TYPICAL = 3  # rows that stand for a group
TRAITS = 5
NOTABLE = 0.3  # standard deviations by which the mean of a group differs
MANY = 50  # values of a category beyond which none is worth a look


def groups_of(Z: AnyArray, centers: Array, label: Rows, reading: Reading) -> tuple[Cluster, ...]:
    """Return every group with the rows nearest to its center and what it has more or less of."""
    traits = _traits(reading.material, label, len(centers))
    groups = []
    for number, center in enumerate(centers):
        rows = np.flatnonzero(label == number)
        distance = np.sqrt(((Z[rows] - center) ** 2).sum(axis=1, dtype=np.float64))
        near = np.argsort(distance, kind="stable")[:TYPICAL]
        typical = tuple(_shown(reading, int(rows[j]), float(distance[j])) for j in near)
        groups.append(Cluster(len(rows), typical, traits[number]))
    return tuple(groups)


def _shown(reading: Reading, row: int, distance: float) -> Neighbor:
    return Neighbor(int(reading.row[row]), distance, **exhibit(reading.material, row))


def _traits(material: Material, label: Rows, n_groups: int) -> list[tuple[ClusterTrait, ...]]:
    """Return the traits of each group, those that differ most from all rows first."""
    if material.image_shape is not None:
        return [()] * n_groups  # no pixel says anything by itself
    found: list[list[tuple[float, ClusterTrait]]] = [[] for _ in range(n_groups)]
    for name, values, as_share in _columns(material):
        spread = float(np.nanstd(values))
        if not spread > 0:
            continue
        overall = float(np.nanmean(values))
        for number, traits in enumerate(found):
            inside = values[label == number]
            inside = inside[~np.isnan(inside)]
            here = float(inside.mean()) if len(inside) else overall
            strength = abs(here - overall) / spread
            if strength >= NOTABLE:
                traits.append((strength, ClusterTrait(name, here, overall, as_share)))
    best = (sorted(traits, key=lambda one: -one[0])[:TRAITS] for traits in found)
    return [tuple(trait for _, trait in traits) for traits in best]


def _columns(material: Material) -> Iterator[tuple[str, Array, bool]]:
    """Give each number, truth value, category and word as a column, and whether it is a share."""
    if material.text is not None:
        yield from _words(material)
        return
    for name, kind in material.kinds.items():
        column = material.column(name)
        if kind in ("number", "boolean"):
            yield name, _numbers(column), kind == "boolean"
        elif kind == "category":
            cells = np.array(["" if is_missing(value) else str(value) for value in column])
            known = [value for value in np.unique(cells).tolist() if value]
            if len(known) <= MANY:
                for value in known:
                    yield f"{name} = {value}", np.where(cells == "", np.nan, cells == value), True


def _numbers(column: AnyArray) -> Array:
    if column.dtype.kind in "fiub":
        return column.astype(np.float64)
    return np.array([np.nan if is_missing(value) else float(value) for value in column])


def _words(material: Material) -> Iterator[tuple[str, Array, bool]]:
    """Give for each of the most frequent words whether a document holds it."""
    names, rows = common_terms(material)
    columns = rows.tocsc()
    for j, name in enumerate(names):
        holds = np.zeros(len(material))
        holds[columns.indices[columns.indptr[j] : columns.indptr[j + 1]]] = 1.0
        yield str(name), holds, True
