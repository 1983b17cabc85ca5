"""The neighbor map of all rows, and how far every map can be trusted; both take a while."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from lookalike.errors import LookalikeError
from lookalike.models.manifold.neighbor_map import NeighborMap
from lookalike.models.manifold.quality import MapQuality, chosen_rows, measured, order_by
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.typing import Array
from lookalike.web.explorer.neighbor_model import NeighborModel

FEWEST, MOST = 10, 100_000  # rows of which there is a neighbor map
MEASURED_ROWS, FEW_MEASURED = 500, 50  # rows that measures are means over; of very many rows
MEASURED_K = 10


def has_neighbor_map(n_rows: int) -> bool:
    """Return whether so many rows get a neighbor map."""
    return FEWEST <= n_rows <= MOST


def lay_out(
    neighbors: NeighborModel, planes: Mapping[str, Array]
) -> tuple[NeighborMap | None, dict[str, dict[str, Any]]]:
    """Return the neighbor map of all rows, None where there is none, and measures of all maps."""
    model, Z = neighbors.model, neighbors.Z
    how = {"metric": model.effective_metric_, "metric_params": model.metric_params}
    if how["metric"] == "minkowski":
        how["metric_params"] = {**(model.metric_params or {}), "p": model.p}
    layout, search = None, None
    if has_neighbor_map(Z.shape[0]):
        try:
            layout = NeighborMap(**how, quality_rows=MEASURED_ROWS, random_state=0).fit(Z)
            search = layout.search_
        except LookalikeError:  # for example where all rows are the same
            layout = None
    measures = {}
    if layout is not None:
        measures["neighbors"] = measures_of(layout.quality_)
    search = NearestNeighbors(**how).fit(Z) if search is None else search
    n_rows = Z.shape[0]
    k = min(MEASURED_K, (n_rows - 1) // 2)
    if k >= 1:
        most = MEASURED_ROWS if n_rows <= MOST else FEW_MEASURED
        chosen = chosen_rows(n_rows, most, 0)
        for key, xy in planes.items():
            measures[key] = measures_of(measured(order_by(search), xy, chosen, k))
    return layout, measures


def measures_of(quality: MapQuality) -> dict[str, Any]:
    """Return the measures as JSON holds them; one that is not known is None."""
    return {name: None if _unknown(value) else value for name, value in quality._asdict().items()}


def _unknown(value: float) -> bool:
    return isinstance(value, float | np.floating) and math.isnan(value)
