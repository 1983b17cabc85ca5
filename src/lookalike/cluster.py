"""Functions beside the clusterings: how many clusters there are."""

from lookalike.models.cluster.n_clusters import choose_clusters

__all__ = ["choose_clusters"]
