"""Points on a circle: two equal eigenvalues, one intrinsic dimension [Bishop95, 8.6.1]."""

from __future__ import annotations

import numpy as np
from record import Record, run_alone

from lookalike import PCA
from lookalike.explain import intrinsic_dimension
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.dimension import plot_intrinsic_dimension

SOURCE = "[Bishop95, 8.6.1, fig. 8.10, 8.11]"
SYSTEMS = ("P8",)
NOISE = 0.002


def circle(n_points: int, noise: float = 0.0) -> np.ndarray:
    """Return points evenly spread on the unit circle, moved by `noise`."""
    angle = 2 * np.pi * np.arange(n_points) / n_points
    moved = noise * np.random.default_rng(0).normal(size=(n_points, 2))
    return np.c_[np.cos(angle), np.sin(angle)] + moved


def scattered(n_points: int, noise: float = 0.0) -> np.ndarray:
    """Return points at random places of the unit circle, moved by `noise`."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, n_points)
    return np.c_[np.cos(angle), np.sin(angle)] + noise * rng.normal(size=(n_points, 2))


def figures(record: Record) -> None:
    exact, noisy = (PCA(ddof=0).fit(circle(360, noise)) for noise in (0.0, 0.05))
    pair = exact.explained_variance_
    record.claim("eigenvalues", "two, equal", pair.round(12).tolist(), np.ptp(pair) < 1e-12)
    pair = noisy.explained_variance_
    record.claim("the same with noise", "two", pair.round(4).tolist(), np.ptp(pair) < 0.02)
    kept = PCA(n_components=0.95).fit(circle(360)).n_components_
    record.claim("components for 95% of the variance", "PCA overestimates", kept, kept == 2)
    points = scattered(20_000)
    for name, method in (("TwoNN", "twonn"), ("MLE", "mle")):
        found = intrinsic_dimension(points, method)
        record.printed(f"intrinsic dimension ({name})", "1", found.estimate, form=".3f")
    near = intrinsic_dimension(scattered(20_000, NOISE), "mle")
    record.printed(
        "with noise, intrinsic dimension of near neighbors", "2", near.estimate, form=".3f"
    )
    far = near.scales[-1].estimate
    record.printed("with noise, intrinsic dimension of far neighbors", "1", far, form=".3f")

    ax = plot_intrinsic_dimension(near)
    ax.axvline(NOISE, color="gray", linestyle=":")
    ax.annotate("the noise", (NOISE, 0.1), xytext=(4, 0), textcoords="offset points", color="gray")
    ax.set_title("A circle with noise: dimension 2 near, 1 far")
    record.picture(ax, "circle_dimension.png", "Noise raises the dimension of near neighbors")
    ax = axes_or_new(None, size=(5.0, 5.0))
    ax.scatter(*scattered(1000, NOISE).T, s=3)
    for axis, variance in zip(exact.components_, exact.explained_variance_, strict=True):
        ax.annotate("", np.sqrt(variance) * axis, (0, 0), arrowprops={"arrowstyle": "->", "lw": 2})
    ax.set(title="Both principal components are equally long", aspect="equal")
    record.picture(ax, "circle.png", "A circle and its principal components (figure 8.10)")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
