"""Every K from one search against a grid search; predictions against scikit-learn's.

Run: LOOKALIKE_DATA=folder python -m benchmarks.bench_k_selection [--quick]
A full run takes about a minute on two cores.
"""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier as Peer

from benchmarks.timing import BenchParser, heading, race
from lookalike import KNeighborsClassifier, NearestNeighbors
from lookalike.data import gather, sample
from lookalike.kernels.votes import VotingRule, count_votes, gather_voters

K_MAX = 25


def grid_search(X, y):
    tried = {"n_neighbors": list(range(1, K_MAX + 1))}
    return GridSearchCV(Peer(n_jobs=-1), tried, cv=5, refit=False).fit(X, y)


def fitted(X, y):
    return KNeighborsClassifier("loo", k_max=K_MAX).fit(X, y)


def rows_that_differ(X, y, peer) -> int:
    """Return how many rows the two get right or wrong unlike, with the peer's rule for ties.

    The folds are the same. Of level classes the peer takes the lowest label, as our rule "prior"
    does where all classes are believed alike. Right rows are compared fold by fold and K by K.
    """
    fold = np.empty(len(X), np.int64)
    for number, (_, test) in enumerate(StratifiedKFold(5).split(X, y)):
        fold[test] = number
    classes, codes = np.unique(y, return_inverse=True)
    distance, row = NearestNeighbors().fit(X).kneighbors(None, 3 * K_MAX)
    voters = gather_voters(distance, row, own=np.arange(len(X)), group=fold, complete=False)
    rule = VotingRule(len(classes), ties="prior")
    right = codes == count_votes(voters, codes, rule, range(1, K_MAX + 1)).winner.T
    differ = 0
    for number in range(5):
        here = fold == number
        theirs = np.rint(peer.cv_results_[f"split{number}_test_score"] * here.sum())
        differ += int(np.abs(right[:, here].sum(axis=1) - theirs).sum())
    return differ


def main() -> None:
    sizes = {"rows": (60_000, 5_000), "few": (10_000, 500), "queries": (2_000, 200)}
    options = BenchParser(__doc__, **sizes, rounds=(5, 1)).parse_args()
    heading("K selection")
    train = gather(sample("mnist", "train"))
    X, y = train.X[: options.rows].astype(np.float32), train.y[: options.rows]
    few, labels = X[: options.few], y[: options.few]
    models = {}
    race(
        f"{len(few)} MNIST rows: all K to {K_MAX}, leave-one-out and 5 folds, 2 weightings",
        {"lookalike, fit and all curves": lambda: models.update(us=fitted(few, labels))},
        rounds=options.rounds,
    )
    medians = race(
        f"the same against a grid of {K_MAX} K in 5 folds, one weighting (once, for it is slow)",
        {
            "lookalike, fit and all curves": lambda: models.update(us=fitted(few, labels)),
            "scikit-learn, grid search": lambda: models.update(them=grid_search(few, labels)),
        },
        rounds=1,
    )
    ours, theirs = medians.values()
    print(f"  {theirs / ours:.0f}x (must 50, aim 200)")
    mine = 1 - models["us"].selection_.curves["cv", "uniform"].scores["error"]
    peer = models["them"].cv_results_["mean_test_score"]
    at = int(np.abs(mine - peer).argmax())
    print(
        f"  largest difference of the accuracies in the same folds: {mine[at] - peer[at]:+.4f} at "
        f"K = {at + 1}: ties ask more neighbors here, there the lowest label wins"
    )
    differ = rows_that_differ(few, labels, models["them"])
    print(f"  with its rule for ties {differ} of {K_MAX * len(few)} answers differ in being right")
    queries = gather(sample("mnist", "test")).X.astype(np.float32)[: options.queries]
    us, them = KNeighborsClassifier().fit(X, y), Peer(n_jobs=-1).fit(X, y)
    race(
        f"predict {len(queries)} rows among {len(X)} of MNIST, K = 5",
        {"lookalike": lambda: us.predict(queries), "scikit-learn": lambda: them.predict(queries)},
        rounds=min(3, options.rounds),
    )


if __name__ == "__main__":
    main()
