"""The structure of the rows: their spectrum, intrinsic dimension, and projections onto a plane."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import LookalikeError
from lookalike.explain.dimension import Dimension, intrinsic_dimension
from lookalike.models.decomposition.n_components import VARIANCE_FRACTIONS, scree_knee
from lookalike.models.decomposition.pca import PCA
from lookalike.models.discriminant.lda import LinearDiscriminantAnalysis
from lookalike.models.manifold.neighbor_map import NeighborMap
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.studies.analysis_results import Projection, Spectrum
from lookalike.typing import AnyArray, Rows

MAX_VARIANCES_SHOWN = 100  # variances of the spectrum
DIMENSION_ROWS = 4000
MAP_ROWS = 2000
FEW_CELLS = 200_000  # of a table small enough for every rule on the number of components,
MAX_COLUMNS_FOR_RULES = 100  # and with how many columns: their cost is that of 50 decompositions
MAX_COLUMNS_OF_STRUCTURE = 1500  # columns beyond which only the leading components are found


def spectrum_of(Z: AnyArray, seed: int, engine: str = "auto") -> tuple[Spectrum, PCA]:
    """Return the variances of the principal components, and the fitted PCA."""
    n_rows, width = Z.shape
    complete = min(n_rows, width) <= MAX_COLUMNS_OF_STRUCTURE
    pca = PCA(None if complete else MAX_VARIANCES_SHOWN, random_state=seed, engine=engine).fit(Z)
    spectrum = np.maximum(pca.spectrum_, 0.0)
    total = float(np.var(Z, axis=0, ddof=1, dtype=np.float64).sum()) if n_rows > 1 else 0.0
    share = spectrum / total if total > 0 else np.zeros_like(spectrum)
    if width <= MAX_COLUMNS_FOR_RULES and Z.size <= FEW_CELLS:
        choices = pca.choices_
    else:  # the other rules draw random tables of this size
        choices = {f"{part:g}": _explaining(share, part) for part in VARIANCE_FRACTIONS}
        choices["knee"] = scree_knee(spectrum)
    spectrum_result = Spectrum(
        tuple(map(float, spectrum[:MAX_VARIANCES_SHOWN])),
        tuple(map(float, share[:MAX_VARIANCES_SHOWN])),
        min(n_rows, width),
        {name: int(kept) for name, kept in choices.items()},
    )
    return spectrum_result, pca


def _explaining(share: AnyArray, part: float) -> int:
    """Return how many components explain more than `part`, of those that were found."""
    return min(int(np.searchsorted(np.cumsum(share), part, side="right")) + 1, len(share))


def estimate_dimension(Z: AnyArray, seed: int, decisions: Decisions) -> Dimension | None:
    """Return the intrinsic dimension by TwoNN, or None where rows are too few.

    With it that of the same values, each column shuffled: what independent columns would give.
    """
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(Z))[:DIMENSION_ROWS]
    if len(rows) < len(Z):
        decisions.add(
            "intrinsic dimension", f"{len(rows):,} of {len(Z):,} rows", "a sample is enough"
        )
    try:
        found = intrinsic_dimension(Z[np.sort(rows)], "twonn", random_state=seed)
    except (LookalikeError, ValueError) as error:
        decisions.add("intrinsic dimension", "not estimated", str(error))
        return None
    with suppress(LookalikeError, ValueError):  # shuffled columns may lie on a grid
        independent = intrinsic_dimension(rng.permuted(Z[rows], axis=0), "twonn", random_state=seed)
        found = replace(found, shuffled=independent.interval)
    return found


def project_rows(
    Z: AnyArray,
    pca: PCA,
    number: Rows,
    *,
    labels: AnyArray | None,
    values: AnyArray | None,
    seed: int,
) -> tuple[Projection, ...]:
    """Return the rows on two principal components and, of classes, on two discriminants."""
    rows = _shown_rows(len(Z), seed)
    names = () if labels is None else tuple(map(str, labels[rows].tolist()))
    shown = None if values is None else values[rows]

    def projection(method: str, plane: AnyArray, axes: tuple[str, str]) -> Projection:
        x, y = plane[:, :2].astype(np.float64).T
        return Projection(method, number[rows], x, y, names, shown, axes, len(rows) < len(Z))

    projections = []
    if pca.n_components_ >= 2:
        plane = np.asarray(pca.transform(Z[rows]))
        first, second = pca.explained_variance_ratio_[:2]
        axes = (f"PC 1 ({first:.1%} of the variance)", f"PC 2 ({second:.1%} of the variance)")
        projections.append(projection("PCA", plane, axes))
    if (
        labels is not None
        and len(np.unique(labels)) > 2
        and 2 <= Z.shape[1] <= MAX_COLUMNS_OF_STRUCTURE
    ):
        try:
            lda = LinearDiscriminantAnalysis(n_components=2).fit(Z, labels)
        except (LookalikeError, ValueError):  # fewer rows than classes need
            return tuple(projections)
        plane = np.asarray(lda.transform(Z[rows]))
        projections.append(projection("LDA", plane, ("discriminant 1", "discriminant 2")))
    return tuple(projections)


def map_neighbors(
    Z: AnyArray,
    search: NearestNeighbors,
    number: Rows,
    *,
    labels: AnyArray | None,
    values: AnyArray | None,
    seed: int,
    n_steps: int,
) -> Projection:
    """Return the neighbor map of the rows, or of a sample, with its measures."""
    rows = _shown_rows(Z.shape[0], seed)
    model = NeighborMap(search=search, n_iter=n_steps, random_state=seed).fit(Z[rows])
    x, y = model.embedding_.T
    return Projection(
        "neighbor map",
        number[rows],
        x.copy(),
        y.copy(),
        () if labels is None else tuple(map(str, labels[rows].tolist())),
        None if values is None else values[rows],
        ("", ""),
        len(rows) < Z.shape[0],
        model.quality_,
    )


def _shown_rows(n_rows: int, seed: int) -> Rows:
    return np.sort(np.random.default_rng(seed).permutation(n_rows)[:MAP_ROWS])
