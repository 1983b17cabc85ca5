"""Principal components for models that take few columns."""

from __future__ import annotations

import numpy as np

from lookalike.models.decomposition.pca import PCA, without_moments
from lookalike.typing import AnyArray


def in_components(
    Z: AnyArray, beyond: int, most: int
) -> tuple[AnyArray, list[tuple[str, object]], dict[str, str]]:
    """Return rows of more than `beyond` columns by their principal components, and the step."""
    if Z.shape[1] <= beyond:
        return Z, [], {}
    pca = without_moments(PCA(min(most, len(Z) // 3 or 1)).fit(Z))
    chosen = {"components": str(pca.n_components_)}
    return np.asarray(pca.transform(Z)), [("pca", pca)], chosen
