"""Decision regions of ten digits: RBF networks of 10 and 300 centers, and 21 neighbors [UGR].

Two features, intensity and symmetry, of MNIST's digits. Centers are found by k-means, weights by
linear regression for classification.
"""

from __future__ import annotations

import numpy as np
from digits import two_features
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from record import Record, run_alone

from lookalike import KMeans, KNeighborsClassifier, RBFNetworkClassifier
from lookalike.report.plots.axes import plane_grid

SOURCE = "[UGR]"
SYSTEMS = ("N2", "N14", "R3", "R4")
DATA = ("mnist.npz",)
N_TRAIN, N_TEST = 5000, 5000
COLORS = (
    "#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3",
    "#937860", "#da8bc3", "#8c8c8c", "#ccb974", "#64b5cd",
)  # fmt: skip


def figures(record: Record) -> None:
    rows, labels = two_features(N_TRAIN + N_TEST)
    X, later, y, truth = rows[:N_TRAIN], rows[N_TRAIN:], labels[:N_TRAIN], labels[N_TRAIN:]
    models = {
        f"RBF network, {k} centers": RBFNetworkClassifier(k, random_state=0).fit(X, y)
        for k in (10, 300)
    }
    models["21 nearest neighbors"] = KNeighborsClassifier(21).fit(X, y)
    for name, model in models.items():
        error = (model.predict(later) != truth).mean()
        record.measured(f"ten digits by two features, {name}: test error", f"{error:.1%}")
    few, many, _ = (float((m.predict(X) != y).mean()) for m in models.values())
    record.claim(
        "300 centers compared with 10: in-sample error",
        "finer regions",
        f"{many:.1%} and {few:.1%}",
        many < few,
    )
    both = models["RBF network, 300 centers"], models["21 nearest neighbors"]
    same = (both[0].predict(later) == both[1].predict(later)).mean()
    record.claim(
        "test digits that 300 centers and 21 neighbors predict alike",
        "can be compared with 21-NN",
        f"{same:.0%}",
        same > 0.3,
    )
    record.picture(regions(models, X), "digit_regions.png", "Regions of ten digits")
    record.picture(clusters(X), "digit_clusters.png", "k-means with 10 centers")


def regions(models, X):
    """Draw the digit that each model predicts at every point."""
    figure = Figure(figsize=(12, 4.4), layout="constrained")
    axes = figure.subplots(1, 3, sharex=True, sharey=True)
    low, high = np.quantile(X, [0.005, 0.995], axis=0)
    x, y, grid = plane_grid(np.array([low, high]), 0.0, 200)
    colors = ListedColormap(COLORS)
    for ax, (name, model) in zip(axes, models.items(), strict=True):
        code = model.predict(grid).reshape(200, 200)
        drawn = ax.pcolormesh(x, y, code, cmap=colors, vmin=-0.5, vmax=9.5)
        ax.set(title=name, xlabel="intensity")
    axes[0].set_ylabel("symmetry")
    figure.colorbar(drawn, ax=axes, ticks=range(10), label="digit predicted")
    return axes[0]


def clusters(X):
    """Draw the cells of ten centers, and the rows."""
    model = KMeans(10, random_state=0).fit(X)
    figure = Figure(figsize=(5.6, 4.8), layout="constrained")
    ax = figure.subplots()
    low, high = np.quantile(X, [0.005, 0.995], axis=0)
    x, y, grid = plane_grid(np.array([low, high]), 0.0, 200)
    cell = model.predict(grid).reshape(200, 200)
    ax.pcolormesh(x, y, cell, cmap=ListedColormap(COLORS), alpha=0.5, vmin=-0.5, vmax=9.5)
    ax.plot(*X[:1500].T, ".", color="black", ms=1.5)
    ax.plot(*model.cluster_centers_.T, "X", color="white", mec="black", ms=10)
    ax.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]), xlabel="intensity", ylabel="symmetry")
    ax.set_title("k-means, 10 centers")
    return ax


if __name__ == "__main__":
    run_alone(figures, SOURCE)
