"""Groups of rows where no target says what belongs together."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import silhouette_score

from lookalike.decisions import Decisions
from lookalike.models.cluster.kmeans import KMeans
from lookalike.studies.analysis_results import Clustering
from lookalike.studies.analyze.cluster_profiles import groups_of
from lookalike.studies.load.read import Reading
from lookalike.typing import AnyArray

MOST = 10  # groups
STARTS = 3
SCORED = 1000  # rows on which numbers of groups are compared
LEAST_ROWS = 10
ROWS_EACH = 5  # on average, at least


def clusters_of(
    Z: AnyArray, reading: Reading, seed: int, decisions: Decisions
) -> Clustering | None:
    r"""Return the groups of k-means, as many as have the largest mean silhouette [Rousseeuw87].

    The silhouette of a row is :math:`(b - a) / \max(a, b)`, a its mean distance to the rows of
    its group and b to those of the next one.
    """
    if len(Z) < LEAST_ROWS or len(np.unique(Z[:SCORED], axis=0)) < LEAST_ROWS:
        return None
    rows = np.random.default_rng(seed).permutation(len(Z))[:SCORED]
    if len(rows) < len(Z):
        decisions.add("clusters", f"compared on {len(rows)} rows", "a sample tells as much")
    tried = range(2, min(MOST, len(Z) // ROWS_EACH) + 1)
    fits = [KMeans(k, n_init=STARTS, random_state=seed).fit(Z) for k in tried]
    scores = [
        float(silhouette_score(Z[rows], fit.labels_[rows]))
        if len(np.unique(fit.labels_[rows])) > 1
        else -1.0
        for fit in fits
    ]
    best = fits[int(np.argmax(scores))]
    sizes = np.bincount(best.labels_, minlength=len(best.cluster_centers_))
    order = np.argsort(-sizes, kind="stable")
    label = np.argsort(order)[best.labels_].astype(np.int64)
    decisions.add("clusters", f"{len(order)} groups", f"largest mean silhouette, {max(scores):.2f}")
    return Clustering(
        groups_of(Z, best.cluster_centers_[order], label, reading),
        float(best.inertia_),
        tuple(tried),
        tuple(scores),
        label,
    )
