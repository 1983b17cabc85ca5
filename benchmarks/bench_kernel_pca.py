"""Kernel PCA compared with scikit-learn's, at equal eigenvalues; landmarks on all of MNIST.

Run: LOOKALIKE_DATA=folder python -m benchmarks.bench_kernel_pca [--quick] [--rows 5000]
A full run takes about 1.5 minutes on two cores.
"""

from __future__ import annotations

import numpy as np
from sklearn.decomposition import KernelPCA as Theirs

from benchmarks.timing import BenchParser, heading, race
from lookalike import KernelPCA
from lookalike.data import sample

COMPONENTS = (2, 20, 100)


def pixels(n_rows: int) -> np.ndarray:
    chunks = sample("mnist", "train").chunks()
    rows = np.concatenate([chunk.X for chunk in chunks])[:n_rows]
    return rows.reshape(len(rows), -1) / 255.0


def main() -> None:
    sizes = {"rows": (5000, 500), "all_rows": (60_000, 2_000), "landmarks": (1000, 100)}
    options = BenchParser(__doc__, **sizes, rounds=(3, 1)).parse_args()
    heading("kernel PCA, rbf, MNIST")
    X = pixels(options.rows)
    for count in COMPONENTS:
        settings = {"kernel": "rbf", "gamma": 0.02, "n_components": count}
        ours, theirs = KernelPCA(**settings), Theirs(**settings)
        race(
            f"{count} of {len(X)}",
            {
                "lookalike": lambda model=ours: model.fit(X),
                "scikit-learn": lambda model=theirs: model.fit(X),
            },
            rounds=options.rounds,
        )
        gap = np.abs(ours.eigenvalues_ / theirs.eigenvalues_ - 1).max()
        print(f"  eigenvalues agree to {gap:.0e}; {ours.decisions_.about('eigen_solver')[0]}")
    everything = pixels(options.all_rows)
    for landmarks in (options.landmarks // 2, options.landmarks):
        settings = {"kernel": "rbf", "gamma": "median", "n_components": 20, "landmarks": landmarks}
        model = KernelPCA(**settings)
        race(
            f"{len(everything)} rows, {landmarks} landmarks",
            {"lookalike": lambda model=model: model.fit(everything)},
            rounds=min(2, options.rounds),
        )
        print(f"  {model.decisions_.about('landmarks')[0]}")


if __name__ == "__main__":
    main()
