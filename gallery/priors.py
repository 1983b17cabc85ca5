"""Prior beliefs, costs and weights move the boundary [Barber, 14.1; LUMS]."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from record import Record, run_alone

from lookalike import KNeighborsClassifier
from lookalike.report.plots.neighbors import plot_decision_regions

SOURCE = "[Barber, 14.1; LUMS]"
SYSTEMS = ("N8",)


def rows():
    rng = np.random.default_rng(0)
    y = np.repeat(["ill", "well"], [80, 80])
    X = rng.normal(size=(160, 2)) + np.where(y == "ill", 1.0, -1.0)[:, None] * [0.8, 0.3]
    return X, y


def figures(record: Record) -> None:
    X, y = rows()
    settings = {
        "As counted": KNeighborsClassifier(15),
        "Prior: 1 in 10 ill": KNeighborsClassifier(15, priors={"ill": 0.1, "well": 0.9}),
        "An ill one missed costs 5": KNeighborsClassifier(15, cost=[[0, 5], [1, 0]]),
    }
    shares = {name: (m.fit(X, y).predict(X) == "ill").mean() for name, m in settings.items()}
    plain, rare, careful = shares.values()
    record.measured("predicted ill with equal priors", f"{plain:.0%}")
    record.claim("with a prior of 0.1", "prior beliefs count", f"{rare:.0%}", rare < plain)
    record.claim(
        "with a cost of 5 for an ill one missed", "costs count", f"{careful:.0%}", careful > plain
    )
    weight = np.where(y == "ill", 3, 1)
    weighted = KNeighborsClassifier(15).fit(X, y, sample_weight=weight)
    repeated = KNeighborsClassifier(15).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    same = (weighted.predict(X) == repeated.predict(X)).mean()
    record.claim(
        "rows of weight 3 and rows repeated 3 times: equal predictions",
        "the same",
        f"{same:.0%}",
        same == 1,
    )
    figure = Figure(figsize=(12, 4.2), layout="constrained")
    axes = figure.subplots(1, 3)
    for ax, (name, model) in zip(axes, settings.items(), strict=True):
        plot_decision_regions(model, X, y, ax=ax)
        ax.set_title(f"{name}\n{shares[name]:.0%} predicted ill", fontsize="medium")
        ax.get_legend().remove()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    record.picture(axes[0], "priors.png", "The same rows with a prior, and with costs")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
