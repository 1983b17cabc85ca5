"""In-sample and out-of-sample error against K, and the curves of few and many rows [UGR].

Digits of MNIST by two features, intensity and symmetry: is it a one or not?
"""

from __future__ import annotations

import numpy as np
from digits import two_features
from matplotlib.figure import Figure
from record import Record, run_alone

from lookalike import KNeighborsClassifier
from lookalike.report.plots.neighbors import plot_decision_regions

SOURCE = "[UGR]"
SYSTEMS = ("N2", "N9", "N14")
DATA = ("mnist.npz",)
N_TRAIN, N_TEST, N_SEEDS = 500, 5000, 8
KS = (1, 3, 5, 7, 9, 13, 17, 21, 31, 41, 61, 81, 101, 151, 201)


def curves(X, y, later, truth):
    """Return the in-sample and out-of-sample error of every K, means over training sets."""
    inside, outside = np.zeros((2, N_SEEDS, len(KS)))
    for seed in range(N_SEEDS):
        rows = np.random.default_rng(seed).choice(len(X), N_TRAIN, replace=False)
        for j, k in enumerate(KS):
            model = KNeighborsClassifier(k).fit(X[rows], y[rows])
            inside[seed, j] = (model.predict(X[rows]) != y[rows]).mean()
            outside[seed, j] = (model.predict(later) != truth).mean()
    return inside.mean(axis=0), outside.mean(axis=0)


def figures(record: Record) -> None:
    rows, digit = two_features(20_000 + N_TEST)
    X, later, y, truth = rows[:-N_TEST], rows[-N_TEST:], digit[:-N_TEST] == 1, digit[-N_TEST:] == 1
    inside, outside = curves(X, y, later, truth)
    best = KS[int(outside.argmin())]
    record.claim("K = 1: in-sample error", "0 in the figure", f"{inside[0]:.4f}", inside[0] == 0)
    record.claim(
        "K = 1: out-of-sample error", "overfitting", f"{outside[0]:.4f}", outside[0] > outside.min()
    )
    three = outside[KS.index(3)]
    record.claim(
        "K = 3: out-of-sample error", "a good compromise", f"{three:.4f}", three < outside[0]
    )
    record.measured("least out-of-sample error", f"{outside.min():.4f}, K = {best}")
    record.claim(
        f"K = {KS[-1]} of {N_TRAIN}: in-sample less out-of-sample error",
        "they come together as K grows",
        f"{inside[-1] - outside[-1]:.4f}",
        abs(inside[-1] - outside[-1]) < 0.1 * abs(inside[0] - outside[0]) + 0.002,
    )
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for ax, error, name in ((left, inside, "In-sample"), (right, outside, "Out-of-sample")):
        ax.semilogx(KS, error, marker=".")
        ax.set(xlabel="number of neighbors K", ylabel="error", title=f"{name} error")
        ax.set_ylim(0, 1.05 * max(inside.max(), outside.max()))
        ax.set_xticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
    record.picture(left, "error_against_k.png", f"{N_TRAIN} digits: is it a one?")
    record.picture(
        complexity(X, y), "complexity.png", "The boundary follows the rows: it is not parametric"
    )


def complexity(X, y):
    """Draw the regions of one neighbor with few and many rows."""
    figure = Figure(figsize=(11, 3.8), layout="constrained")
    axes = figure.subplots(1, 3)
    for ax, n in zip(axes, (30, 300, 3000), strict=True):
        model = KNeighborsClassifier(1).fit(X[:n], np.where(y[:n], "one", "other"))
        plot_decision_regions(model, X[:n][:300], np.where(y[:n], "one", "other")[:300], ax=ax)
        ax.set(
            xlabel="intensity",
            ylabel="symmetry",
            title=f"K = 1, {n:,} rows" + (" (300 drawn)" if n > 300 else ""),
        )
        ax.get_legend().remove()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return axes[0]


if __name__ == "__main__":
    run_alone(figures, SOURCE)
