"""The neighbor step of libraries that stand on neighbors, theirs and ours in turns.

Each race finds the nearest rows of all rows as the library does by itself, and as docs/graphs.md
puts ours in its place. Recall is the share of the true neighbors that theirs has. Rows are digits
where LOOKALIKE_DATA names the folder of mnist.npz, and clusters in many columns elsewhere.
Libraries that are not installed are left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
import sklearn.neighbors

from benchmarks.bench_density import images, wide_rows
from benchmarks.exact_data import lacks_file
from benchmarks.timing import BenchParser, heading, race
from lookalike.neighbors import KNeighborsTransformer, NearestNeighbors

Rows = np.ndarray
Step = Callable[[Rows, int], Rows | None]  # the rows of the neighbors, the row itself left out


def ours(X: Rows, k: int) -> Rows:
    """Return the nearest other rows of every row."""
    return NearestNeighbors(n_neighbors=k).fit(X).kneighbors(return_distance=False)


def scikit_learn(X: Rows, k: int) -> Rows:
    """Isomap, spectral methods, TSNE, label spreading, imbalanced-learn and skrub search so."""
    model = sklearn.neighbors.NearestNeighbors(n_neighbors=k, n_jobs=-1).fit(X)
    return model.kneighbors(return_distance=False)


def umap_learn(X: Rows, k: int) -> Rows:
    from umap.umap_ import nearest_neighbors

    found = nearest_neighbors(X, k + 1, "euclidean", {}, False, np.random.RandomState(0))
    return found[0][:, 1:]


def open_tsne(X: Rows, k: int) -> Rows:
    from openTSNE.nearest_neighbors import Annoy, NNDescent

    kind = NNDescent if find_spec("annoy") is None else Annoy
    return kind(X, k=k, random_state=0, n_jobs=-1).build()[0]


def hdbscan(X: Rows, k: int) -> Rows:
    """Core distances are found by a ball tree where there are many columns."""
    return sklearn.neighbors.BallTree(X).query(X, k + 1, return_distance=False)[:, 1:]


def cleanlab(X: Rows, k: int) -> Rows:
    from cleanlab.internal.neighbor.knn_graph import create_knn_graph_and_index

    graph, _ = create_knn_graph_and_index(
        X, n_neighbors=k, metric="euclidean", correct_exact_duplicates=False
    )
    return graph.indices.reshape(-1, k)


def scanpy(X: Rows, k: int, transformer: object = None) -> None:
    import anndata
    import scanpy

    data = anndata.AnnData(X)
    options = {} if transformer is None else {"transformer": transformer}
    scanpy.pp.neighbors(data, n_neighbors=k + 1, use_rep="X", **options)


LIBRARIES: dict[str, tuple[str, Step]] = {  # by title: the package, and its step
    "scikit-learn": ("sklearn", scikit_learn),
    "hdbscan": ("hdbscan", hdbscan),
    "cleanlab": ("cleanlab", cleanlab),
    "umap-learn": ("umap", umap_learn),
    "openTSNE": ("openTSNE", open_tsne),
}


def recall(found: Rows, true: Rows) -> float:
    """Return the share of the true neighbors that were found."""
    return float(np.mean([np.isin(a, b).mean() for a, b in zip(true, found, strict=True)]))


def main() -> None:
    parser = BenchParser(__doc__, rows=(5_000, 300), neighbors=(15, 5), rounds=(3, 1))
    args = parser.parse_args()
    heading(f"The neighbor step of other libraries: {args.rows} rows, {args.neighbors} neighbors")
    X = wide_rows(args.rows, 784) if lacks_file("mnist") else images(args.rows)
    X = X.astype(np.float32)
    true = ours(X, args.neighbors)
    warnings.simplefilter("ignore")  # of packages that are not ours
    for title, (package, step) in LIBRARIES.items():
        if find_spec(package) is None:
            print(f"\n{title}: not installed")
            continue
        found = step(X, args.neighbors)  # compiles what it compiles
        ways = {
            "lookalike": lambda: ours(X, args.neighbors),
            title: lambda step=step: step(X, args.neighbors),
        }
        race(f"{title}: nearest rows", ways, rounds=args.rounds)
        print(f"  recall of theirs: {recall(found, true):.4f}")
    if find_spec("scanpy") is None:
        print("\nscanpy: not installed")
        return
    transformer = KNeighborsTransformer(n_neighbors=args.neighbors + 1)
    scanpy(X[:200], args.neighbors, transformer)
    scanpy(X[:5000], args.neighbors)  # compiles what it compiles
    ways = {
        "lookalike": lambda: scanpy(X, args.neighbors, transformer),
        "scanpy": lambda: scanpy(X, args.neighbors),
    }
    race("scanpy: pp.neighbors, the graph of UMAP included", ways, rounds=args.rounds)


if __name__ == "__main__":
    main()
