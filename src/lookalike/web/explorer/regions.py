"""Decision regions in the plane of a map: what K neighbors on the map itself predict."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import ParameterError
from lookalike.models.neighbors.classifier import KNeighborsClassifier
from lookalike.validation import check_int

if TYPE_CHECKING:
    from lookalike.web.explorer.exploration_state import ExplorationState

REGION_MARGIN = 1.1  # how far regions reach beyond the rows
MAX_POINTS_PER_LINE = 512  # points in a line


def decision_regions(
    exploration: ExplorationState, key: str, k: int, size: int
) -> dict[str, object]:
    """Return the class of every point of a grid over a map, line by line from the bottom.

    The regions are those of K-NN with the two coordinates of the map as its features: the model
    itself has more features, and its regions have no picture in a plane.
    """
    rows, neighbors = exploration.rows, exploration.neighbors
    if rows.code is None:
        raise ParameterError("There are no classes, so there are no decision regions.")
    size = check_int("size", size, least=2, most=MAX_POINTS_PER_LINE)
    k = check_int("k", k, least=1, most=neighbors.k_max)
    xy = exploration.maps.get(key).xy
    neighbor_rows = neighbors.row[
        (rows.code[neighbors.row] >= 0) & np.isfinite(xy[neighbors.row]).all(1)
    ]
    plane = KNeighborsClassifier(min(k, len(neighbor_rows)), weights=neighbors.model.weights)
    plane.fit(xy[neighbor_rows], rows.code[neighbor_rows])
    ends = np.abs(xy[np.isfinite(xy).all(1)]).max(axis=0) * REGION_MARGIN
    x, y = (np.linspace(-end, end, 2 * size + 1)[1::2] for end in ends)  # middles of the cells
    grid = np.column_stack([np.tile(x, size), np.repeat(y, size)])
    codes = np.asarray(plane.predict(grid))
    wide = len(rows.classes) > 255
    kind = "<u2" if wide else "u1"
    return {
        "size": size,
        "extent": [-ends[0], ends[0], -ends[1], ends[1]],
        "codes": base64.b64encode(codes.astype(kind).tobytes()).decode("ascii"),
        "dtype": "uint16" if wide else "uint8",
        "model": f"K-NN on the two coordinates of the map, K = {k}",
    }
