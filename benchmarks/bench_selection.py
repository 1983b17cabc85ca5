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


def grid_search(X, y):
    tried = {"n_neighbors": list(range(1, K_MAX + 1))}
    return GridSearchCV(Peer(n_jobs=-1), tried, cv=5, refit=False).fit(X, y)


def fitted(X, y):
    return KNeighborsClassifier("loo", k_max=K_MAX).fit(X, y)


def main() -> None:
    heading("selection")
    train = gather(sample("mnist", "train"))
    X, y = train.X.astype(np.float32), train.y
    few, labels = X[:10_000], y[:10_000]
    found = {}
    race(
        f"10000 MNIST rows: all K to {K_MAX}, leave-one-out and 5 folds, 2 weightings",
        {"lookalike, fit and all curves": lambda: found.update(us=fitted(few, labels))},
        rounds=5,
    )
    medians = race(
        f"the same beside a grid of {K_MAX} K in 5 folds, one weighting (once, for it takes long)",
        {
            "lookalike, fit and all curves": lambda: found.update(us=fitted(few, labels)),
            "scikit-learn, grid search": lambda: found.update(them=grid_search(few, labels)),
        },
        rounds=1,
    )
    ours, theirs = medians.values()
    print(f"  {theirs / ours:.0f}x (must 50, aim 200)")
    mine = 1 - found["us"].selection_.curves["cv", "uniform"].scores["error"]
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
