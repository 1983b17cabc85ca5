"""The native descents of a map: affinities of neighbors, t-SNE, UMAP, and points placed later."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lookalike import _core
from lookalike.typing import Array, Rows

NEGATIVE_SAMPLES = 5  # of UMAP, for every attraction


class NativeGraph(TypedDict):
    """A symmetric graph as the native descents read it, compressed by rows."""

    start: Rows
    row: NDArray[np.int32]
    weight: NDArray[np.float32]


class _TsneState(NativeGraph):
    grid: _core.RepulsionGrid
    position: Array
    velocity: Array
    gain: Array
    threads: int


class _UmapOptions(TypedDict):
    a: float
    b: float
    negative_samples: int
    seed: int
    threads: int


def native_graph(graph: sp.csr_array, scale: float) -> NativeGraph:
    """Return a symmetric graph as the native descents read it, its weights times `scale`."""
    return {
        "start": np.ascontiguousarray(graph.indptr, np.int64),
        "row": np.ascontiguousarray(graph.indices, np.int32),
        "weight": np.ascontiguousarray(graph.data * scale, np.float32),
    }


def perplexity_affinities(distance: Array, perplexity: float, threads: int) -> Array:
    r"""Return :math:`p_{j|i} \propto \exp(-b_i d_{ij}^2)` of a perplexity, (rows, neighbors).

    [van der Maaten & Hinton 2008]. Distances are nearest first; rows of the result sum to 1.
    """
    distance, affinity = np.ascontiguousarray(distance, np.float64), np.empty(distance.shape)
    _core.perplexity_affinities(
        distance=distance, perplexity=perplexity, threads=threads, affinity=affinity
    )
    return affinity


def fuzzy_affinities(distance: Array, threads: int) -> Array:
    r"""Return :math:`\exp(-\max(d_{ij} - \rho_i, 0) / \sigma_i)` [McInnes 2018]."""
    affinity = np.empty(distance.shape)
    _core.fuzzy_affinities(
        distance=np.ascontiguousarray(distance, np.float64), threads=threads, affinity=affinity
    )
    return affinity


class TsneDescent:
    """Gradient descent of t-SNE, some steps at a time."""

    def __init__(self, graph: NativeGraph, start: Array, threads: int) -> None:
        self.position: Array = np.array(start, np.float64, order="C")
        self._native: _TsneState = {
            **graph,
            "grid": _core.RepulsionGrid(),
            "position": self.position,
            "velocity": np.zeros_like(self.position),
            "gain": np.ones_like(self.position),
            "threads": threads,
        }

    def steps(
        self, steps: int, *, exaggeration: float, learning_rate: float, momentum: float
    ) -> float:
        """Move the points; return the sum over all pairs of 1 / (1 + d^2) before the last step."""
        return _core.tsne_steps(
            **self._native,
            exaggeration=exaggeration,
            learning_rate=learning_rate,
            momentum=momentum,
            steps=steps,
        )


def umap_epoch(
    graph: NativeGraph,
    curve: tuple[float, float],
    position: Array,
    *,
    seed: int,
    epoch: int,
    learning_rate: float,
    threads: int,
) -> None:
    r"""Move the points of a map in place by one epoch of stochastic gradient descent.

    The curve (a, b) says how strongly rows at distance d on the map are joined:
    :math:`1 / (1 + a d^{2b})`.
    """
    shared = _umap(curve, seed, threads)
    _core.umap_epoch(**graph, **shared, epoch=epoch, learning_rate=learning_rate, position=position)


def tsne_place(
    points: Array, row: Rows, weight: Array, placed: Array, *, steps: int, threads: int
) -> None:
    """Move new points in place among those of a map of t-SNE, each as if it were alone."""
    _core.tsne_place(
        points=points, row=row, weight=weight, steps=steps, threads=threads, placed=placed
    )


def umap_place(
    points: Array,
    row: Rows,
    weight: Array,
    placed: Array,
    *,
    curve: tuple[float, float],
    seed: int,
    epochs: int,
    threads: int,
) -> None:
    """Move new points in place among those of a map of UMAP, each as if it were alone."""
    shared = _umap(curve, seed, threads)
    _core.umap_place(points=points, row=row, weight=weight, **shared, epochs=epochs, placed=placed)


def _umap(curve: tuple[float, float], seed: int, threads: int) -> _UmapOptions:
    """Return what both native descents of UMAP take."""
    a, b = curve
    return {
        "a": a, "b": b, "negative_samples": NEGATIVE_SAMPLES, "seed": seed, "threads": threads
    }  # fmt: skip
