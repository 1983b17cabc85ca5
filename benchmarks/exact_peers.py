"""Other tools that find exact neighbors: each one's rows in, its search out."""

from __future__ import annotations

from importlib.util import find_spec

from lookalike.settings import settings


def faiss_flat(X):
    import faiss

    faiss.omp_set_num_threads(settings().threads)
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X)
    return index.search


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
