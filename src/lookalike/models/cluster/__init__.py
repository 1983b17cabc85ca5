"""Clustering: K-means, k-center, by density, and the choice of the number of clusters."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "dbscan": ["DBSCAN"],
        "hdbscan": ["HDBSCAN"],
        "kcenter": ["KCenter"],
        "kmeans": ["KMeans"],
        "optics": ["OPTICS"],
        "n_clusters": ["choose_clusters"],
    },
)
