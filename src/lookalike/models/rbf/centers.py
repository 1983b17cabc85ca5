"""Centers of radial basis functions, and their default width."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lookalike.data.batches import gather
from lookalike.data.source import Source
from lookalike.data.targets import as_finite
from lookalike.decisions import Decisions
from lookalike.engines import Engine
from lookalike.errors import ParameterError, ShapeError
from lookalike.index.exact import ExactIndex
from lookalike.kernels.native_arrays import as_dense
from lookalike.models.cluster.initialization import (
    CandidateCenters,
    distinct,
    farthest_first,
    middlemost,
)
from lookalike.models.cluster.kmeans import KMeans
from lookalike.reductions.columns import ColumnSummary
from lookalike.reductions.sample import RandomSample
from lookalike.settings import require_memory
from lookalike.typing import Array

CENTER_METHODS = ("kmeans", "kcenter", "sample", "points")
CENTER_SAMPLE_ROWS = 2**16  # rows, at most, from which farthest-first centers are taken


def find_centers(
    how: str, n_centers: int, source: Source, engine: Engine, *, seed: int, threads: int
) -> Array:
    """Return centers by k-means, farthest first, random rows, or all."""
    if how == "points":
        return np.asarray(as_dense(gather(source).X), np.float64)
    if how == "sample":
        sample = engine.reduce(RandomSample(n_centers, seed=seed), source)
        assert sample.X is not None
        return np.asarray(as_dense(sample.X), np.float64)
    if how == "kcenter":
        drawn = engine.reduce(RandomSample(CENTER_SAMPLE_ROWS, seed=seed), source)
        assert drawn.X is not None
        candidates = CandidateCenters(*distinct(drawn.X, drawn.weight), threads, engine)
        rows, _ = farthest_first(
            candidates, min(n_centers, len(candidates.weight)), middlemost(candidates)
        )
        return candidates.values(rows)
    clusters = KMeans(n_centers, n_init=1, random_state=seed, engine=engine.name, n_jobs=threads)
    with warnings.catch_warnings():  # equal rows: centers that coincide are dropped below
        warnings.simplefilter("ignore", ConvergenceWarning)
        return clusters.fit(source)._centers()


def checked_centers(given: object, n_features: int) -> Array:
    """Return centers that a user gave, or raise."""
    centers = as_finite(given, "centers", "Give finite centers.", error=ParameterError)
    if centers.ndim != 2 or centers.shape[1] != n_features or not len(centers):
        raise ShapeError(
            f"centers has shape {centers.shape}, and rows have {n_features} columns. Give one row "
            "a center."
        )
    return centers


def without_duplicates(centers: Array, decisions: Decisions) -> Array:
    """Return the centers once each, in the order of their first appearance."""
    _, first = np.unique(centers, axis=0, return_index=True)
    if len(first) < len(centers):
        dropped = len(centers) - len(first)
        decisions.put("centers", f"{dropped} dropped", "they coincide with others")
    return np.asarray(centers[np.sort(first)])


def default_width(centers: Array, summary: ColumnSummary) -> float:
    """Return the median distance of a center to the nearest other: r = 1/k on a grid of [0, 1]."""
    spread = float(np.sqrt(summary.variance.sum()))
    if len(centers) < 2:
        return spread if spread > 0 else 1.0
    index = ExactIndex(centers)
    nearest = index.query(centers, 1, exclude=np.arange(len(centers))).distance[:, 0]
    width = float(np.median(nearest))
    return width if width > 0 else (spread or 1.0)


def require_room(n_centers: int, n_rows: int) -> None:
    """Raise where the products of the features do not fit the budget."""
    require_memory(
        8 * 4 * n_centers * max(n_centers, min(n_rows, 2 * n_centers)),
        f"The products of the features of {n_centers} centers take",
        "Choose fewer centers, or raise lookalike.config(memory=…).",
    )
