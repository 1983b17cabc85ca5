"""Other tools that find exact neighbors: each one's rows in, its search out."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from lookalike.settings import settings

PANORAMA_LEVELS, PANORAMA_BATCH = (8, 16, 28), 512


def faiss_flat(X):
    import faiss

    faiss.omp_set_num_threads(settings().threads)
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X)
    return index.search


def faiss_panorama(X, trial):
    """Return Panorama's search of rows that are rotated by PCA, at the setting quickest on a trial.

    Queries are rotated within the search, as a user would have to.
    """
    import time

    import faiss

    faiss.omp_set_num_threads(settings().threads)
    sample = X[:: max(1, len(X) // 10_000)].astype(np.float64)
    _, axes = np.linalg.eigh(np.cov(sample.T))
    axes = np.ascontiguousarray(axes[:, ::-1], np.float32)
    rotated = X @ axes
    best = None, np.inf
    for levels in PANORAMA_LEVELS:
        if X.shape[1] % levels:
            continue
        index = faiss.IndexFlatL2Panorama(X.shape[1], levels, PANORAMA_BATCH)
        index.add(rotated)
        start = time.perf_counter()
        index.search(trial @ axes, 10)
        best = min(best, (index, time.perf_counter() - start), key=lambda one: one[1])
    return lambda Q, k: best[0].search(Q @ axes, k)


def scikit_learn(X):
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(algorithm="brute", n_jobs=settings().threads).fit(X).kneighbors


def scikit_learn_intelex(X):
    from sklearnex.neighbors import NearestNeighbors

    return NearestNeighbors(algorithm="brute", n_jobs=settings().threads).fit(X).kneighbors


def usearch(X):
    from usearch.index import search

    return lambda Q, k: search(X, Q, k, "l2sq", exact=True, threads=settings().threads)


def hnswlib(X):
    from hnswlib import BFIndex

    flat = BFIndex("l2", X.shape[1])
    flat.init_index(len(X))
    flat.add_items(X)
    flat.set_num_threads(settings().threads)
    return flat.knn_query


SLOWER = {  # name: its module, rows in -> search out
    "scikit-learn brute": ("sklearn", scikit_learn),
    "scikit-learn-intelex brute": ("sklearnex", scikit_learn_intelex),
    "usearch exact": ("usearch", usearch),
    "hnswlib BFIndex": ("hnswlib", hnswlib),
}


def installed(module: str) -> bool:
    """Return whether the peer can be imported."""
    return find_spec(module) is not None
