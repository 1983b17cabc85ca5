"""A Gaussian at every row, and a novel point between two classes [Barber, fig. 14.5]."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from record import Record, run_alone

from lookalike import KernelDensityClassifier, KNeighborsClassifier
from lookalike.report.plots.neighbors import plot_decision_regions

SOURCE = "[Barber, fig. 14.5]"
SYSTEMS = ("N15", "N16")
CROSSES = np.array([[0.0, 0.2], [0.7, 1.0], [1.1, -0.3], [1.5, 0.7], [0.4, -0.9]])
CIRCLES = np.array([[2.2, 0.15], [2.9, 1.1], [3.4, 0.1], [3.0, -0.9], [2.5, -0.2]])
NOVEL = np.array([[1.85, 0.35]])
WIDTHS = (0.02, 0.3, 1.0)


def picture(X, y):
    """Draw regions, the circles of one deviation, and the novel point in black."""
    figure = Figure(figsize=(11, 3.1), layout="constrained")
    axes = figure.subplots(1, len(WIDTHS))
    for ax, width in zip(axes, WIDTHS, strict=True):
        plot_decision_regions(KernelDensityClassifier(width).fit(X, y), X, y, ax=ax)
        edges = ax.axis()
        for row in X:
            ax.add_patch(Circle(row, width, fill=False, lw=0.7, color="dimgray"))
        ax.plot(*NOVEL[0], "o", color="black")
        ax.axis(edges)
        ax.set(aspect="equal", title=f"sigma = {width:g}")
        ax.get_legend().remove()
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=2, fontsize="small")
    return axes[0]


def figures(record: Record) -> None:
    X = np.concatenate([CROSSES, CIRCLES])
    y = np.repeat(["cross", "circle"], [len(CROSSES), len(CIRCLES)])
    nearest = KNeighborsClassifier(1).fit(X, y).predict(NOVEL)[0]
    narrow, *others = (KernelDensityClassifier(w, background=False).fit(X, y) for w in WIDTHS)
    record.claim(
        "sigma to 0: the class of the novel point",
        "that of its nearest neighbor",
        narrow.predict(NOVEL)[0],
        narrow.predict(NOVEL)[0] == nearest,
    )
    for model in others:
        share = model.predict_proba(NOVEL)[0]
        shares = ", ".join(f"{c} {s:.3f}" for c, s in zip(model.classes_, share, strict=True))
        record.claim(
            f"sigma = {model.bandwidth:g}: probabilities of the novel point",
            "others than the nearest neighbor have an effect",
            shares,
            share.min() > 0.001,
        )
    record.picture(picture(X, y), "kernel_circles.png", "Soft neighbors, sigma 0.02, 0.3 and 1")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
