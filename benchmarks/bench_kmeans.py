"""k-means compared with other libraries: same start, same iterations, two threads each.

Libraries that assign in float32 may differ by 1e-5 after 50 iterations: a row as far from two
centers goes to the other one, after which the paths part. scikit-learn-intelex is run once more
with rows of float64, not timed, and then takes our path.

Run: python -m benchmarks.bench_kmeans [--quick] [--only digits|many|streamed]
A full run takes about 3 minutes on two cores.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import cluster as theirs
from threadpoolctl import threadpool_limits

from benchmarks.bench_pca import blocks, digits, write_rows
from benchmarks.exact_peers import installed
from benchmarks.timing import BenchParser, heading, race
from lookalike import KMeans
from lookalike.settings import config

THREADS = 2
PEERS = {"scikit-learn-intelex": "sklearnex", "FAISS": "faiss", "scikit-learn": "sklearn"}


def compare(title: str, X: np.ndarray, k: int, max_iter: int, peers: list[str], turns: int) -> None:
    """Race all ways from one start; the objectives they reach are printed too."""
    start = X[np.random.default_rng(0).choice(len(X), k, replace=False)]
    reached: dict[str, float] = {}

    def record(name: str, centers: np.ndarray) -> None:
        if name not in reached:
            known = KMeans(k, init=centers, max_iter=1, tol=0)
            known.cluster_centers_ = np.ascontiguousarray(centers, np.float64)
            known.n_features_in_ = X.shape[1]
            reached[name] = -known.score(X)

    ways: dict[str, Callable[[], Any]] = {}
    made = {
        "lookalike": lambda: ours(X, start, max_iter).cluster_centers_,
        "scikit-learn-intelex": lambda: intel(X, start, max_iter),
        "FAISS": lambda: faiss(X, start, max_iter),
        "scikit-learn": lambda: sklearn(X, start, max_iter),
    }
    for name in ["lookalike", *peers]:
        record(name, made[name]())
        ways[name] = made[name]
    race(f"{title}, {max_iter} iterations", ways, rounds=turns)
    if "scikit-learn-intelex" in peers:
        wide = X.astype(np.float64)
        record("the same in float64, not timed", intel(wide, start.astype(np.float64), max_iter))
    least = min(reached.values())
    for name, value in reached.items():
        difference = abs(value / reached["lookalike"] - 1)
        print(
            f"  {name:34} objective {value:.9g}, {value / least - 1:.1e} above the least, "
            f"{difference:.1e} from ours"
        )


def ours(X: np.ndarray, start: np.ndarray, max_iter: int) -> KMeans:
    return KMeans(len(start), init=start, max_iter=max_iter, tol=0, n_jobs=THREADS).fit(X)


def sklearn(X: np.ndarray, start: np.ndarray, max_iter: int) -> np.ndarray:
    model = theirs.KMeans(len(start), init=start, n_init=1, max_iter=max_iter, tol=0)
    return model.fit(X).cluster_centers_


def intel(X: np.ndarray, start: np.ndarray, max_iter: int) -> np.ndarray:
    from sklearnex.cluster import KMeans as Intel

    model = Intel(len(start), init=start, n_init=1, max_iter=max_iter, tol=0)
    return model.fit(X).cluster_centers_


def faiss(X: np.ndarray, start: np.ndarray, max_iter: int) -> np.ndarray:
    import faiss as library

    library.omp_set_num_threads(THREADS)
    model = library.Kmeans(
        X.shape[1], len(start), niter=max_iter, max_points_per_centroid=len(X), verbose=False
    )
    model.train(X, init_centroids=start)
    return model.centroids


def mixture(n_rows: int, n_columns: int, groups: int) -> np.ndarray:
    """Return rows of many overlapping groups of unlike size."""
    rng = np.random.default_rng(0)
    middle = rng.standard_normal((groups, n_columns), dtype=np.float32)
    share = rng.dirichlet(np.full(groups, 2.0))
    X = middle[rng.choice(groups, n_rows, p=share)]
    X += np.float32(0.5) * rng.standard_normal((n_rows, n_columns), dtype=np.float32)
    return X


def streamed(gigabytes: float, folder: Path) -> None:
    """A few iterations over a file, in a process of its own whose peak memory is read."""
    n_rows = int(gigabytes * 1e9 / 4 / 784)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = Path(place) / "rows.npy"
        write_rows(path, n_rows, 784)
        command = [sys.executable, "-m", "benchmarks.bench_kmeans", "--child", str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        seconds, peak = map(float, done.stdout.split()[-2:])
        size = path.stat().st_size / 1e9
        print(
            f"\nk-means of 20 centers over a file of {size:.2f} GB, 2 iterations: {seconds:.1f} s,",
            end="",
        )
        print(f" most memory {peak / 1e6:.0f} MB (at most 500)")


def child(path: Path) -> None:
    """Fit on the file, read in blocks so that mapped pages do not count as memory."""
    begin = time.perf_counter()
    with config(memory="400MB"):
        KMeans(20, max_iter=2).fit(lambda: blocks(path, 2500))
    seconds = time.perf_counter() - begin
    status = Path("/proc/self/status").read_text()
    print(seconds, 1024 * float(status.split("VmHWM:")[1].split()[0]))


def main() -> None:
    sizes = {"rows": (60_000, 3_000), "many": (1_000_000, 10_000), "clusters": (1000, 100)}
    parser = BenchParser(__doc__, **sizes, turns=(3, 1), gigabytes=(4.0, 0.05))
    parser.add_argument("--only", choices=["digits", "many", "streamed"])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.child)
        return
    heading("k-means")
    print("same start, same number of iterations; some assign in float32: their paths part late")
    os.environ.setdefault("OMP_NUM_THREADS", str(THREADS))
    with threadpool_limits(THREADS):
        if given.only in (None, "digits"):
            X = digits(given.rows)
            everyone = [name for name, module in PEERS.items() if installed(module)]
            for name in PEERS.keys() - everyone:
                print(f"{name} is not installed: left out")
            compare(f"digits {len(X)} x 784, k = 100", X, 100, 50, everyone, given.turns)
        if given.only in (None, "many"):
            X, k = mixture(given.many, 32, 2 * given.clusters), given.clusters
            compare(f"{len(X)} x 32, k = {k}", X, k, 10, ["scikit-learn"], given.turns)
    if given.only in (None, "streamed"):
        streamed(given.gigabytes, given.folder)


if __name__ == "__main__":
    main()
