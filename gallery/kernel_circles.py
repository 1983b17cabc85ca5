"""Figure 14.5 of [Barber]: a Gaussian at every row, and a novel point between two classes.

Run: python gallery/kernel_circles.py
"""

from __future__ import annotations

import numpy as np
from digits import folder
from printed import compare

from lookalike import KNeighborsClassifier, SoftNeighborsClassifier
from lookalike.report.plots.neighbors import plot_decision_regions
from lookalike.report.save import save_axes

CROSSES = np.array([[0.0, 0.2], [0.7, 1.0], [1.1, -0.3], [1.5, 0.7], [0.4, -0.9]])
CIRCLES = np.array([[2.2, 0.15], [2.9, 1.1], [3.4, 0.1], [3.0, -0.9], [2.5, -0.2]])
NOVEL = np.array([[1.85, 0.35]])
WIDTHS = (0.02, 0.3, 1.0)


def picture(X, y):
    """Draw regions, the circles of one deviation, and the novel point in black."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle

    figure = Figure(figsize=(11, 3.4), layout="constrained")
    axes = figure.subplots(1, len(WIDTHS))
    for ax, width in zip(axes, WIDTHS, strict=True):
        plot_decision_regions(SoftNeighborsClassifier(width).fit(X, y), X, y, ax=ax)
        edges = ax.axis()
        for row in X:
            ax.add_patch(Circle(row, width, fill=False, lw=0.7, color="dimgray"))
        ax.plot(*NOVEL[0], "o", color="black")
        ax.axis(edges)
        ax.set(aspect="equal", title=f"sigma = {width:g}")
    return axes[0]


def main() -> None:
    out = folder()
    X = np.concatenate([CROSSES, CIRCLES])
    y = np.repeat(["cross", "circle"], [len(CROSSES), len(CIRCLES)])
    nearest = KNeighborsClassifier(1).fit(X, y).predict(NOVEL)[0]
    narrow, *others = (SoftNeighborsClassifier(w, background=False).fit(X, y) for w in WIDTHS)
    rows = [("sigma to 0: the nearest neighbor's class", nearest, narrow.predict(NOVEL)[0])]
    for model in others:
        share = model.predict_proba(NOVEL)[0].round(3)
        shares = ", ".join(f"{c} {s}" for c, s in zip(model.classes_, share, strict=True))
        rows.append((f"sigma = {model.bandwidth:g}: kernel classifier", "between 0 and 1", shares))
    compare("Figure 14.5: the novel point", rows)
    save_axes(picture(X, y), out / "kernel_circles.png")


if __name__ == "__main__":
    main()
