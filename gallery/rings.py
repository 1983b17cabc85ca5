"""One ring inside another: separable in the space of an rbf kernel, and cleaned by pre-images."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from printed import compare

from lookalike import PCA, KernelPCA, LinearDiscriminantAnalysis
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.kernel_pca import plot_kernel_pca_contours
from lookalike.report.save import save_axes


def two_rings(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and the ring that each lies on."""
    rng = np.random.default_rng(0)
    angle, ring = rng.uniform(0, 2 * np.pi, n), np.arange(n) % 2
    radius = np.where(ring == 0, 1.0, 0.3)
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X + 0.05 * rng.normal(size=X.shape), ring


def errors(scores: np.ndarray, y: np.ndarray) -> float:
    """Return the part of the rows that a linear cut through the scores gets wrong."""
    return float((LinearDiscriminantAnalysis().fit(scores, y).predict(scores) != y).mean())


def main(out: Path) -> None:
    X, y = two_rings()
    kernel = KernelPCA(1, kernel="rbf", gamma=3.0).fit(X)
    clean = KernelPCA(
        10, kernel="rbf", gamma=3.0, fit_inverse_transform=True, preimage="fixed-point"
    ).fit(X)
    cleaned = clean.inverse_transform(clean.transform(X))

    def spread(rows: np.ndarray) -> float:
        radius = np.linalg.norm(rows, axis=1)
        return float(np.sqrt(np.mean([radius[y == ring].var() for ring in (0, 1)])))

    compare(
        "Two rings: no figure is printed",
        [
            (
                "errors of a linear cut, both columns",
                "half",
                f"{errors(PCA(2).fit_transform(X), y):.0%}",
            ),
            ("errors of a cut of one kernel direction", 0, f"{errors(kernel.transform(X), y):.0%}"),
            ("thickness of the rings, as given", 0.05, f"{spread(X):.3f}"),
            ("after projection on 10 directions", "thinner", f"{spread(cleaned):.3f}"),
        ],
    )
    ax = plot_kernel_pca_contours(kernel, X)
    save_axes(ax, out / "rings.png")
    ax = axes_or_new(None, size=(5.0, 5.0))
    ax.scatter(*X.T, s=8, color="tab:gray", label="rows")
    ax.scatter(*cleaned.T, s=8, color="tab:red", label="pre-images")
    ax.set(title="Rows, and the pre-images of their first 10 scores", aspect="equal")
    ax.legend()
    save_axes(ax, out / "rings_preimage.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gallery"))
    main(parser.parse_args().out)
