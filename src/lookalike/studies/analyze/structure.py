"""The shape of the rows: how many directions they fill, and how they lie in a plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import LookalikeError
from lookalike.explain.dimension import Dimension, intrinsic_dimension
from lookalike.models.decomposition.n_components import FRACTIONS, scree_knee
from lookalike.models.decomposition.pca import PCA
from lookalike.models.discriminant.lda import LinearDiscriminantAnalysis
from lookalike.studies.analysis_results import Projection, Spectrum
from lookalike.typing import AnyArray, Rows

SHOWN = 100  # variances of the spectrum
DIMENSION_ROWS = 4000
MAP_ROWS = 2000
FEW_CELLS = 200_000  # of a table small enough for every rule on the number of components
WIDE = 1500  # columns beyond which the leading directions alone are found
NEIGHBOURS = 10


def spectrum_of(Z: AnyArray, seed: int, engine: str = "auto") -> tuple[Spectrum, PCA]:
    """Return the variances of the principal directions, and the directions."""
    n_rows, width = Z.shape
    whole = min(n_rows, width) <= WIDE
    pca = PCA(None if whole else SHOWN, random_state=seed, engine=engine).fit(Z)
    spectrum = np.maximum(pca.spectrum_, 0.0)
    total = float(np.var(Z, axis=0, ddof=1, dtype=np.float64).sum()) if n_rows > 1 else 0.0
    share = spectrum / total if total > 0 else np.zeros_like(spectrum)
    if whole and Z.size <= FEW_CELLS:
        choices = pca.choices_
    else:  # the other rules draw random tables of this size
        choices = {f"{part:g}": _explaining(share, part) for part in FRACTIONS}
        choices["knee"] = scree_knee(spectrum)
    found = Spectrum(
        tuple(map(float, spectrum[:SHOWN])),
        tuple(map(float, share[:SHOWN])),
        min(n_rows, width),
        {name: int(kept) for name, kept in choices.items()},
    )
    return found, pca


def _explaining(share: AnyArray, part: float) -> int:
    """Return how many directions hold more than `part`, of those that were found."""
    return min(int(np.searchsorted(np.cumsum(share), part, side="right")) + 1, len(share))


def dimension_of(Z: AnyArray, seed: int, decisions: Decisions) -> Dimension | None:
    """Return how many numbers describe a row, or None where rows are too few to tell."""
    rows = np.random.default_rng(seed).permutation(len(Z))[:DIMENSION_ROWS]
    if len(rows) < len(Z):
        decisions.add("dimension", f"{len(rows)} of {len(Z)} rows", "a sample tells as much")
    try:
        return intrinsic_dimension(Z[np.sort(rows)], "twonn", random_state=seed)
    except (LookalikeError, ValueError) as error:
        decisions.add("dimension", "not estimated", str(error))
        return None


def maps_of(
    Z: AnyArray, pca: PCA, number: Rows, *, labels: Any, values: Any, seed: int
) -> tuple[Projection, ...]:
    """Return the rows on their two leading principal components and, of classes, discriminants."""
    rows = np.sort(np.random.default_rng(seed).permutation(len(Z))[:MAP_ROWS])
    told = {"number": number, "labels": labels, "values": values, "sampled": len(rows) < len(Z)}
    maps = []
    if pca.n_components_ >= 2:
        places = np.asarray(pca.transform(Z[rows]))[:, :2]
        share = pca.explained_variance_ratio_
        axes = tuple(f"component {j + 1} ({share[j]:.0%} of the variance)" for j in range(2))
        maps.append(_map("PCA", places, rows, axes, told))
    if labels is not None and len(np.unique(labels)) > 2 and 2 <= Z.shape[1] <= WIDE:
        try:
            lda = LinearDiscriminantAnalysis(n_components=2).fit(Z, labels)
        except (LookalikeError, ValueError):  # fewer rows than classes need
            return tuple(maps)
        places = np.asarray(lda.transform(Z[rows]))
        axes = ("discriminant 1", "discriminant 2")
        maps.append(_map("LDA", places, rows, axes, told))
    return tuple(maps)


def _map(method: str, places: AnyArray, rows: Rows, axes: Any, told: dict[str, Any]) -> Projection:
    labels, values, number = told["labels"], told["values"], told["number"]
    return Projection(
        method,
        number[rows],
        places[:, 0].astype(np.float64),
        places[:, 1].astype(np.float64),
        () if labels is None else tuple(map(str, labels[rows].tolist())),
        None if values is None else values[rows],
        axes,
        bool(told["sampled"]),
    )
