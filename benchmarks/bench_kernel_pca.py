"""Kernel PCA compared with scikit-learn's, at equal eigenvalues; landmarks on all of MNIST."""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.decomposition import KernelPCA as Theirs

from benchmarks.timing import heading, race
from lookalike import KernelPCA
from lookalike.data import sample

CASES = [
    ("2 of 5000", {"n_components": 2}),
    ("20 of 5000", {"n_components": 20}),
    ("100 of 5000", {"n_components": 100}),
]


def pixels(n_rows: int) -> np.ndarray:
    chunks = sample("mnist", "train").chunks()
    return np.concatenate([chunk.X for chunk in chunks])[:n_rows].reshape(n_rows, -1) / 255.0


def main(rows: int, rounds: int) -> None:
    heading("kernel PCA, rbf, MNIST")
    X = pixels(rows)
    for title, parameters in CASES:
        settings = {"kernel": "rbf", "gamma": 0.02, **parameters}
        ours, theirs = KernelPCA(**settings), Theirs(**settings)
        race(
            title.replace("5000", str(rows)),
            {
                "lookalike": lambda model=ours: model.fit(X),
                "scikit-learn": lambda model=theirs: model.fit(X),
            },
            rounds=rounds,
        )
        gap = np.abs(ours.eigenvalues_ / theirs.eigenvalues_ - 1).max()
        print(f"  eigenvalues agree to {gap:.0e}; {ours.decisions_.about('eigen_solver')[0]}")
    everything = pixels(60_000)
    for landmarks in (500, 1000):
        settings = {"kernel": "rbf", "gamma": "median", "n_components": 20, "landmarks": landmarks}
        model = KernelPCA(**settings)
        race(
            f"60000 rows, {landmarks} landmarks",
            {"lookalike": lambda model=model: model.fit(everything)},
            rounds=2,
        )
        print(f"  {model.decisions_.about('landmarks')[0]}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    main(arguments.rows, arguments.rounds)
