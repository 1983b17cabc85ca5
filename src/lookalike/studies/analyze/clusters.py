"""Clusters of the rows of an exploratory study, by k-means."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookalike.decisions import Decisions
from lookalike.models.cluster.kmeans import KMeans
from lookalike.studies.analysis_results import Clustering
from lookalike.studies.analyze.cluster_null import draw_without_clusters
from lookalike.studies.analyze.cluster_profiles import profile_clusters
from lookalike.studies.analyze.silhouettes import mean_silhouettes, move_farthest_in
from lookalike.studies.load.dataset import Dataset
from lookalike.typing import AnyArray, Array

MAX_CLUSTERS = 10
KMEANS_STARTS = 10  # of the clusters that are kept
ROWS_FOR_SILHOUETTE = 300  # on which numbers of clusters are compared
SILHOUETTE_COLUMNS = 30  # principal components, where there are more columns
MIN_ROWS_TO_CLUSTER = 20
MIN_ROWS_PER_CLUSTER = 5  # on average
NULL_DRAWS = 12  # of rows without clusters, of each kind
NULL_DEVIATIONS = 2.0  # above their mean, up to which a silhouette is due to chance


class ClusterNumbers(NamedTuple):
    """Mean silhouettes of numbers of clusters, what chance reaches, and the number chosen."""

    tried: range
    silhouette: Array
    chance: float
    chosen: int


def cluster_rows(
    Z: AnyArray, dataset: Dataset, seed: int, decisions: Decisions
) -> Clustering | None:
    r"""Return the clusters of k-means, as many as stand out most from rows without clusters.

    The silhouette of a row is :math:`(b - a) / \max(a, b)`, a its mean distance to the rows of
    its cluster and b to those of the next one [Rousseeuw87].
    """
    if len(Z) < MIN_ROWS_TO_CLUSTER or len(np.unique(Z[:1000], axis=0)) < MIN_ROWS_TO_CLUSTER:
        return None
    numbers = compare_numbers(np.asarray(Z), seed)
    if len(Z) > ROWS_FOR_SILHOUETTE:
        choice = f"silhouettes on {ROWS_FOR_SILHOUETTE:,} of {len(Z):,} rows"
        decisions.add("clusters", choice, "a sample is enough")
    best = KMeans(numbers.chosen, n_init=KMEANS_STARTS, random_state=seed).fit(Z)
    sizes = np.bincount(best.labels_, minlength=len(best.cluster_centers_))
    order = np.argsort(-sizes, kind="stable")
    labels = np.argsort(order)[best.labels_].astype(np.int64)
    reason = f"mean silhouette {numbers.silhouette[numbers.chosen - 2]:.2f}"
    decisions.add("clusters", f"{len(order)} clusters", reason)
    return Clustering(
        profile_clusters(Z, best.cluster_centers_[order], labels, dataset),
        float(best.inertia_),
        tuple(numbers.tried),
        tuple(numbers.silhouette.tolist()),
        labels,
        numbers.chance,
    )


def compare_numbers(Z: AnyArray, seed: int) -> ClusterNumbers:
    """Compare the silhouettes of numbers of clusters with those of rows without clusters.

    What chance reaches is the largest silhouette of any number in any draw, or `NULL_DEVIATIONS`
    standard deviations above the mean of one kind of draws where that is more. The number chosen
    exceeds the mean silhouette that it has by chance most.
    """
    rng = np.random.default_rng(seed)
    rows = Z[rng.permutation(len(Z))[:ROWS_FOR_SILHOUETTE]].astype(np.float64)
    if rows.shape[1] > SILHOUETTE_COLUMNS:
        middle = rows - rows.mean(axis=0)
        rows = middle @ np.linalg.svd(middle, full_matrices=False)[2][:SILHOUETTE_COLUMNS].T
    tried = range(2, min(MAX_CLUSTERS, len(rows) // MIN_ROWS_PER_CLUSTER) + 1)
    tables = np.concatenate([rows[None], draw_without_clusters(rows, NULL_DRAWS, rng)])
    silhouettes = mean_silhouettes(move_farthest_in(tables), tried, rng)
    of_data, kinds = silhouettes[0], silhouettes[1:].reshape(-1, NULL_DRAWS, len(tried))
    largest = kinds.max(axis=2)
    expected = largest.mean(axis=1) + NULL_DEVIATIONS * largest.std(axis=1, ddof=1)
    chance = float(max(largest.max(), expected.max()))
    chosen = int(np.argmax(of_data - kinds.mean(axis=1).max(axis=0)))
    return ClusterNumbers(tried, of_data, chance, tried[chosen])
