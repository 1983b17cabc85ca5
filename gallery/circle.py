"""Points on a circle: two equal eigenvalues, where one number would do [Bishop95, 8.6.1]."""

from __future__ import annotations

import numpy as np
from printed import compare

from lookalike import PCA


def circle(n_points: int, noise: float = 0.0) -> np.ndarray:
    """Return points evenly spread on the unit circle, moved by `noise`."""
    angle = 2 * np.pi * np.arange(n_points) / n_points
    moved = noise * np.random.default_rng(0).normal(size=(n_points, 2))
    return np.c_[np.cos(angle), np.sin(angle)] + moved


def measure() -> list[tuple[str, object, object]]:
    """Return what the source says beside what is found."""
    exact, noisy = (PCA(ddof=0).fit(circle(360, noise)) for noise in (0.0, 0.05))
    return [
        ("eigenvalues", "two, equal", exact.explained_variance_.round(12).tolist()),
        ("the same, with noise", "two, nearly equal", noisy.explained_variance_.round(4).tolist()),
        ("components for 95 %", 2, PCA(n_components=0.95).fit(circle(360)).n_components_),
    ]


if __name__ == "__main__":
    compare("Circle [Bishop95, 8.6.1]", measure())
