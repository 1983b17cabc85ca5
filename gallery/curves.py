"""Regression and probabilities from the K nearest [UGR; LUMS]."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from record import Record, run_alone

from lookalike import KNeighborsClassifier, KNeighborsRegressor

SOURCE = "[UGR; LUMS]"
SYSTEMS = ("N3", "N4")


def figures(record: Record) -> None:
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 10, 60))[:, None]
    y = np.sin(x[:, 0]) + 0.25 * rng.normal(size=60)
    labels = np.where(rng.random(60) < 1 / (1 + np.exp(-3 * np.sin(x[:, 0]))), 1, -1)
    query = np.array([[4.2]])
    nearest = np.argsort(np.abs(x[:, 0] - 4.2))[:5]
    mean = KNeighborsRegressor(5).fit(x, y).predict(query)[0]
    record.equation("5 neighbors at x = 4.2", "1/K Σ y_(i)", y[nearest].mean(), float(mean))
    weight = 1 / np.abs(x[nearest, 0] - 4.2)
    inverse = KNeighborsRegressor(5, weights="distance").fit(x, y).predict(query)[0]
    record.equation(
        "the same by inverse distance",
        "Σ y_(i)/d_(i) / Σ 1/d_(i)",
        (weight * y[nearest]).sum() / weight.sum(),
        float(inverse),
    )
    share = KNeighborsClassifier(5).fit(x, labels).predict_proba(query)[0, 1]
    record.equation(
        "probability of class +1 at x = 4.2",
        "1/K Σ [y_(i) = +1]",
        (labels[nearest] == 1).mean(),
        float(share),
    )
    record.picture(
        picture(x, y, labels), "curves.png", "Averages, weighted averages, probabilities"
    )


def picture(x, y, labels):
    figure = Figure(figsize=(13, 3.8), layout="constrained")
    axes = figure.subplots(1, 3)
    across = np.linspace(0, 10, 800)[:, None]
    for ax, weights in zip(axes, ("uniform", "distance"), strict=False):
        for k, color in ((1, "0.7"), (5, "tab:red")):
            model = KNeighborsRegressor(k, weights=weights).fit(x, y)
            ax.plot(across[:, 0], model.predict(across), color=color, lw=1.3, label=f"K = {k}")
        ax.plot(x[:, 0], y, ".", color="tab:blue")
        ax.set(title=f"Regression, weights={weights!r}", xlabel="x", ylabel="y", ylim=(-1.8, 2.3))
        ax.legend(fontsize="small", loc="upper right", ncols=2)
    model = KNeighborsClassifier(9).fit(x, labels)
    axes[2].plot(across[:, 0], model.predict_proba(across)[:, 1], color="tab:red", label="K = 9")
    axes[2].plot(x[:, 0], (labels + 1) / 2, "|", color="tab:blue", ms=10, label="labels +1, -1")
    truth = 1 / (1 + np.exp(-3 * np.sin(across[:, 0])))
    axes[2].plot(across[:, 0], truth, color="0.6", ls="--", label="true probability")
    axes[2].set(title="Probability of class +1", xlabel="x", ylim=(-0.08, 1.35))
    axes[2].legend(fontsize="small", loc="upper right", ncols=3)
    return axes[0]


if __name__ == "__main__":
    run_alone(figures, SOURCE)
