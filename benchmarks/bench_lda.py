"""Linear discriminants compared with scikit-learn's, at equal predictions, on MNIST."""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Theirs

from benchmarks.timing import heading, race
from lookalike import LinearDiscriminantAnalysis
from lookalike.data import sample


def main(rows: int, rounds: int) -> None:
    heading("linear discriminants, MNIST")
    chunks = list(sample("mnist", "train").chunks())
    X = np.concatenate([chunk.X for chunk in chunks]).reshape(-1, 784)[:rows] / 255.0
    y = np.concatenate([chunk.y for chunk in chunks])[:rows]
    for settings in ({}, {"solver": "lsqr"}, {"solver": "eigen", "shrinkage": 0.1}):
        ours, theirs = LinearDiscriminantAnalysis(**settings), Theirs(**settings)
        race(
            f"{rows} rows, {settings or 'svd'}",
            {
                "lookalike": lambda model=ours: model.fit(X, y),
                "scikit-learn": lambda model=theirs: model.fit(X, y),
            },
            rounds=rounds,
        )
        print(f"  predictions equal in {(ours.predict(X) == theirs.predict(X)).mean():.2%}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    main(arguments.rows, arguments.rounds)
