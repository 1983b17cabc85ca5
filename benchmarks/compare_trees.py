"""The same work by two trees of lookalike, in turns: what became slower between them.

Run: python -m benchmarks.compare_trees OTHER [--quick] [--rounds N] [--only WORK …]

OTHER is the Python of the environment that the other tree, such as the one before a refactoring,
was installed into; without it this tree is compared with itself, which shows the noise. Each tree
has a process of its own; every piece of work is done once unmeasured, then in turns. The work is
that of the benchmarks of these names, smaller, and by names that did not change. Ratios are this
tree's time by the other's, so that above 1 is slower: of the medians, of the least times, which
other programs disturb least, and of the least processor times of all threads. Slower is what is
slower in the median and in the least time.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

ALLOWED = 1.05
Work = Callable[[], object]
SHRINK = 30  # one row in so many is left of the work when it is quick


@cache
def all_images(shrink: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """60,000 images of 28 x 28 with their classes, and 2,000 queries: MNIST, or as compressible."""
    path = Path(os.environ.get("LOOKALIKE_DATA", ".")) / "mnist.npz"
    if path.exists():
        with np.load(path) as file:
            X = file["x_train"].reshape(-1, 784)[::shrink].astype(np.float32)
            queries = file["x_test"].reshape(-1, 784)[: 2000 // shrink] * 1.0
            return X, file["y_train"][::shrink].astype(int), queries
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=62_000 // shrink)
    low = rng.normal(size=(10, 20))[y] + rng.normal(size=(len(y), 20))
    X = np.round(np.clip(low @ rng.normal(size=(20, 784)) * 20 + 60, 0, 255)).astype(np.float32)
    n = 60_000 // shrink
    return X[:n], y[:n], X[n:].astype(np.float64)


@cache
def drawn(rows: int, columns: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, columns))


@cache
def grouped(rows: int, columns: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows around 32 centers, and the number of the center."""
    y = np.random.default_rng(seed).integers(32, size=rows)
    return 3 * drawn(32, columns, seed + 1)[y] + drawn(rows, columns, seed), y


def works(shrink: int) -> dict[str, Callable[[], Work]]:
    """Return what makes each piece of work: it is prepared, and then timed alone."""
    import lookalike as la

    older = getattr(la, "CondensedNeighbors", None)  # as it is called in older trees
    condensed = older or la.CondensedNearestNeighbour

    def images() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return all_images(shrink)

    def normal(rows: int, columns: int, seed: int = 0) -> np.ndarray:
        return drawn(rows // shrink, columns, seed)

    def groups(rows: int, columns: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
        return grouped(rows // shrink, columns, seed)

    def neighbors(X: np.ndarray, queries: np.ndarray, k: int, **options: object) -> Work:
        model = la.NearestNeighbors(n_neighbors=k, **options).fit(X)
        return lambda: model.kneighbors(queries)

    def one_by_one() -> Work:
        model = la.NearestNeighbors(n_neighbors=10).fit(images()[0])
        return lambda: [model.kneighbors(row[None]) for row in images()[2][:200]]

    def kdtree(X: np.ndarray) -> Work:
        return lambda: la.NearestNeighbors(n_neighbors=8, algorithm="kd_tree").fit(X).kneighbors(X)

    def predict() -> Work:
        model = la.KNeighborsClassifier(5, weights="distance").fit(*images()[:2])
        return lambda: model.predict(images()[2])

    def select_k() -> Work:
        X, y = images()[0][:10_000], images()[1][:10_000]
        return lambda: la.KNeighborsClassifier("loo").fit(X, y)

    def kernel() -> Work:
        name = "KernelDensityClassifier"  # or its name in older trees
        classifier = getattr(la, name, None) or la.SoftNeighborsClassifier
        model = classifier(400.0).fit(images()[0][:20_000], images()[1][:20_000])
        return lambda: model.predict(images()[2])

    def kmeans(X: np.ndarray, k: int, rounds: int) -> Work:
        options = {"init": np.asarray(X[:k]), "n_init": 1, "max_iter": rounds, "tol": 0}
        return lambda: la.KMeans(k, **options).fit(X)

    def mixture(kind: str) -> Work:
        X = groups(60_000, 16)[0]
        options = {"covariance_type": kind, "max_iter": 5, "tol": 1e-12, "random_state": 0}
        return lambda: la.GaussianMixture(16, **options, means_init=X[:16]).fit(X)

    def rbf() -> Work:
        X = normal(20_000, 16)
        model = la.RBFNetworkRegressor(50, width=4.0, random_state=0)
        return lambda: model.fit(X, np.sin(X[:, 0]))

    def wrapper() -> Work:
        from sklearn.datasets import load_breast_cancer

        X, y = load_breast_cancer(return_X_y=True)
        return lambda: la.models.SelectByWrapper(max_features=8).fit(X, y)

    def univariate() -> Work:
        y = (normal(300_000, 50)[:, 0] > 0).astype(int)
        return lambda: la.models.SelectByFilter("pearson", k=5).fit(normal(300_000, 50), y)

    def stream() -> Work:
        folder = tempfile.mkdtemp()
        path = Path(folder) / "rows.npy"
        np.save(path, normal(400_000, 64))

        def fit() -> None:
            with la.config(memory="100MB"):
                la.PCA(8).fit(str(path))

        return fit

    def store() -> Work:
        model = la.KNeighborsClassifier(5).fit(*images()[:2])
        path = Path(tempfile.mkdtemp()) / "model.lookalike"

        def there_and_back() -> None:
            la.save(model, path)
            la.load(path).predict(images()[2][:1])

        return there_and_back

    def texts() -> Work:
        rng = np.random.default_rng(0)
        words = np.array([f"word{i}" for i in range(5000)])
        share = 1 / np.arange(1, 5001)
        drawn = rng.choice(5000, size=(3000 // shrink, 100), p=share / share.sum())
        documents = [" ".join(words[row]) for row in drawn]
        return lambda: la.LSA(50).fit(documents)

    X, y = groups(20_000, 64, 5)
    return {
        "exact, k = 10": lambda: neighbors(images()[0], images()[2], 10),
        "exact, k = 100": lambda: neighbors(images()[0], images()[2], 100),
        "exact, one query at a time": one_by_one,
        "exact, nothing prunes": lambda: neighbors(normal(50_000, 128), normal(1000, 128, 1), 10),
        "exact, with build": lambda: (
            lambda: la.NearestNeighbors(n_neighbors=10).fit(images()[0]).kneighbors(images()[2])
        ),
        "scan, manhattan": lambda: neighbors(
            normal(50_000, 32), normal(500, 32, 1), 10, metric="manhattan", algorithm="brute"
        ),
        "KD-tree, with build": lambda: kdtree(normal(200_000, 3)),
        "predict, K-NN": predict,
        "select K": select_k,
        "kernel classifier": kernel,
        "condensed neighbors": lambda: (
            lambda: condensed().fit(images()[0][:10_000], images()[1][:10_000])
        ),
        "k-means, images": lambda: kmeans(images()[0], 100, 10),
        "k-means, many": lambda: kmeans(groups(300_000, 16)[0], 200, 8),
        "mixture, full": lambda: mixture("full"),
        "mixture, diagonal": lambda: mixture("diag"),
        "RBF network": rbf,
        "PCA": lambda: lambda: la.PCA(50).fit(images()[0]),
        "PCA, stream": stream,
        "kernel PCA": lambda: lambda: la.KernelPCA(10, kernel="rbf", gamma=0.01).fit(X[:2500]),
        "discriminant": lambda: lambda: la.LinearDiscriminantAnalysis().fit(X, y).transform(X),
        "LSA": texts,
        "univariate": univariate,
        "wrapper": wrapper,
        "store": store,
    }


def serve() -> None:
    """Do what is asked for, a line each: a name to prepare, and then every time it is timed."""
    warnings.simplefilter("ignore")  # few rounds do not converge
    known, ready = works(SHRINK if "--quick" in sys.argv else 1), {}
    print(json.dumps({"works": list(known)}), flush=True)
    for line in sys.stdin:
        name = line.strip()
        if name not in ready:
            ready.clear()
            try:
                ready[name] = known[name]()
                ready[name]()
            except Exception as error:
                print(json.dumps({"error": f"{type(error).__name__}: {error}"[:150]}), flush=True)
                ready.clear()
                continue
        start, used = time.perf_counter(), time.process_time()
        ready[name]()
        seconds, spent = time.perf_counter() - start, time.process_time() - used
        print(json.dumps({"seconds": seconds, "cpu": spent}), flush=True)


class Tree:
    """A process that works with the lookalike of one environment."""

    def __init__(self, python: str, quick: bool) -> None:
        command = [python, str(Path(__file__).resolve()), "--serve", *["--quick"] * quick]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.works = self._answer()["works"]

    def time(self, name: str) -> dict[str, float]:
        assert self.process.stdin is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()

    def _answer(self) -> dict:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            sys.exit("A tree ended before its work was done; its message is above.")
        return json.loads(line)


def main() -> None:
    from benchmarks.timing import BenchParser  # not where the other tree serves

    parser = BenchParser(__doc__, rounds=(5, 1))
    parser.add_argument(
        "other",
        nargs="?",
        default=sys.executable,
        help="the Python that the other tree is installed for; by default that of this tree",
    )
    parser.add_argument("--only", nargs="*", default=(), help="names of work")
    given = parser.parse_args()
    pythons = {"this": sys.executable, "other": given.other}
    trees = {title: Tree(python, given.quick) for title, python in pythons.items()}
    print(f"python -m benchmarks.compare_trees, {given.rounds} rounds; seconds, and ratios")
    print(
        f"{'work':28} {'other':>8} {'this':>8} {'median':>7} {'least':>6} {'CPU':>6} {'spread':>12}"
    )
    slower, broken = [], []
    names = given.only or trees["this"].works
    for name in names:
        times: dict[str, list[dict[str, float]]] = {title: [] for title in trees}
        for _ in range(given.rounds):
            for title, tree in trees.items():
                times[title].append(tree.time(name))
        failed = {tree: one[0]["error"] for tree, one in times.items() if "error" in one[0]}
        if failed:
            print(f"{name:28} {failed}", flush=True)
            broken += [name] * ("this" in failed)
            continue
        this, other = ([one["seconds"] for one in times[tree]] for tree in ("this", "other"))
        ratio, least = (by(this) / by(other) for by in (statistics.median, min))
        cpu = min(one["cpu"] for one in times["this"]) / min(one["cpu"] for one in times["other"])
        pairs = [a / b for a, b in zip(this, other, strict=True)]
        print(
            f"{name:28} {statistics.median(other):8.3f} {statistics.median(this):8.3f} "
            f"{ratio:7.2f} {least:6.2f} {cpu:6.2f} {min(pairs):5.2f} to {max(pairs):4.2f}",
            flush=True,
        )
        if min(ratio, least) > ALLOWED:
            slower.append(name)
    for tree in trees.values():
        tree.close()
    print(f"slower by more than 5%: {', '.join(slower) or 'none'}")
    if broken:
        sys.exit(f"failed in this tree: {', '.join(broken)}")


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else main()
