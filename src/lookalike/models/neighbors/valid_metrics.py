"""The names of metrics that each kind of search takes, as scikit-learn lists them."""

from __future__ import annotations

KD_TREE_METRICS = [
    "euclidean",
    "l2",
    "minkowski",
    "p",
    "manhattan",
    "cityblock",
    "l1",
    "chebyshev",
    "infinity",
]
BINARY_METRICS = [
    "jaccard",
    "dice",
    "rogerstanimoto",
    "russellrao",
    "sokalmichener",
    "sokalsneath",
]
BALL_TREE_METRICS = [
    *KD_TREE_METRICS,
    "seuclidean",
    "mahalanobis",
    "hamming",
    "canberra",
    "braycurtis",
    *BINARY_METRICS,
    "haversine",
    "pyfunc",
]
SPARSE_METRICS = ["cityblock", "cosine", "euclidean", "l1", "l2", "manhattan", "precomputed"]
BRUTE_METRICS = sorted(
    {
        *BALL_TREE_METRICS,
        *SPARSE_METRICS,
        "correlation",
        "nan_euclidean",
        "sqeuclidean",
        "yule",
    }
    - {"infinity", "p", "pyfunc"}
)
VALID_METRICS = {
    "ball_tree": BALL_TREE_METRICS,
    "kd_tree": KD_TREE_METRICS,
    "brute": BRUTE_METRICS,
}
VALID_METRICS_SPARSE: dict[str, list[str]] = {
    "ball_tree": [],
    "kd_tree": [],
    "brute": SPARSE_METRICS,
}
