"""Faces of 40 people from 49 eigen-images [Barber, ex. 15.2, fig. 15.5-15.6]."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from printed import compare

from lookalike import PCA
from lookalike.data import sample
from lookalike.data.batches import gather
from lookalike.report.plots.pca import plot_components, plot_reconstructions
from lookalike.report.save import save_axes

SHAPE = (112, 92)


def faces() -> np.ndarray:
    """Return the first three pictures of each person, each scaled to sum to one."""
    images = gather(sample("orl")).X.reshape(40, 10, -1)
    X = images[:, :3].reshape(120, -1).astype(np.float64)
    return X / X.sum(axis=1, keepdims=True)


def eigenfaces(X: np.ndarray) -> PCA:
    """Return the 49 leading directions without centering, as the source's SVD has them.

    The rows and their opposites together have the mean zero and the same directions.
    """
    return PCA(n_components=49, svd_solver="gram", ddof=0).fit(np.concatenate([X, -X]))


def root_mean_square_error(X: np.ndarray, pca: PCA) -> float:
    """Return the error of the pictures rebuilt, a pixel."""
    return float(np.sqrt(pca.reconstruction_error(X).sum() / X.size))


def measure(X: np.ndarray, pca: PCA) -> list[tuple[str, object, object]]:
    """Return each printed figure and ours."""
    centered = PCA(n_components=49).fit(X)
    return [
        ("images, pixels", (120, 10304), X.shape),
        ("mean pixel", "9.70e-05", f"{X.mean():.2e}"),
        ("RMS error, 49 eigen-images", "1.121e-05", f"{root_mean_square_error(X, pca):.3e}"),
        ("the same, with the mean subtracted", "-", f"{root_mean_square_error(X, centered):.3e}"),
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gallery"))
    folder = parser.parse_args().out
    rows = faces()
    model = eigenfaces(rows)
    compare("Eigenfaces [Barber, ex. 15.2]", measure(rows, model))
    save_axes(plot_components(model, SHAPE), folder / "eigenfaces.png")
    strip = plot_reconstructions(model, rows[:30:3], SHAPE, n_components=(49, 20, 5))
    save_axes(strip, folder / "eigenfaces_rebuilt.png")
