"""EM iteration by iteration: two Gaussians fit the two kinds of eruption that one cannot [UGR]."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from printed import compare

from lookalike import GaussianMixture
from lookalike.report.plots.mixture import plot_bic, plot_em_iterations


def rows() -> np.ndarray:
    """Return two groups of the shape of the source's example, standardized."""
    rng = np.random.default_rng(0)
    short = rng.multivariate_normal([-1.3, -1.2], [[0.08, 0.05], [0.05, 0.2]], 97)
    long = rng.multivariate_normal([0.7, 0.65], [[0.15, 0.06], [0.06, 0.18]], 175)
    return np.concatenate([short, long])


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    X = rows()
    start = GaussianMixture(
        2,
        weights_init=[0.5, 0.5],
        means_init=[[-1.5, 1.0], [1.5, -1.0]],
        precisions_init=[4 * np.eye(2)] * 2,
    )
    axes = plot_em_iterations(start, X)
    axes[0].figure.savefig(out / "em_film.png", dpi=110)
    chosen = GaussianMixture("bic").fit(X)
    plot_bic(chosen.curve_).figure.savefig(out / "em_bic.png", dpi=110)
    model = start.fit(X)
    rises = np.diff(model.lower_bounds_)
    compare(
        "EM for a mixture of two Gaussians",
        [
            ("smallest rise of the log-likelihood in an iteration", ">= 0", f"{rises.min():.1e}"),
            ("iterations", "-", model.n_iter_),
            ("weights of the components", "-", np.sort(model.weights_).round(3).tolist()),
            ("components by BIC", 2, len(chosen.weights_)),
            ("one Gaussian instead: log-likelihood lost a row", "-", f"{loss(X, model):.3f}"),
        ],
    )


def loss(X: np.ndarray, model: GaussianMixture) -> float:
    """Return what one Gaussian loses against the mixture."""
    return float(model.score(X) - GaussianMixture(1).fit(X).score(X))


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=Path("build/gallery"))
    main(options.parse_args().out)
