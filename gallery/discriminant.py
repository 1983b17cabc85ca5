"""Classes that PCA mixes and linear discriminant analysis separates [LUMS]."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from record import Record, run_alone

from lookalike import PCA, LinearDiscriminantAnalysis

SOURCE = "[LUMS]"
SYSTEMS = ("P13",)


def two_cigars(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return two long, thin classes side by side: the largest variance is along both."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2 * n, 2)) * [6.0, 0.5]
    y = np.repeat(["lower", "upper"], n)
    X[:, 1] += np.where(y == "upper", 1.5, -1.5)
    turn = np.deg2rad(30)
    return X @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]), y


def error_along(scores: np.ndarray, y: np.ndarray) -> float:
    """Return the part of the rows on the wrong side of the midpoint of the class means."""
    low, high = (scores[y == label].mean() for label in ("lower", "upper"))
    predicted = np.where((scores > (low + high) / 2) == (high > low), "upper", "lower")
    return float((predicted != y).mean())


def figures(record: Record) -> None:
    X, y = two_cigars()
    pca, lda = PCA(1).fit(X), LinearDiscriminantAnalysis().fit(X, y)
    along_pca, along_lda = pca.transform(X)[:, 0], lda.transform(X)[:, 0]
    share = pca.explained_variance_ratio_[0]
    mixed, few = error_along(along_pca, y), error_along(along_lda, y)
    record.claim(
        "variance along the first principal component", "most", f"{share:.0%}", share > 0.8
    )
    record.claim("error along it", "no guarantee of discrimination", f"{mixed:.0%}", mixed > 0.3)
    record.claim("error along the discriminant", "classes best separated", f"{few:.1%}", few < 0.02)

    figure = Figure(figsize=(11.0, 3.8), layout="constrained")
    rows, left, right = figure.subplots(1, 3, width_ratios=(1.5, 1, 1))
    directions = {"PCA": pca.components_[0], "LDA": lda.scalings_[:, 0]}
    for color, label in enumerate(("lower", "upper")):
        rows.scatter(*X[y == label].T, s=5, color=f"C{color}", label=label)
        left.hist(along_pca[y == label], 40, color=f"C{color}", alpha=0.6)
        right.hist(along_lda[y == label], 40, color=f"C{color}", alpha=0.6)
    for name, axis in directions.items():
        tip = 6 * axis / np.linalg.norm(axis)
        rows.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "->", "lw": 2})
        box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.9, "pad": 1}
        rows.annotate(name, 1.35 * tip, ha="center", va="center", weight="bold", bbox=box)
    rows.set(title="The rows", aspect="equal")
    left.set(title="First principal component: mixed", xlabel="score", ylabel="rows")
    right.set(title="Discriminant: separated", xlabel="score", ylabel="rows")
    figure.legend(*rows.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    record.picture(rows, "discriminant.png", "The same rows along PCA and LDA")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
