"""One ring inside another: separable by kernel PCA, and denoised by pre-images [UCSD]."""

from __future__ import annotations

import numpy as np
from record import Record, run_alone

from lookalike import PCA, KernelPCA, LinearDiscriminantAnalysis
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.kernel_pca import plot_kernel_pca_contours

SOURCE = "[UCSD]"
SYSTEMS = ("P11",)


def two_rings(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and the ring that each lies on."""
    rng = np.random.default_rng(0)
    angle, ring = rng.uniform(0, 2 * np.pi, n), np.arange(n) % 2
    radius = np.where(ring == 0, 1.0, 0.3)
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X + 0.05 * rng.normal(size=X.shape), ring


def errors(scores: np.ndarray, y: np.ndarray) -> float:
    """Return the error of a linear boundary in the scores."""
    return float((LinearDiscriminantAnalysis().fit(scores, y).predict(scores) != y).mean())


def figures(record: Record) -> None:
    X, y = two_rings()
    kernel = KernelPCA(1, kernel="rbf", gamma=3.0).fit(X)
    clean = KernelPCA(
        10, kernel="rbf", gamma=3.0, fit_inverse_transform=True, preimage="fixed-point"
    ).fit(X)
    denoised = clean.inverse_transform(clean.transform(X))
    linear = KernelPCA(2, kernel="linear").fit_transform(X)
    gap = np.abs(np.abs(linear) - np.abs(PCA(2).fit_transform(X))).max()
    record.claim(
        "scores from dot products alone, K_c M Pi^-1, and from PCA",
        "the same",
        "equal to 1e-9" if gap < 1e-9 else f"{gap:.1e}",
        gap < 1e-9,
    )

    def spread(rows: np.ndarray) -> float:
        radius = np.linalg.norm(rows, axis=1)
        return float(np.sqrt(np.mean([radius[y == ring].var() for ring in (0, 1)])))

    flat, curved = errors(PCA(2).fit_transform(X), y), errors(kernel.transform(X), y)
    record.measured("error of a linear boundary, both principal components", f"{flat:.0%}")
    record.measured("error of a threshold on one kernel component", f"{curved:.0%}")
    record.measured("standard deviation of the radius", f"{spread(X):.3f}")
    record.measured("the same after projection on 10 components", f"{spread(denoised):.3f}")
    ax = plot_kernel_pca_contours(kernel, X)
    record.picture(ax, "rings.png", "Contours of the first kernel component")
    ax = axes_or_new(None, size=(5.0, 5.4))
    ax.scatter(*X.T, s=8, color="tab:gray", label="rows")
    ax.scatter(*denoised.T, s=8, color="tab:red", label="pre-images of 10 scores")
    ax.set(title="Rows and their pre-images", aspect="equal")
    ax.figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    record.picture(ax, "rings_preimage.png", "Denoised by pre-images")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
