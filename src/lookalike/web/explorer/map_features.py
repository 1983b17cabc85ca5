"""Numbers that describe every row for a projection, and how new rows get theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import ParameterError
from lookalike.studies.load.dataset import Dataset
from lookalike.typing import Array
from lookalike.web.explorer.fit_neighbors import array_or_csr, transform_of
from lookalike.web.explorer.neighbor_model import NeighborModel

if TYPE_CHECKING:
    from lookalike.studies.select.preparation import Preparation


def map_features(
    dataset: Dataset, neighbors: NeighborModel, preparation: Preparation | None
) -> tuple[Array, Callable[[object], Array]]:
    """Return numbers that describe every row for a projection, and how new rows get theirs.

    Those of the neighbor model where they are numbers of one kind; components of LSA for texts,
    and scaled, one-hot encoded columns where rows are compared by Gower's distance.
    """
    if preparation is None or (
        dataset.image_shape is not None and neighbors.Z.shape[1] == np.prod(dataset.image_shape)
    ):
        if not isinstance(neighbors.Z, np.ndarray) or np.isnan(neighbors.Z).any():
            raise ParameterError("The features of the model have no plane. Give a study.")
        return neighbors.Z, neighbors.transform
    preprocessor = preparation.preprocessor(preparation.analyzed[1])
    preprocessor.fit(dataset.take(neighbors.row).source())
    return np.asarray(array_or_csr(preprocessor.transform(dataset.source()))), transform_of(
        [("prepare", preprocessor)]
    )
