"""Clusters of the rows of an exploratory study, by k-means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.metrics import silhouette_score

from lookalike.decisions import Decisions
from lookalike.models.cluster.kmeans import KMeans
from lookalike.studies.analysis_results import Clustering
from lookalike.studies.analyze.cluster_profiles import profile_clusters
from lookalike.studies.load.dataset import Dataset
from lookalike.typing import AnyArray, Rows

MOST = 10  # clusters
STARTS = 3
SCORED = 1000  # rows on which numbers of clusters are compared
LEAST_ROWS = 10
ROWS_EACH = 5  # on average, at least
DRAWS = 5  # of rows without clusters
DEVIATIONS = 3.0  # up to which a silhouette may exceed their mean by chance
WIDE = 200  # columns beyond which none are drawn


def cluster_rows(
    Z: AnyArray, dataset: Dataset, seed: int, decisions: Decisions
) -> Clustering | None:
    r"""Return the clusters of k-means, as many as have the largest mean silhouette [Rousseeuw87].

    The silhouette of a row is :math:`(b - a) / \max(a, b)`, a its mean distance to the rows of
    its cluster and b to those of the next one.
    """
    if len(Z) < LEAST_ROWS or len(np.unique(Z[:SCORED], axis=0)) < LEAST_ROWS:
        return None
    rows = np.random.default_rng(seed).permutation(len(Z))[:SCORED]
    if len(rows) < len(Z):
        decisions.add(
            "clusters", f"silhouettes on {len(rows):,} of {len(Z):,} rows", "a sample is enough"
        )
    tried = range(2, min(MOST, len(Z) // ROWS_EACH) + 1)
    fits = [KMeans(k, n_init=STARTS, random_state=seed).fit(Z) for k in tried]
    scores = [_silhouette(Z[rows], fit.labels_[rows]) for fit in fits]
    best = fits[int(np.argmax(scores))]
    sizes = np.bincount(best.labels_, minlength=len(best.cluster_centers_))
    order = np.argsort(-sizes, kind="stable")
    labels = np.argsort(order)[best.labels_].astype(np.int64)
    decisions.add(
        "clusters", f"{len(order)} clusters", f"largest mean silhouette, {max(scores):.2f}"
    )
    return Clustering(
        profile_clusters(Z, best.cluster_centers_[order], labels, dataset),
        float(best.inertia_),
        tuple(tried),
        tuple(scores),
        labels,
        _uniform_silhouette(Z[rows], tried, seed),
    )


def _silhouette(Z: AnyArray, labels: Rows) -> float:
    """Return the mean silhouette, -1 of a single cluster."""
    return float(silhouette_score(Z, labels)) if len(np.unique(labels)) > 1 else -1.0


def _uniform_silhouette(Z: AnyArray, tried: Sequence[int], seed: int) -> float | None:
    """Return the largest mean silhouette that uniformly distributed rows reach by chance.

    These fill the box of the principal components [Tibshirani01], and the number of their clusters
    is selected among those `tried` too: rows of few columns have a silhouette well above 0 wherever
    they are divided. It is the mean of several draws and `DEVIATIONS` standard deviations more;
    None of many columns.
    """
    if Z.shape[1] > WIDE:
        return None
    rng = np.random.default_rng(seed)
    middle = Z.mean(axis=0)
    axes = np.linalg.svd(Z - middle, full_matrices=False)[2]
    along = (Z - middle) @ axes.T
    low, high = along.min(axis=0), along.max(axis=0)
    largest = []
    for _ in range(DRAWS):
        drawn = rng.uniform(low, high, size=along.shape)
        fits = (KMeans(k, n_init=STARTS, random_state=seed).fit(drawn) for k in tried)
        largest.append(max(_silhouette(drawn, fit.labels_) for fit in fits))
    return float(np.mean(largest) + DEVIATIONS * np.std(largest, ddof=1))
