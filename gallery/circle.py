"""Points on a circle: two equal eigenvalues, where one number would do [Bishop95, 8.6.1]."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from printed import compare

from lookalike import PCA, intrinsic_dimension
from lookalike.explain.dimension import Dimension
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.dimension import plot_intrinsic_dimension
from lookalike.report.save import save_axes

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


def blurred() -> Dimension:
    """Return the dimension of many points with a little noise, at every scale."""
    return intrinsic_dimension(scattered(20_000, NOISE), "mle")


def measure() -> list[tuple[str, object, object]]:
    """Return what the source says and what was measured."""
    exact, noisy = (PCA(ddof=0).fit(circle(360, noise)) for noise in (0.0, 0.05))
    points, seen = scattered(20_000), blurred()
    return [
        ("eigenvalues", "two, equal", exact.explained_variance_.round(12).tolist()),
        ("the same, with noise", "two, nearly equal", noisy.explained_variance_.round(4).tolist()),
        ("components for 95%", 2, PCA(n_components=0.95).fit(circle(360)).n_components_),
        ("intrinsic dimension (twonn)", 1, intrinsic_dimension(points)),
        ("intrinsic dimension (mle)", 1, intrinsic_dimension(points, "mle")),
        ("with noise, seen closely", 2, seen),
        ("with noise, seen from afar", 1, round(seen.scales[-1].estimate, 2)),
    ]


def draw(out: Path) -> None:
    ax = plot_intrinsic_dimension(blurred())
    ax.axvline(NOISE, color="gray", linestyle=":")
    ax.annotate("the noise", (NOISE, 0.1), xytext=(4, 0), textcoords="offset points", color="gray")
    ax.set_title("A circle with noise: two dimensions near, one from afar")
    save_axes(ax, out / "circle_dimension.png")
    ax = axes_or_new(None, size=(5.0, 5.0))
    ax.scatter(*scattered(1000, NOISE).T, s=3)
    pca = PCA().fit(circle(360))
    for axis, variance in zip(pca.components_, pca.explained_variance_, strict=True):
        ax.annotate("", np.sqrt(variance) * axis, (0, 0), arrowprops={"arrowstyle": "->", "lw": 2})
    ax.set(title="Both directions of PCA are equally long", aspect="equal")
    save_axes(ax, out / "circle.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gallery"))
    compare("Circle [Bishop95, 8.6.1]", measure())
    draw(parser.parse_args().out)
