"""K chosen from one search beside a grid search that fits again; answers beside scikit-learn's.

Run: LOOKALIKE_DATA=folder python -m benchmarks.bench_selection
"""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier as Peer

from benchmarks.timing import heading, race
from lookalike import KNeighborsClassifier
from lookalike.data import gather, sample

K_MAX = 25
TRIED = (1, 7, 13, 19, 25)  # by the grid search, whose time is stretched to all K


def grid_search(X, y):
    return GridSearchCV(Peer(n_jobs=-1), {"n_neighbors": TRIED}, cv=5, refit=False).fit(X, y)


def main() -> None:
    heading("selection")
    train = gather(sample("mnist", "train"))
    X, y = train.X.astype(np.float32), train.y
    few, labels = X[:10_000], y[:10_000]
    found = {}
    medians = race(
        f"10000 MNIST rows: all K, LOO and folds, 2 weightings; beside {len(TRIED)} K in 5 folds",
        {
            "lookalike, fit and all curves": lambda: found.update(
                us=KNeighborsClassifier("cv").fit(few, labels)
            ),
            "scikit-learn, grid search": lambda: found.update(them=grid_search(few, labels)),
        },
        rounds=3,
    )
    ours, theirs = medians.values()
    print(f"  for all {K_MAX} K: {theirs * K_MAX / len(TRIED) / ours:.0f}x (must 50, aim 200)")
    mine = 1 - found["us"].selection_.curves["cv", "uniform"].scores["error"][np.array(TRIED) - 1]
    peer = found["them"].cv_results_["mean_test_score"]
    print(f"  largest difference of the accuracies: {np.abs(mine - peer).max():.4f} (tie rules)")
    queries = gather(sample("mnist", "test")).X.astype(np.float32)[:2000]
    us, them = KNeighborsClassifier().fit(X, y), Peer(n_jobs=-1).fit(X, y)
    race(
        "predict 2000 rows among 60000 of MNIST, K = 5",
        {"lookalike": lambda: us.predict(queries), "scikit-learn": lambda: them.predict(queries)},
        rounds=3,
    )


if __name__ == "__main__":
    main()
