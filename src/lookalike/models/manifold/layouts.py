"""The two layouts of a neighbor map: t-SNE and UMAP, over a graph of neighbors."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy.sparse as sp

from lookalike.kernels.layout import (
    TsneDescent,
    fuzzy_affinities,
    native_graph,
    perplexity_affinities,
    tsne_place,
    umap_epoch,
    umap_place,
)
from lookalike.progress import progress
from lookalike.typing import Array, Rows

EXAGGERATED_SHARE_OF_STEPS = 1 / 3  # of the steps of t-SNE, in which clusters form
EARLY_EXAGGERATION = 12.0
TSNE_MOMENTUM = 0.8
MIN_POINTS_PER_CALL = 50_000  # that native code moves: signals are noticed between calls
PLACE_STEPS = 100  # in which a new row finds its place
START_WIDTH = 10.0  # of UMAP, along both axes


def join_affinities(affinity: Array, row: Rows, *, fuzzy: bool) -> sp.csr_array:
    """Return the symmetric graph of affinities: the mean of both directions, or a fuzzy union."""
    n, k = row.shape
    start = np.arange(0, n * k + 1, k)
    one_way = sp.csr_array((affinity.ravel(), row.ravel(), start), shape=(n, n))
    other = one_way.T.tocsr()
    both = one_way + other
    graph = both - one_way.multiply(other) if fuzzy else both * 0.5
    graph = sp.csr_array(graph)
    graph.sort_indices()
    return graph


def tsne_graph(distance: Array, row: Rows, perplexity: float, threads: int) -> sp.csr_array:
    """Return the joint probabilities of t-SNE, times the number of rows."""
    return join_affinities(perplexity_affinities(distance, perplexity, threads), row, fuzzy=False)


def umap_graph(distance: Array, row: Rows, threads: int) -> sp.csr_array:
    """Return the fuzzy set of UMAP's edges."""
    return join_affinities(fuzzy_affinities(distance, threads), row, fuzzy=True)


def tsne_layout(graph: sp.csr_array, start: Array, *, n_iter: int, threads: int) -> Array:
    """Return the map of t-SNE, from a start whose first column has deviation 1."""
    n = graph.shape[0]
    descent = TsneDescent(native_graph(graph, 1.0 / n), start * 1e-4, threads)
    early = round(n_iter * EXAGGERATED_SHARE_OF_STEPS)
    phases = ((early, EARLY_EXAGGERATION), (n_iter - early, 1.0))
    most = max(MIN_POINTS_PER_CALL // n, 1)
    with progress("steps of t-SNE", n_iter) as advance:
        for steps, exaggeration in phases:
            for first in range(0, steps, most):
                count = min(most, steps - first)
                descent.steps(
                    count,
                    exaggeration=exaggeration,
                    learning_rate=max(n / exaggeration, 1.0),
                    momentum=TSNE_MOMENTUM,
                )
                advance(count)
    return descent.position


def umap_layout(
    graph: sp.csr_array, start: Array, *, n_iter: int, min_dist: float, seed: int, threads: int
) -> Array:
    """Return the map of UMAP, from a start whose first column has deviation 1."""
    wide = np.ptp(start, axis=0)
    position: Array = np.ascontiguousarray(start * (START_WIDTH / np.where(wide > 0, wide, 1.0)))
    edges = native_graph(graph, 1.0 / graph.data.max())
    curve = umap_curve(min_dist)
    with progress("epochs of UMAP", n_iter) as advance:
        for epoch in range(n_iter):
            umap_epoch(
                edges,
                curve,
                position,
                seed=seed,
                epoch=epoch,
                learning_rate=1.0 - epoch / n_iter,
                threads=threads,
            )
            advance(1)
    position -= position.mean(axis=0)
    return position


@lru_cache(maxsize=16)
def umap_curve(min_dist: float) -> tuple[float, float]:
    """Return the curve that stays at 1 up to `min_dist` and falls from there with scale 1."""
    from scipy.optimize import curve_fit

    distance = np.linspace(0.0, 3.0, 300)
    wanted = np.where(distance < min_dist, 1.0, np.exp(min_dist - distance))
    with np.errstate(over="ignore"):
        fitted, _ = curve_fit(lambda d, a, b: 1.0 / (1.0 + a * d ** (2 * b)), distance, wanted)
    return float(fitted[0]), float(fitted[1])


def place_rows(
    method: str,
    points: Array,
    distance: Array,
    row: Rows,
    *,
    min_dist: float,
    seed: int,
    threads: int,
) -> Array:
    """Return where new rows lie on a map, by their neighbors among its rows, nearest first.

    A row that equals one of the map lies where that one lies.
    """
    row = np.ascontiguousarray(row)
    placed = np.ascontiguousarray(points[row[:, 0]])
    if method == "tsne":
        weight = perplexity_affinities(distance, max(row.shape[1] / 3, 1.0), threads)
        tsne_place(points, row, weight, placed, steps=PLACE_STEPS, threads=threads)
    else:
        weight = fuzzy_affinities(distance, threads)
        umap_place(
            points,
            row,
            weight,
            placed,
            curve=umap_curve(min_dist),
            seed=seed,
            epochs=PLACE_STEPS,
            threads=threads,
        )
    same = distance[:, 0] == 0
    placed[same] = points[row[same, 0]]
    return placed
