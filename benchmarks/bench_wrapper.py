"""Wrapper selection by leave-one-out K-NN against scikit-learn's, which fits every set.

Run: python -m benchmarks.bench_wrapper [--quick]
A full run takes about 20 seconds on two cores.
"""

from __future__ import annotations

from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.timing import BenchParser, heading, race
from lookalike import StandardScaler
from lookalike.feature_selection import SelectByWrapper


def main() -> None:
    sizes = {"rows": (569, 150), "columns": (30, 8), "rounds": (3, 1)}
    options = BenchParser(__doc__, **sizes).parse_args()
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[: options.rows, : options.columns], y[: options.rows]
    rows, columns = X.shape
    k = columns // 2
    heading(f"wrappers around five neighbors, breast cancer {rows} x {columns} -> {k}")
    X = StandardScaler().fit_transform(X)
    for direction in ("forward", "backward"):
        ours = SelectByWrapper(direction=direction, k=k)
        theirs = SequentialFeatureSelector(
            KNeighborsClassifier(5), direction=direction, n_features_to_select=k, cv=5
        )
        race(
            f"{direction}, ours by leave-one-out, theirs by 5 folds",
            {
                "lookalike, knn-loo": lambda ours=ours: ours.fit(X, y),
                "scikit-learn, cv=5": lambda theirs=theirs: theirs.fit(X, y),
            },
            rounds=options.rounds,
        )
    floating = SelectByWrapper(direction="floating", k=k)
    race("floating", {"lookalike, knn-loo": lambda: floating.fit(X, y)}, rounds=options.rounds)


if __name__ == "__main__":
    main()
