"""EM iteration by iteration: two Gaussians fit the two groups that one cannot [UGR]."""

from __future__ import annotations

import numpy as np
from record import Record, run_alone

from lookalike import GaussianMixture
from lookalike.report.plots.mixture import plot_bic, plot_em_iterations

SOURCE = "[UGR]"
SYSTEMS = ("R5",)


def rows() -> np.ndarray:
    """Return two groups of the shape of the source's example, standardized."""
    rng = np.random.default_rng(0)
    short = rng.multivariate_normal([-1.3, -1.2], [[0.08, 0.05], [0.05, 0.2]], 97)
    long = rng.multivariate_normal([0.7, 0.65], [[0.15, 0.06], [0.06, 0.18]], 175)
    return np.concatenate([short, long])


def figures(record: Record) -> None:
    X = rows()
    start = GaussianMixture(
        2,
        weights_init=[0.5, 0.5],
        means_init=[[-1.5, 1.0], [1.5, -1.0]],
        precisions_init=[4 * np.eye(2)] * 2,
    )
    axes = plot_em_iterations(start, X)
    record.picture(axes[0], "em_film.png", "Iterations of EM")
    chosen = GaussianMixture("bic").fit(X)
    record.picture(plot_bic(chosen.curve_), "em_bic.png", "BIC of each number of components")
    model = start.fit(X)
    rises = np.diff(model.lower_bounds_)
    record.claim(
        "iterations in which the log-likelihood fell",
        "none",
        f"{int((rises < -1e-12).sum())} of {len(rises)}",
        rises.min() > -1e-12,
    )
    record.measured("weights of the components", np.sort(model.weights_).round(3).tolist())
    number = len(chosen.weights_)
    record.claim("components by BIC", "two modes", number, number == 2)
    loss = float(model.score(X) - GaussianMixture(1).fit(X).score(X))
    record.claim(
        "log-likelihood a row that one Gaussian loses",
        "one cannot fit two modes",
        f"{loss:.3f}",
        loss > 0.1,
    )
    gap = max(abs(model.weights_.sum() - 1), np.abs(model.predict_proba(X).sum(axis=1) - 1).max())
    record.claim(
        "weights and responsibilities sum to",
        "1",
        "1, to 1e-12" if gap < 1e-12 else f"1 ± {gap:.1e}",
        gap < 1e-12,
    )


if __name__ == "__main__":
    run_alone(figures, SOURCE)
