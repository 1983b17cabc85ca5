"""Representations of rows in which neighbors are compared: each learned from other rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lookalike.models.decomposition.pca import PCA
from lookalike.models.discriminant.lda import LinearDiscriminantAnalysis
from lookalike.models.trees.ordered_forest import OrderedForest
from lookalike.typing import AnyArray, Array, Rows

CURVE_TREES = 30
KEPT_VARIANCE = 0.9  # that principal components explain
QUERIES_AT_ONCE = 500  # queries whose distances are in memory at once
EXCLUDED_DISTANCE = np.inf
TIE_NOISE = 1e-9  # of the largest distance: differences below it are none

Transform = Callable[[Array], Array]


def _scale(_: Array, __: Rows, ___: int) -> Transform:
    return lambda Z: Z


def _principal_components(Z: Array, _: Rows, seed: int) -> Transform:
    pca = PCA(None, random_state=seed).fit(Z)
    share = np.cumsum(pca.explained_variance_ratio_)
    kept = min(int(np.searchsorted(share, KEPT_VARIANCE)) + 1, len(share))
    return lambda rows: np.asarray(pca.transform(rows))[:, :kept]


def _discriminants(Z: Array, codes: Rows, _: int) -> Transform:
    lda = LinearDiscriminantAnalysis("eigen", shrinkage="auto").fit(Z, codes)
    return lambda rows: np.asarray(lda.transform(rows))


def _forest(Z: Array, codes: Rows, seed: int) -> Any:
    return OrderedForest(CURVE_TREES, min_samples_leaf=5, random_state=seed).fit(Z, codes)


def _leaves(Z: Array, codes: Rows, seed: int) -> Transform:
    forest = _forest(Z, codes, seed)
    return lambda rows: -1.0 - np.asarray(forest.apply(rows), np.float64)  # leaves are below 0


def _weight(Z: Array, codes: Rows, seed: int) -> Transform:
    weight = np.sqrt(_forest(Z, codes, seed).feature_importances_)
    return lambda rows: rows * weight


KNOWN_REPRESENTATIONS: dict[str, Callable[[Array, Rows, int], Transform]] = {
    "scaled columns": _scale,
    "principal components": _principal_components,
    "discriminants (LDA)": _discriminants,
    "leaves of a random forest": _leaves,
    "columns weighted by importance": _weight,
}


def nearest_labels(rows: Array, codes: Rows, allowed: AnyArray, rng: np.random.Generator) -> Rows:
    """Return the class of each row's nearest neighbor among the allowed rows, itself left out.

    Leaves (numbers below 0 throughout) are compared by how many trees put two rows into
    different ones, other rows by the Euclidean distance. Of equally near rows any is taken.
    """
    places = np.flatnonzero(allowed)
    leaves = bool((rows < 0).all())
    nearest = np.empty(len(rows), np.int64)
    squares = (rows**2).sum(axis=1)
    for begin in range(0, len(rows), QUERIES_AT_ONCE):
        part = slice(begin, min(begin + QUERIES_AT_ONCE, len(rows)))
        if leaves:
            distance = np.zeros((part.stop - begin, len(places)))
            for tree in rows.T:
                distance += tree[part, None] != tree[None, places]
        else:
            distance = squares[part, None] + squares[None, places] - 2 * rows[part] @ rows[places].T
        distance += TIE_NOISE * max(float(distance.max()), 1.0) * rng.random(distance.shape)
        self_column = np.searchsorted(places, np.arange(begin, part.stop))
        inside = (self_column < len(places)) & (places[np.minimum(self_column, len(places) - 1)]
                                        == np.arange(begin, part.stop))  # fmt: skip
        distance[np.flatnonzero(inside), self_column[inside]] = EXCLUDED_DISTANCE
        nearest[part] = places[distance.argmin(axis=1)]
    return codes[nearest]
