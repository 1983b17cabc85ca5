"""Beside the clusterings: centers that are rows, and how many clusters there are."""

from lookalike.models.cluster.kcenter import KCenter
from lookalike.models.cluster.n_clusters import choose_clusters

__all__ = ["KCenter", "choose_clusters"]
