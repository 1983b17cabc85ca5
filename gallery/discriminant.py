"""Classes that PCA mixes and linear discriminant analysis separates [LUMS]."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from printed import compare

from lookalike import PCA, LinearDiscriminantAnalysis
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.save import save_axes


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
    guess = np.where((scores > (low + high) / 2) == (high > low), "upper", "lower")
    return float((guess != y).mean())


def main(out: Path) -> None:
    X, y = two_cigars()
    pca, lda = PCA(1).fit(X), LinearDiscriminantAnalysis().fit(X, y)
    along_pca, along_lda = pca.transform(X)[:, 0], lda.transform(X)[:, 0]
    compare(
        "Two long, thin classes: no figure is printed, the claim is",
        [
            (
                "variance kept by one PCA direction",
                "most",
                f"{pca.explained_variance_ratio_[0]:.0%}",
            ),
            ("errors along the PCA direction", "many", f"{error_along(along_pca, y):.0%}"),
            ("errors along the discriminant", "few", f"{error_along(along_lda, y):.1%}"),
        ],
    )
    first = axes_or_new(None, size=(11.0, 3.6))
    figure = first.figure
    figure.clear()
    rows, left, right = figure.subplots(1, 3)
    directions = {"PCA": pca.components_[0], "LDA": lda.scalings_[:, 0]}
    for color, label in enumerate(("lower", "upper")):
        rows.scatter(*X[y == label].T, s=5, color=f"C{color}", label=label)
        left.hist(along_pca[y == label], 40, color=f"C{color}", alpha=0.6)
        right.hist(along_lda[y == label], 40, color=f"C{color}", alpha=0.6)
    for name, axis in directions.items():
        tip = 5 * axis / np.linalg.norm(axis)
        rows.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "->", "lw": 2})
        box = {"color": "white", "alpha": 0.8, "pad": 1}
        rows.annotate(name, 1.3 * tip, ha="center", weight="bold", bbox=box)
    rows.set(title="The rows", aspect="equal")
    rows.legend(fontsize="small")
    left.set(title="Along the first PCA direction: mixed")
    right.set(title="Along the discriminant: separated")
    save_axes(rows, out / "discriminant.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gallery"))
    main(parser.parse_args().out)
