"""Points on a circle [Bishop95, 8.6.1]: two equal PCA eigenvalues, and yet one dimension."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from printed import compare

from lookalike import PCA, intrinsic_dimension
from lookalike.report.axes import axes_or_new
from lookalike.report.dimension import plot_dimension
from lookalike.report.save import save_axes

NOISE = 0.002


def main(out: Path) -> None:
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 20_000)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    noisy = circle + NOISE * rng.normal(size=circle.shape)
    even = np.linspace(0, 2 * np.pi, 1000, endpoint=False)
    large, small = PCA().fit(np.column_stack([np.cos(even), np.sin(even)])).explained_variance_
    found = intrinsic_dimension(circle)
    blurred = intrinsic_dimension(noisy, "mle")
    compare(
        "Points on a circle, and the same with a little noise",
        [
            ("PCA eigenvalues, evenly spaced points", "equal", f"{large:.4f}, {small:.4f}"),
            ("linear dimension (pca)", 2, f"{intrinsic_dimension(circle, 'pca').estimate:.0f}"),
            ("intrinsic dimension (twonn)", 1, found),
            ("intrinsic dimension (mle)", 1, intrinsic_dimension(circle, "mle")),
            ("with noise, seen closely", 2, blurred),
            ("with noise, seen from afar", 1, f"{blurred.scales[-1].estimate:.2f}"),
        ],
    )
    ax = plot_dimension(blurred)
    ax.axvline(NOISE, color="gray", linestyle=":")
    ax.annotate("the noise", (NOISE, 0.1), xytext=(4, 0), textcoords="offset points", color="gray")
    ax.set_title("A circle with noise: two dimensions near, one from afar")
    save_axes(ax, out / "circle_dimension.png")
    ax = axes_or_new(None, size=(5.0, 5.0))
    ax.scatter(*noisy[:1000].T, s=3)
    for axis, variance in zip(np.eye(2), (large, small), strict=True):
        ax.annotate("", np.sqrt(variance) * axis, (0, 0), arrowprops={"arrowstyle": "->", "lw": 2})
    ax.set(title="Both directions of PCA are equally long", aspect="equal")
    save_axes(ax, out / "circle.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gallery"))
    main(parser.parse_args().out)
