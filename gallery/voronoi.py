"""Cells of the nearest neighbor, and a sphere that grows to K rows [Barber, fig. 14.1, 14.2]."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from record import Record, run_alone
from scipy.spatial import Voronoi

from lookalike import KNeighborsClassifier
from lookalike.report.plots.neighbors import plot_decision_regions

SOURCE = "[Barber, fig. 14.1, 14.2]"
SYSTEMS = ("N1", "N2", "N3", "N14")
ROUND = np.array([[0.45, 0.3], [-0.6, -0.35], [1.3, 0.9], [-1.4, 0.6]])
SQUARE = np.array([[-0.1, 0.4], [1.2, -0.9], [-1.1, -1.2], [0.3, 1.5]])


def three_classes():
    """Draw the regions of three classes, and every edge between two cells."""
    rng = np.random.default_rng(4)
    middle = np.array([[0.0, 0.0], [2.2, 0.4], [1.0, 2.0]])
    y = np.repeat([1, 2, 3], 8)
    X = middle[y - 1] + 0.75 * rng.normal(size=(24, 2))
    model = KNeighborsClassifier(1).fit(X, y)
    return X, y, model


def on_bisectors(X, y, model) -> float:
    """Return the largest part of the way that a boundary lies off the middle of two rows."""
    cells = Voronoi(X)
    worst = 0.0
    low, high = X.min(axis=0), X.max(axis=0)
    for (a, b), ends in zip(cells.ridge_points, cells.ridge_vertices, strict=True):
        if -1 in ends or y[a] == y[b]:
            continue
        middle = cells.vertices[ends].mean(axis=0)
        if ((middle < low) | (middle > high)).any():
            continue
        step = 1e-9 * (X[b] - X[a])
        sides = model.predict([middle - step, middle + step])
        worst = max(worst, float(sides[0] != y[a] or sides[1] != y[b]))
    return worst


def spheres(ax):
    """Draw the spheres of one and of three neighbors."""
    X, y = np.concatenate([ROUND, SQUARE]), ["round"] * 4 + ["square"] * 4
    query = np.zeros((1, 2))
    distance = KNeighborsClassifier(3).fit(X, y).kneighbors(query)[0][0]
    for radius in distance[[0, 2]]:
        ax.add_patch(Circle((0, 0), radius, fill=False, color="gray"))
    ax.plot(*ROUND.T, "o", ms=9, color="tab:blue", label="round")
    ax.plot(*SQUARE.T, "s", ms=9, color="tab:orange", label="square")
    ax.plot(0, 0, "o", color="black", label="to classify")
    ax.set(aspect="equal", xlim=(-2, 2), ylim=(-1.8, 1.8), title="Spheres of 1 and 3 neighbors")
    ax.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=3)
    return X, y, query


def figures(record: Record) -> None:
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    X, y, model = three_classes()
    plot_decision_regions(model, X, y, ax=left)
    left.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3)
    off = on_bisectors(X, y, model)
    record.claim(
        "boundaries between classes",
        "perpendicular bisectors of two rows",
        "changes exactly there" if not off else "off the bisectors",
        not off,
    )
    rows, labels, query = spheres(right)
    one, three = (KNeighborsClassifier(k).fit(rows, labels) for k in (1, 3))
    nearest = one.predict(query)[0]
    record.claim(
        "class of the nearest neighbor", "another than that of three", nearest, nearest == "square"
    )
    record.printed("class by 3 neighbors: two round, one square", "round", three.predict(query)[0])
    share = float(three.predict_proba(query)[0, 0])
    record.equation("share of round among 3", "1/K Σ [y = c]", 2 / 3, share, source="[UGR]")
    record.picture(left, "voronoi.png", "Voronoi cells (figure 14.1), growing sphere (figure 14.2)")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
