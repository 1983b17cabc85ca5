"""Linear discriminants compared with scikit-learn's, at equal predictions, on MNIST.

Run: LOOKALIKE_DATA=folder python -m benchmarks.bench_lda [--quick] [--rows 20000]
"""

from __future__ import annotations

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Theirs

from benchmarks.timing import BenchParser, heading, race
from lookalike import LinearDiscriminantAnalysis
from lookalike.data import sample


def main() -> None:
    options = BenchParser(__doc__, rows=(20_000, 500), rounds=(3, 1)).parse_args()
    heading("linear discriminants, MNIST")
    chunks = list(sample("mnist", "train").chunks())
    X = np.concatenate([chunk.X for chunk in chunks]).reshape(-1, 784)[: options.rows] / 255.0
    y = np.concatenate([chunk.y for chunk in chunks])[: options.rows]
    for settings in ({}, {"solver": "lsqr"}, {"solver": "eigen", "shrinkage": 0.1}):
        ours, theirs = LinearDiscriminantAnalysis(**settings), Theirs(**settings)
        race(
            f"{len(X)} rows, {settings or 'svd'}",
            {
                "lookalike": lambda model=ours: model.fit(X, y),
                "scikit-learn": lambda model=theirs: model.fit(X, y),
            },
            rounds=options.rounds,
        )
        print(f"  predictions equal in {(ours.predict(X) == theirs.predict(X)).mean():.2%}")


if __name__ == "__main__":
    main()
