"""References of the other dissimilarities: keys of all pairs in float64, summed as in oracle.py.

Slow and obvious on purpose. The smaller the key, the nearer; `DISTANCE` says what is reported.
"""

from __future__ import annotations

import math

import numpy as np
from oracle import lane_sum, squared_distances


def each_query(key_of_rows):
    """Make keys of (query, all rows) into keys of (queries, rows)."""

    def keys(Q, X, **params):
        Q, X = np.asarray(Q, np.float64), np.asarray(X, np.float64)
        return (
            np.stack([key_of_rows(q, X, **params) for q in Q]) if len(Q) else np.zeros((0, len(X)))
        )

    return keys


@each_query
def manhattan(q, X):
    return lane_sum(np.abs(q - X))


@each_query
def chebyshev(q, X):
    return np.abs(q - X).max(axis=1)


@each_query
def minkowski(q, X, p):
    gap = np.abs(q - X)
    most = gap.max(axis=1)
    share = gap / np.where(most > 0, most, 1)[:, None]
    root = [math.pow(total, 1 / p) for total in lane_sum(raised(share, p))]
    return most * np.array(root)


def raised(values, p):
    """Raise by repeated squaring for small whole p, with the C library for the others."""
    if p != int(p) or p > 64:
        return np.vectorize(math.pow, otypes=[float])(values, p)
    power, exponent = np.ones_like(values), int(p)
    while exponent:
        if exponent % 2:
            power = power * values
        values, exponent = values * values, exponent // 2
    return power


@each_query
def canberra(q, X):
    size = np.abs(q) + np.abs(X)
    return lane_sum(np.divide(np.abs(q - X), size, out=np.zeros_like(X), where=size > 0))


@each_query
def braycurtis(q, X):
    gap, size = lane_sum(np.abs(q - X)), lane_sum(np.abs(q) + np.abs(X))
    return np.divide(gap, size, out=np.zeros_like(gap), where=size > 0)


@each_query
def inner_product(q, X):
    return 0.0 - lane_sum(q * X)


@each_query
def hamming(q, X, w):
    return lane_sum(np.where(q != X, w, 0.0))


@each_query
def jaccard(q, X):
    either, one = ((q != 0) | (X != 0)).sum(axis=1), ((q != 0) != (X != 0)).sum(axis=1)
    return np.where(either == 0, 0.0, one / np.maximum(either, 1))


@each_query
def nan_euclidean(q, X, w):
    gap = q - X
    present = ~np.isnan(gap)
    seen = lane_sum(np.where(present, w, 0.0))
    total = lane_sum(np.where(present, w * (gap * gap), 0.0))
    scaled = total * (lane_sum(w) / np.where(seen > 0, seen, 1))
    return np.where(seen > 0, scaled, np.inf)


@each_query
def gower(q, X, w, expected, min_shared=0.0):
    gap = np.abs(q - X)
    present = ~np.isnan(gap)
    seen = lane_sum(np.where(present, w, 0.0))
    terms = lane_sum(np.where(present, w * np.minimum(gap, 1.0), w * expected))
    total = lane_sum(np.broadcast_to(w, X.shape))
    return np.where((seen > 0) & (seen >= min_shared * total), terms / total, 1.0)


@each_query
def gower_of_present(q, X, w):
    gap = np.abs(q - X)
    present = ~np.isnan(gap)
    seen = lane_sum(np.where(present, w, 0.0))
    total = lane_sum(np.where(present, w * np.minimum(gap, 1.0), 0.0))
    return np.where(seen > 0, total / np.where(seen > 0, seen, 1), 1.0)


def cosine(Q, X):
    return squared_distances(unit(Q), unit(X))


def correlation(Q, X):
    Q, X = np.asarray(Q, np.float64), np.asarray(X, np.float64)
    d = X.shape[1]
    return cosine(Q - (lane_sum(Q) / d)[:, None], X - (lane_sum(X) / d)[:, None])


def unit(X):
    """Divide every row by its length."""
    X = np.asarray(X, np.float64)
    return X / np.sqrt(lane_sum(X * X))[:, None]


def mahalanobis(Q, X, W, center):
    return squared_distances(mapped(Q, W, center), mapped(X, W, center))


def mapped(X, W, center):
    """Return W (x - c), each entry summed like a key."""
    gap = np.asarray(X, np.float64) - center
    return np.stack([lane_sum(W * row) for row in gap])


def haversine(Q, X):
    return squared_distances(sphere(Q), sphere(X))


def sphere(X):
    """Return the points of the unit sphere at latitude and longitude."""
    return np.array(
        [
            (math.cos(a) * math.cos(o), math.cos(a) * math.sin(o), math.sin(a))
            for a, o in np.asarray(X, np.float64)
        ]
    )


def weighted(Q, X, w):
    return squared_distances(Q * np.sqrt(w), X * np.sqrt(w))


DISTANCE = {
    "euclidean": np.sqrt,
    "cosine": lambda key: np.minimum(key / 2, 2),
    "correlation": lambda key: np.minimum(key / 2, 2),
    "haversine": lambda key: 2 * np.arcsin(np.minimum(np.sqrt(key) / 2, 1)),
}
