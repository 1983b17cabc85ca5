"""Silhouettes of k-means on many small tables at once: that of the rows, and those of chance."""

from __future__ import annotations

import numpy as np

from lookalike.typing import AnyArray, Array, Rows

LLOYD_STEPS = 15
LLOYD_STARTS = 3
FARTHEST_SHARE = 0.1  # of rows, that are moved to the distance of the others


def move_farthest_in(tables: Array) -> Array:
    """Return the rows around their median, those farthest from it moved in along their line.

    k-means splits single far rows off, whose silhouettes say nothing of clusters.
    """
    centered = tables - np.median(tables, axis=1, keepdims=True)
    reach = np.sqrt((centered**2).sum(axis=2))
    most = np.quantile(reach, 1 - FARTHEST_SHARE, axis=1)[:, None]
    moved: Array = centered * np.minimum(1.0, most / np.maximum(reach, 1e-12))[..., None]
    return moved


def mean_silhouettes(tables: Array, n_clusters: range, rng: np.random.Generator) -> Array:
    """Return the mean silhouette of k-means, of every table (tables, rows, columns) and number."""
    X = tables.astype(np.float32)
    norm = (X**2).sum(axis=2)
    square = norm[:, :, None] + norm[:, None] - 2 * X @ X.transpose(0, 2, 1)
    distance = np.sqrt(np.maximum(square, 0))
    means = []
    for k in n_clusters:
        runs = [_kmeans(X, norm, k, rng) for _ in range(LLOYD_STARTS)]
        best = np.argmin([inertia for _, inertia in runs], axis=0)
        labels = np.stack([labels_of_run for labels_of_run, _ in runs])[best, np.arange(len(X))]
        means.append(_silhouettes(distance, labels, k))
    return np.array(means, np.float64).T


def _kmeans(X: AnyArray, norm: AnyArray, k: int, rng: np.random.Generator) -> tuple[Rows, AnyArray]:
    """Return the labels and inertia of Lloyd's steps from a k-means++ start, of every table."""
    centers = _start(X, norm, k, rng)
    one_hot = np.eye(k, dtype=X.dtype)
    for _ in range(LLOYD_STEPS):
        square = (centers**2).sum(axis=2)[:, None] - 2 * X @ centers.transpose(0, 2, 1)
        labels = square.argmin(axis=2)
        member = one_hot[labels]
        size = member.sum(axis=1)[..., None]
        mean = member.transpose(0, 2, 1) @ X / np.maximum(size, 1)
        centers = np.where(size > 0, mean, centers)
    return labels, square.min(axis=2).sum(axis=1)


def _start(X: AnyArray, norm: AnyArray, k: int, rng: np.random.Generator) -> AnyArray:
    """Return rows drawn one by one, by their squared distance to those drawn [Arthur07]."""
    n_tables, n_rows, _ = X.shape
    tables = np.arange(n_tables)
    centers = [X[tables, rng.integers(n_rows, size=n_tables)]]
    near = np.full((n_tables, n_rows), np.inf, X.dtype)
    for _ in range(k - 1):
        last = centers[-1]
        square = norm - 2 * (X @ last[:, :, None])[..., 0] + (last**2).sum(axis=1)[:, None]
        near = np.minimum(near, np.maximum(square, 0))
        total = np.cumsum(near, axis=1)
        row = (total < (rng.random(n_tables) * total[:, -1])[:, None]).sum(axis=1)
        centers.append(X[tables, np.minimum(row, n_rows - 1)])
    return np.stack(centers, axis=1)


def _silhouettes(distance: AnyArray, labels: Rows, k: int) -> AnyArray:
    """Return the mean silhouette of every table; rows alone in their cluster have 0."""
    member = np.eye(k, dtype=distance.dtype)[labels]
    size = member.sum(axis=1)
    sums = distance @ member
    own_size = np.take_along_axis(size, labels, axis=1)
    within = np.take_along_axis(sums, labels[..., None], axis=2)[..., 0] / np.maximum(
        own_size - 1, 1
    )
    to_others = np.where(size[:, None] > 0, sums / np.maximum(size, 1)[:, None], np.inf)
    np.put_along_axis(to_others, labels[..., None], np.inf, axis=2)
    next_one = to_others.min(axis=2)
    larger = np.maximum(np.maximum(next_one, within), 1e-30)
    silhouette = np.where(np.isfinite(next_one) & (own_size > 1), (next_one - within) / larger, 0.0)
    mean: AnyArray = silhouette.mean(axis=1)
    return mean
