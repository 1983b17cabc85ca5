"""Angular distance, and the spheres of the other dissimilarities [LUMS; UGR]."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from record import Record, run_alone

from lookalike import KNeighborsClassifier, NearestNeighbors
from lookalike.report.plots.axes import plane_grid
from lookalike.report.plots.neighbors import plot_decision_regions

SOURCE = "[LUMS]"
SYSTEMS = ("N5", "N14")
TURNS = {0: "the same direction", 90: "orthogonal", 180: "opposite"}
COVARIANCE = [[1.0, 0.7], [0.7, 0.8]]
SPHERES = {
    "Manhattan": ("manhattan", {}, "tab:blue"),
    "Euclidean": ("euclidean", {}, "tab:orange"),
    "Minkowski, p = 4": ("minkowski", {"p": 4}, "tab:green"),
    "Chebyshev": ("chebyshev", {}, "tab:red"),
    "Mahalanobis": ("mahalanobis", {"V": COVARIANCE}, "tab:purple"),
}


def nearest(metric, params):
    """Return a search by a dissimilarity, whose parameters say the power of Minkowski's."""
    return NearestNeighbors(n_neighbors=1, metric=metric, p=None, metric_params=params or None)


def distance(metric, a, b, **params) -> float:
    """Return the dissimilarity of two rows."""
    return float(nearest(metric, params).fit([b]).kneighbors([a])[0][0, 0])


def at(degrees, length=1.0):
    """Return the vector of an angle."""
    turn = np.deg2rad(degrees)
    return [length * np.cos(turn), length * np.sin(turn)]


def figures(record: Record) -> None:
    for degrees, name in TURNS.items():
        cosine = 1 - distance("cosine", at(0), at(degrees, 3.0))
        record.claim(
            f"cosine similarity of vectors at {degrees} degrees ({name})",
            "from −1 to 1",
            f"{cosine:.0f}".replace("-0", "0"),
            abs(cosine - np.cos(np.deg2rad(degrees))) < 1e-12,
            source="[UGR]",
        )
    legs = [distance("cosine", at(0), at(45)), distance("cosine", at(45), at(90))]
    whole = distance("cosine", at(0), at(90))
    record.claim(
        "cosine distance: 0 to 90 degrees, and by way of 45",
        "no triangle inequality",
        f"{whole:.3f} > {sum(legs):.3f}",
        whole > sum(legs),
    )
    angle = [np.arccos(1 - d) for d in (*legs, whole)]
    record.claim(
        "angle in degrees: 0 to 90, and by way of 45",
        "the angle is a metric",
        f"{np.rad2deg(angle[2]):.0f} = {np.rad2deg(angle[0] + angle[1]):.0f}",
        angle[2] <= angle[0] + angle[1] + 1e-12,
    )
    x = [3.0, -4.0]
    norms = [distance("minkowski", x, [0, 0], p=p) for p in (1, 2, 4)]
    norms.append(distance("chebyshev", x, [0, 0]))
    record.claim(
        "norms of (3, -4), p = 1, 2, 4, ∞",
        "fall with p",
        ", ".join(f"{v:.3f}" for v in norms),
        norms == sorted(norms)[::-1],
    )
    by_hand = np.array(x) @ np.linalg.inv(COVARIANCE) @ x
    squared = distance("mahalanobis", x, [0, 0], V=COVARIANCE) ** 2
    record.equation(
        "squared Mahalanobis distance of (3, -4) from 0",
        "(x − x')ᵀ Σ⁻¹ (x − x')",
        by_hand,
        squared,
        source="[Barber, eq. 14.1.2]",
    )
    record.picture(spheres(), "spheres.png", "Points at distance 1 in each dissimilarity")
    record.picture(
        regions(), "angular_regions.png", "Regions by length and direction, or direction"
    )


def spheres():
    """Draw the points at distance 1 from the origin."""
    figure = Figure(figsize=(6.6, 5.0), layout="constrained")
    ax = figure.subplots()
    x, y, grid = plane_grid(np.array([[-1.3, -1.3], [1.3, 1.3]]), 0.0, 301)
    for metric, params, color in SPHERES.values():
        search = nearest(metric, params).fit([[0.0, 0.0]])
        far = search.kneighbors(grid)[0].reshape(301, 301)
        ax.contour(x, y, far, [1.0], colors=[color], linewidths=1.8)
    for name, (_, _, color) in SPHERES.items():
        ax.plot([], [], color=color, label=name)
    ax.plot(0, 0, "k.")
    ax.set(aspect="equal", title="Distance 1 from the origin")
    figure.legend(loc="outside right center", fontsize="small")
    return ax


def regions():
    """Draw what one neighbor predicts by Euclidean distance and by angle."""
    rng = np.random.default_rng(0)
    length, label = rng.uniform(0.4, 3, 45), np.arange(45) % 3
    turn = np.deg2rad(np.array([15, 45, 75])[label] + 7 * rng.normal(size=45))
    X = length[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    y = np.array(["east", "between", "north"])[label]
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    axes = figure.subplots(1, 2)
    for ax, metric in zip(axes, ("euclidean", "cosine"), strict=True):
        plot_decision_regions(KNeighborsClassifier(3, metric=metric).fit(X, y), X, y, ax=ax)
        ax.set(aspect="equal", title=f"K = 3, {metric}")
        ax.get_legend().remove()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return axes[0]


if __name__ == "__main__":
    run_alone(figures, SOURCE)
