"""How long the page waits: MNIST (60,000 x 784), and 1,000,000 rows of three columns.

Run: LOOKALIKE_DATA=… python -m benchmarks.bench_explorer [--quick]
Each line is one request of the page, without HTTP, once the neighbors of all rows are known.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from pathlib import Path

import numpy as np

from lookalike import KNeighborsClassifier
from lookalike.studies.load.dataset import Dataset
from lookalike.web.explorer.exploration import Exploration
from lookalike.web.explorer.explored_rows import ExploredRows
from lookalike.web.explorer.neighbor_model import NeighborModel
from lookalike.web.explorer.pending import NotReadyError
from lookalike.web.explorer.regions import decision_regions
from lookalike.web.explorer.selection import compare_selection


def mnist(quick):
    """Return images and digits."""
    file = np.load(Path(os.environ["LOOKALIKE_DATA"]) / "mnist.npz")
    n = 5_000 if quick else 60_000
    names = [f"pixel_{i}_{j}" for i in range(28) for j in range(28)]
    return file["x_train"][:n].reshape(-1, 784), file["y_train"][:n], names, (28, 28)


def gaussians(quick):
    """Return rows of five classes in three columns."""
    rng, n = np.random.default_rng(0), 50_000 if quick else 1_000_000
    y = rng.integers(0, 5, n)
    return rng.normal(size=(n, 3)) + y[:, None], y, list("abc"), None


def explored(X, y, names, shape):
    """Return the exploration of a model of K = 3, and when it was opened and ready."""
    dataset = Dataset(X, dict.fromkeys(names, "number"), np.arange(len(X)), y, True, shape)
    rows = ExploredRows(
        "bench", "classification", dataset, np.unique(y), y.astype(np.int64), None,
        np.zeros(len(X), bool),
    )  # fmt: skip
    model = KNeighborsClassifier(3).fit(X, y)
    begin = time.perf_counter()
    neighbors = NeighborModel(
        model, "K-NN", "K-NN: the model", np.asarray, X, np.arange(len(X)), names, names
    )
    exploration = Exploration(rows, neighbors)
    opened = time.perf_counter() - begin
    while not neighbors.ready:
        try:
            neighbors.leave_one_out()
        except NotReadyError:
            continue
    return exploration, opened, time.perf_counter() - begin


def requests(exploration):
    """Return what the page asks for, by name."""
    label = exploration.rows.class_names[0]
    here = np.arange(len(exploration.rows)) < 5000
    return {
        "map of all rows": lambda: exploration.maps.get("pca").xy.astype("<f4").tobytes(),
        "color: label": lambda: exploration.colors.get("label").tobytes(),
        "color: stability over K": lambda: exploration.colors.get("stable").tobytes(),
        "evidence of a row": lambda: exploration.evidence.of_row(17),
        "leave-one-out curve": exploration.k_curve,
        "predictions at another K": lambda: exploration.predicted_at(7),
        "effect of a label": lambda: exploration.review.effect(17, label),
        "torn neighbors of a row": lambda: exploration.maps.torn("pca", 5),
        "decision regions": lambda: decision_regions(exploration, "pca", 5, 128),
        "selection of 5,000 rows": lambda: compare_selection(exploration, here),
    }


def main():
    """Print the seconds of every request, the best of three."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    for load in (mnist, gaussians):
        X, *rest = load(quick)
        exploration, opened, ready = explored(X, *rest)
        print(f"\n{load.__name__}: {X.shape[0]:,} rows x {X.shape[1]} columns")
        print(f"  opened with PCA and LDA after {opened:.1f} s, all neighbors after {ready:.1f} s")
        for name, call in requests(exploration).items():
            seconds = []
            for _ in range(3):
                begin = time.perf_counter()
                call()
                seconds.append(time.perf_counter() - begin)
            print(f"  {name:28s} {1000 * min(seconds):9.1f} ms")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"\npeak memory {peak:.1f} GB")


if __name__ == "__main__":
    main()
