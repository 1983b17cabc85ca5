"""Faces of 40 people from 49 eigenfaces [Barber, ex. 15.2, fig. 15.5, 15.6]."""

from __future__ import annotations

import numpy as np
from record import Record, run_alone

from lookalike import PCA
from lookalike.data import gather, sample
from lookalike.report.plots.pca import plot_components, plot_reconstructions

SOURCE = "[Barber, ex. 15.2, fig. 15.5, 15.6]"
SYSTEMS = ("P2", "P3", "P9")
DATA = ("orl_faces_112x92.npz",)
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
    """Return the error of the reconstructed pictures, a pixel."""
    return float(np.sqrt(pca.reconstruction_error(X).sum() / X.size))


def figures(record: Record) -> None:
    X = faces()
    pca = eigenfaces(X)
    record.printed("images, pixels", (120, 10304), X.shape)
    record.printed("mean pixel", "9.70e-05", X.mean())
    error = root_mean_square_error(X, pca)
    record.printed("RMS error, 49 eigenfaces", "1.121e-05", error)
    centered = root_mean_square_error(X, PCA(n_components=49).fit(X))
    record.measured("the same with the mean subtracted", f"{centered:.3e}")
    values = np.linalg.svd(X, compute_uv=False)[:49]
    gap = np.abs(np.sqrt(240 * pca.explained_variance_ / 2) / values - 1).max()
    record.claim(
        "N < D: eigenvalues of the 120 by 120 matrix, and singular values of X",
        "the same",
        "equal to 1e-6" if gap < 1e-6 else f"{gap:.1e}",
        gap < 1e-6,
        source="[Barber, 15.3.1, 15.3.2]",
    )
    record.picture(plot_components(pca, SHAPE), "eigenfaces.png", "49 eigenfaces (figure 15.6 b)")
    ax = plot_reconstructions(pca, X[:30:3], SHAPE, n_components=(49, 20, 5))
    record.picture(ax, "eigenfaces_reconstructed.png", "Faces reconstructed (figure 15.6 a)")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
