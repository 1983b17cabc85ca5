"""Wrapper selection by leave-one-out K-NN against scikit-learn's, which fits every set.

Run: python -m benchmarks.bench_wrapper
"""

from __future__ import annotations

from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.timing import heading, race
from lookalike import SelectByWrapper, Standardizer


def main() -> None:
    heading("wrappers around five neighbors, breast cancer 569 x 30 -> 15")
    X, y = load_breast_cancer(return_X_y=True)
    X = Standardizer().fit_transform(X)
    for direction in ("forward", "backward"):
        ours = SelectByWrapper(direction=direction, k=15)
        theirs = SequentialFeatureSelector(
            KNeighborsClassifier(5), direction=direction, n_features_to_select=15, cv=5
        )
        race(
            f"{direction}, ours by leave-one-out, theirs by 5 folds",
            {
                "lookalike, knn-loo": lambda ours=ours: ours.fit(X, y),
                "scikit-learn, cv=5": lambda theirs=theirs: theirs.fit(X, y),
            },
            rounds=3,
        )
    floating = SelectByWrapper(direction="floating", k=15)
    race("floating", {"lookalike, knn-loo": lambda: floating.fit(X, y)}, rounds=3)


if __name__ == "__main__":
    main()
