"""Orthogonal projections on a line and on a plane [Barber, fig. 15.1, 15.2; Bishop95, fig. 8.9]."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from record import Record, run_alone

from lookalike import PCA
from lookalike.report.plots.pca import plot_projections

SOURCE = "[Barber, fig. 15.1, 15.2; Bishop95, fig. 8.9]"
SYSTEMS = ("P1", "P6", "P14")


def figures(record: Record) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2)) @ np.array([[1.6, 0.9], [-0.4, 0.7]])
    X -= X.mean(axis=0)
    whole, pca = PCA().fit(X), PCA(1).fit(X)
    back = pca.inverse_transform(pca.transform(X))
    lost = ((X - back) ** 2).sum()
    theory = (len(X) - 1) * whole.explained_variance_[1]
    record.equation(
        "squared error of one component", "(N − 1) λ2", theory, lost, source="[Barber, eq. 15.2.19]"
    )
    right_angle = np.abs((X - back) @ pca.components_[0]).max()
    record.claim(
        "lines from rows to reconstructions",
        "orthogonal to the first eigenvector",
        "to 1e-12" if right_angle < 1e-12 else f"{right_angle:.1e}",
        right_angle < 1e-12,
    )
    scores = whole.transform(X)
    off = abs(np.corrcoef(scores.T)[0, 1])
    record.claim(
        "correlation of the scores",
        "PCA decorrelates the features",
        "0, to 1e-12" if off < 1e-12 else f"{off:.1e}",
        off < 1e-12,
        source="[LUMS]",
    )
    white = np.cov(PCA(whiten=True).fit_transform(X).T)
    gap = np.abs(white - np.eye(2)).max()
    record.claim(
        "covariance of the whitened scores",
        "the identity",
        "to 1e-12" if gap < 1e-12 else f"{gap:.1e}",
        gap < 1e-12,
        source="[UCSD]",
    )
    record.picture(plot_projections(whole, X), "projections.png", "Projection on a line")
    record.picture(plane(), "projections_plane.png", "Projection on a plane (figure 15.1)")
    record.picture(whitening(X), "whitening.png", "Rows, scores and whitened scores")


def plane():
    """Draw rows near a plane in three dimensions, and their projections."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2)) @ np.array([[1.5, 0.2, 0.6], [-0.2, 1.2, 0.5]])
    X += 0.35 * rng.normal(size=X.shape)
    pca = PCA(2).fit(X)
    near = pca.inverse_transform(pca.transform(X))
    figure = Figure(figsize=(6, 5.2))
    ax = figure.add_subplot(projection="3d")
    reach = np.abs(pca.transform(X)).max(axis=0)
    corner = np.array([[-1, -1], [-1, 1], [1, 1], [1, -1]]) * reach
    surface = (pca.mean_ + corner @ pca.components_).reshape(4, 3)[[0, 1, 3, 2]].reshape(2, 2, 3)
    ax.plot_surface(*np.moveaxis(surface, -1, 0), color="tab:blue", alpha=0.15)
    for row, foot in zip(X, near, strict=True):
        ax.plot(*zip(row, foot, strict=True), color="0.6", lw=0.8)
    ax.plot(*X.T, "o", mfc="none", color="tab:red", ms=6)
    ax.plot(*near.T, ".", color="black", ms=5)
    ax.set_title("Rows (rings) and their projections (dots)")
    ax.view_init(22, -55)
    return ax


def whitening(X):
    """Draw rows, their scores, and the scores divided by their deviations."""
    figure = Figure(figsize=(11, 3.8), layout="constrained")
    axes = figure.subplots(1, 3, sharex=True, sharey=True)
    drawn = {
        "Rows: correlated": X,
        "Scores: decorrelated": PCA().fit_transform(X),
        "Whitened: the identity": PCA(whiten=True).fit_transform(X),
    }
    for ax, (title, rows) in zip(axes, drawn.items(), strict=True):
        angle = np.linspace(0, 2 * np.pi, 100)
        ring = np.column_stack([np.cos(angle), np.sin(angle)])
        ring = 2 * ring @ np.linalg.cholesky(np.cov(rows.T)).T + rows.mean(axis=0)
        ax.plot(*ring.T, color="tab:red", lw=1)
        ax.plot(*rows.T, ".", color="tab:blue")
        ax.set(title=title, aspect="equal")
    return axes[0]


if __name__ == "__main__":
    run_alone(figures, SOURCE)
