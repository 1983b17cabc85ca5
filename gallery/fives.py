"""892 handwritten fives: their spectrum, eigen-digits and reconstructions [Barber, ex. 15.1]."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from printed import compare

from lookalike import PCA
from lookalike.data import sample
from lookalike.data.batches import gather
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.pca import (
    plot_components,
    plot_explained_variance,
    plot_reconstructions,
)
from lookalike.report.save import save_axes


def fives() -> np.ndarray:
    """Return the fives among the test images, a picture a row, from 0 to 1."""
    images = gather(sample("mnist", "test"))
    return images.X[images.y == 5] / 255.0


def measure(X: np.ndarray, pca: PCA) -> list[tuple[str, object, object]]:
    """Return each printed figure and ours."""
    left = 1.0 - np.cumsum(pca.spectrum_) / pca.spectrum_.sum()
    missed = (
        (X - PCA(n_components=40).fit(X).inverse_transform(pca.transform(X)[:, :40])) ** 2
    ).sum()
    theory = (len(X) - 1) * pca.spectrum_[40:].sum()
    return [
        ("images, pixels", (892, 784), X.shape),
        (
            "41st eigenvalue, largest 1",
            "small after about 40",
            f"{pca.spectrum_[40] / pca.spectrum_[0]:.4f}",
        ),
        ("variance left after 40", "small", f"{left[39]:.3f}"),
        ("squared error with 40", f"(N-1) sum of the rest = {theory:.6f}", f"{missed:.6f}"),
        ("rank", "-", pca.rank_),
    ]


def draw(X: np.ndarray, pca: PCA, out: Path) -> None:
    """Write figures 15.3 and 15.4, the eigen-digits, and what the rules keep."""
    ax = axes_or_new(None)
    ax.plot(np.arange(1, 101), pca.spectrum_[:100] / pca.spectrum_[0], marker=".")
    ax.axvline(40, color="0.7", linewidth=0.8)
    ax.set(xlabel="eigenvalue", ylabel="size, the largest being 1", title="The 100 largest of 784")
    save_axes(ax, out / "fives_spectrum.png")
    shown = X[:10]
    save_axes(plot_reconstructions(pca, shown, (28, 28)), out / "fives_rebuilt.png")
    save_axes(plot_components(pca, (28, 28)), out / "fives_eigendigits.png")
    save_axes(plot_explained_variance(pca), out / "fives_explained.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gallery"))
    folder = parser.parse_args().out
    rows = fives()
    model = PCA().fit(rows)
    compare("Fives [Barber, ex. 15.1, fig. 15.3-15.4]", measure(rows, model))
    draw(rows, model, folder)
