"""The clusterings under scikit-learn's names, centers that are rows, and how many clusters."""

from lookalike.models.cluster.bisecting import BisectingKMeans
from lookalike.models.cluster.dbscan import DBSCAN
from lookalike.models.cluster.hdbscan import HDBSCAN
from lookalike.models.cluster.kcenter import KCenter
from lookalike.models.cluster.kmeans import KMeans
from lookalike.models.cluster.minibatch import MiniBatchKMeans
from lookalike.models.cluster.n_clusters import choose_clusters
from lookalike.models.cluster.optics import OPTICS

__all__ = [
    "DBSCAN",
    "HDBSCAN",
    "OPTICS",
    "BisectingKMeans",
    "KCenter",
    "KMeans",
    "MiniBatchKMeans",
    "choose_clusters",
]
