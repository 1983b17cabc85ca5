"""The neighbor map of all rows, and how far every map can be trusted; both take a while."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import LookalikeError
from lookalike.models.manifold.neighbor_map import NeighborMap
from lookalike.models.manifold.quality import MapQuality, chosen_rows, measured, order_by
from lookalike.models.neighbors.metric_options import MetricOptions
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.progress import progress
from lookalike.typing import Array, Rows
from lookalike.web.explorer.neighbor_model import NeighborModel

if TYPE_CHECKING:
    from lookalike.data.chunk import Matrix

MIN_ROWS_FOR_MAP = 10  # rows of which there is a neighbor map
ALL_LAID_OUT = 100_000  # rows up to which all are laid out; of more, a sample of
MAX_ROWS_LAID_OUT = 50_000
PLACED_AT_ONCE = 20_000  # rows that are placed by their neighbors in the sample
MEASURED_ROWS, FEW_MEASURED = 500, 50  # rows that measures are means over; of very many rows
MEASURED_K = 10


def neighbor_map_note(n_rows: int) -> str:
    """Return what a reader has to know of the neighbor map of this many rows, or of its absence."""
    if n_rows < MIN_ROWS_FOR_MAP:
        return f"There is no neighbor map: it is made of {MIN_ROWS_FOR_MAP} rows or more."
    if n_rows <= ALL_LAID_OUT:
        return ""
    return (
        f"{MAX_ROWS_LAID_OUT:,} rows drawn at random are laid out, "
        f"the other {n_rows - MAX_ROWS_LAID_OUT:,} placed by their neighbors among these"
    )


def lay_out(
    neighbors: NeighborModel, planes: Mapping[str, Array]
) -> tuple[tuple[NeighborMap, Array] | str, dict[str, dict[str, object]]]:
    """Return the neighbor map in the original space, and measures of all maps.

    The map comes with where all rows lie on it; where there is none, a sentence says why.
    """
    Z, how = neighbors.Z, map_metric(neighbors)
    layout: tuple[NeighborMap, Array] | str = neighbor_map_note(Z.shape[0])
    if Z.shape[0] >= MIN_ROWS_FOR_MAP:
        try:
            layout = neighbor_map(Z, how)
        except LookalikeError as error:  # for example where all rows are the same
            layout = f"There is no neighbor map. {error}"
    measures = {}
    if not isinstance(layout, str) and len(layout[0].embedding_) == Z.shape[0]:
        measures["neighbors"] = measures_of(layout[0].quality_)
        search = layout[0].search_
    else:
        search = NearestNeighbors(**how, p=None).fit(Z)
        planes = planes if isinstance(layout, str) else {**planes, "neighbors": layout[1]}
    for key, xy in planes.items():
        quality = _measure(search, xy)
        if quality is not None:
            measures[key] = quality
    return layout, measures


class PlaneMeasures:
    """Measures of planes, each among the rows that lie on it.

    The search of the last plane is kept: most planes have all rows.

    Parameters
    ----------
    neighbors : NeighborModel
        Whose rows and metric say which rows are neighbors.
    """

    def __init__(self, neighbors: NeighborModel) -> None:
        self._neighbors = neighbors
        self._last: tuple[Rows, NearestNeighbors] | None = None

    def __call__(self, xy: Array) -> dict[str, object] | None:
        """Return the measures of a plane; None where few rows lie on it."""
        finite_rows = np.flatnonzero(np.isfinite(xy).all(axis=1))
        return (
            None
            if len(finite_rows) < MIN_ROWS_FOR_MAP
            else _measure(self._search(finite_rows), xy[finite_rows])
        )

    def _search(self, rows: Rows) -> NearestNeighbors:
        last = self._last
        if last is None or not np.array_equal(last[0], rows):
            model = NearestNeighbors(**map_metric(self._neighbors), p=None)
            last = self._last = rows, model.fit(self._neighbors.Z[rows])
        return last[1]


def map_metric(neighbors: NeighborModel) -> MetricOptions:
    """Return the metric of the neighbor model, its power among `metric_params`."""
    model = neighbors.model
    how: MetricOptions = {"metric": model.effective_metric_, "metric_params": model.metric_params}
    if how["metric"] == "minkowski":
        how["metric_params"] = {"p": model.p, **(model.metric_params or {})}
    return how


def _measure(search: NearestNeighbors, xy: Array) -> dict[str, object] | None:
    n_rows = len(xy)
    k = min(MEASURED_K, (n_rows - 1) // 2)
    if k < 1:
        return None
    most = MEASURED_ROWS if n_rows <= ALL_LAID_OUT else FEW_MEASURED
    return measures_of(measured(order_by(search), xy, chosen_rows(n_rows, most, 0), k))


def neighbor_map(Z: Matrix, how: MetricOptions) -> tuple[NeighborMap, Array]:
    """Return a fitted neighbor map, of all rows or of a sample, and the places of all rows."""
    n_rows = Z.shape[0]
    model = NeighborMap(**how, quality_rows=MEASURED_ROWS, random_state=0)
    if n_rows <= ALL_LAID_OUT:
        return model, model.fit(Z).embedding_
    sample = chosen_rows(n_rows, MAX_ROWS_LAID_OUT, 0)
    model.fit(Z[sample])
    places = np.empty((n_rows, 2))
    with progress("rows placed by their neighbors", n_rows) as advance:
        for first in range(0, n_rows, PLACED_AT_ONCE):
            part = Z[first : first + PLACED_AT_ONCE]
            places[first : first + PLACED_AT_ONCE] = model.transform(part)
            advance(part.shape[0])
    places[sample] = model.embedding_
    return model, places


def measures_of(quality: MapQuality) -> dict[str, object]:
    """Return the measures as JSON holds them; one that is not known is None."""
    return {name: None if _unknown(value) else value for name, value in quality._asdict().items()}


def _unknown(value: float) -> bool:
    return isinstance(value, float | np.floating) and math.isnan(value)
