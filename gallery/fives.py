"""892 handwritten fives: spectrum, eigendigits, reconstructions [Barber, ex. 15.1]."""

from __future__ import annotations

import numpy as np
from record import Record, run_alone

from lookalike import PCA
from lookalike.data import gather, sample
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.pca import plot_components, plot_reconstructions

SOURCE = "[Barber, ex. 15.1, fig. 15.3, 15.4]"
SYSTEMS = ("P1", "P3", "P4", "P6", "P7", "P9")
DATA = ("mnist.npz",)


def fives() -> np.ndarray:
    """Return the fives among the test images, a picture a row, from 0 to 1."""
    images = gather(sample("mnist", "test"))
    return images.X[images.y == 5] / 255.0


def figures(record: Record) -> None:
    X = fives()
    pca = PCA().fit(X)
    spectrum = pca.spectrum_ / pca.spectrum_[0]
    left = 1.0 - np.cumsum(pca.spectrum_) / pca.spectrum_.sum()
    record.printed("images, pixels", (892, 784), X.shape)
    record.claim(
        "41st eigenvalue, the largest being 1", "small", f"{spectrum[40]:.4f}", spectrum[40] < 0.05
    )
    record.claim("variance left after 40 components", "small", f"{left[39]:.3f}", left[39] < 0.2)
    few = PCA(n_components=40).fit(X)
    missed = ((X - few.inverse_transform(few.transform(X))) ** 2).sum()
    theory = (len(X) - 1) * pca.spectrum_[40:].sum()
    record.equation(
        "squared error with 40 components",
        "(N − 1) times the sum of the other λ",
        theory,
        missed,
        source="[Barber, eq. 15.2.19]",
    )
    for name, solver in (("SVD", "full"), ("iterative, 40 components", "leading")):
        other = PCA(n_components=40, svd_solver=solver).fit(X)
        gap = np.abs(other.explained_variance_ / pca.spectrum_[:40] - 1).max()
        record.claim(
            f"eigenvalues by {name}: largest relative difference",
            "the same eigenvalues",
            "below 1e-6" if gap < 1e-6 else f"{gap:.1e}",
            gap < 1e-6,
            source="[Barber, 15.3.2]" if solver == "full" else "[Bishop95, 8.6]",
        )

    ax = axes_or_new(None)
    ax.plot(np.arange(1, 101), spectrum[:100], marker=".")
    ax.axvline(40, color="0.7", linewidth=0.8)
    ax.set(
        xlabel="component", ylabel="eigenvalue, the largest being 1", title="The 100 largest of 784"
    )
    record.picture(ax, "fives_spectrum.png", "Spectrum (figure 15.4)")
    ax = plot_reconstructions(pca, X[:10], (28, 28))
    record.picture(ax, "fives_reconstructed.png", "From 100, 30 and 5 components (figure 15.3)")
    record.picture(plot_components(pca, (28, 28)), "fives_eigendigits.png", "Eigendigits")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
