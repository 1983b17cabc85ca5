"""Performance against the number of features: it rises, then falls [LUMS; UCSD].

Two Gaussian classes whose means differ by 1/√j in feature j (Trunk's example): each feature helps a
classifier that knows the means, and one that learns from few rows is hurt by most.
"""

from __future__ import annotations

import numpy as np
from record import Record, run_alone
from scipy.stats import norm

from lookalike import KNeighborsClassifier
from lookalike.feature_selection import SelectByFilter
from lookalike.report.plots.axes import axes_or_new

SOURCE = "[LUMS; UCSD]"
SYSTEMS = ("F1", "N19")
FEATURES = (1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 200, 400, 700, 1000)
N_TRAIN, N_TEST, N_SEEDS = 100, 2000, 5


def drawn(n, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    middle = 1 / np.sqrt(np.arange(1, max(FEATURES) + 1))
    return np.where(y[:, None] == 1, middle, -middle) + rng.normal(size=(n, max(FEATURES))), y


def figures(record: Record) -> None:
    later, truth = drawn(N_TEST, 1000)
    accuracy = np.zeros((2, N_SEEDS, len(FEATURES)))
    for seed in range(N_SEEDS):
        X, y = drawn(N_TRAIN, seed)
        for j, d in enumerate(FEATURES):
            near = KNeighborsClassifier(1).fit(X[:, :d], y)
            accuracy[0, seed, j] = near.score(later[:, :d], truth)
            kept = SelectByFilter("f", k=min(d, 5)).fit(X[:, :d], y).support_
            few = KNeighborsClassifier(1).fit(X[:, :d][:, kept], y)
            accuracy[1, seed, j] = few.score(later[:, :d][:, kept], truth)
    all_features, selected = accuracy.mean(axis=1)
    bayes = [norm.cdf(np.sqrt((1 / np.arange(1, d + 1)).sum())) for d in FEATURES]
    best = FEATURES[int(all_features.argmax())]
    record.measured(
        f"{N_TRAIN} rows, one neighbor: best accuracy", f"{all_features.max():.3f}, {best} features"
    )
    record.claim(
        f"accuracy with {FEATURES[-1]:,} features",
        "degrades with too many features",
        f"{all_features[-1]:.3f}",
        all_features[-1] < all_features.max() - 0.02,
    )
    record.measured(f"with the best 5 of {FEATURES[-1]:,} by F score", f"{selected[-1]:.3f}")
    record.measured(f"known means, {FEATURES[-1]:,} features (Bayes)", f"{bayes[-1]:.4f}")
    ax = axes_or_new(None)
    ax.semilogx(FEATURES, bayes, color="0.6", label="known means (Bayes)")
    ax.semilogx(FEATURES, all_features, marker=".", label="one neighbor, all features")
    ax.semilogx(FEATURES, selected, marker=".", label="one neighbor, 5 best by F score")
    ax.set(xlabel="number of features", ylabel="accuracy", title=f"{N_TRAIN} training rows")
    ax.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
    ax.legend(fontsize="small", loc="lower center")
    record.picture(ax, "how_many_features.png", "Accuracy against the number of features")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
