"""Basis functions on all points or on a few centers: small and large r, k = 4 and 10 [UGR]."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from printed import compare

from lookalike import RBFNetworkRegressor, RBFSmoother
from lookalike.report.plots.rbf import plot_fitted_curve

FEW = np.array([[-1.0], [0.3], [1.6]])  # the source's pictures show three points, and no figures
HEIGHTS = np.array([0.6, 1.4, 0.8])


def target(x):
    """Return the curve that the rows are drawn around."""
    return np.sin(2 * np.pi * x) + 0.5 * np.cos(5 * np.pi * x)


def points(out: Path) -> list[tuple[str, object, object]]:
    """Non-parametric and parametric, small and large r."""
    figure = Figure(figsize=(10, 6), layout="constrained")
    facts: list[tuple[str, object, object]] = []
    for row, r in enumerate((0.15, 0.6)):
        smooth = RBFSmoother(r).fit(FEW, HEIGHTS)
        network = RBFNetworkRegressor(centers="points", width=r, alpha=0.0, bias=False)
        network.fit(FEW, HEIGHTS)
        for column, (name, model) in enumerate(
            (("nonparametric", smooth), ("parametric", network))
        ):
            ax = figure.add_subplot(2, 2, 2 * row + column + 1)
            plot_fitted_curve(model, FEW, HEIGHTS, margin=0.8, ax=ax)
            ax.set(title=f"{name} RBF, {'small' if row == 0 else 'large'} r = {r}")
        far = [[50.0]]
        facts.append((f"nonparametric, r = {r}, far away", "peripheral", smooth.predict(far)[0]))
        facts.append((f"parametric, r = {r}, far away", 0, f"{network.predict(far)[0]:.1g}"))
        error = np.abs(network.predict(FEW) - HEIGHTS).max()
        facts.append((f"parametric, r = {r}, largest training error", 0, f"{error:.1e}"))
    figure.savefig(out / "rbf_points.png", dpi=110)
    return facts


def networks(out: Path) -> list[tuple[str, object, object]]:
    """Networks of k centers, r = 1/k, and the same with a penalty."""
    rng = np.random.default_rng(3)
    x = (np.arange(15)[:, None] + rng.uniform(size=(15, 1))) / 15
    y = target(x[:, 0]) + 0.25 * rng.normal(size=15)
    across = np.linspace(0.02, 0.98, 400)[:, None]
    figure = Figure(figsize=(13, 3.8), layout="constrained")
    facts: list[tuple[str, object, object]] = []
    for place, (k, alpha) in enumerate(((4, 0.0), (10, 0.0), (10, "cv"))):
        centers = (np.arange(k)[:, None] + 0.5) / k
        model = RBFNetworkRegressor(centers=centers, width=1 / k, alpha=alpha).fit(x, y)
        ax = figure.add_subplot(1, 3, place + 1)
        ax.plot(across[:, 0], target(across[:, 0]), color="0.6", lw=2)
        plot_fitted_curve(model, x, y, basis_functions=False, margin=0.02, ax=ax)
        label = f"k = {k}" + (", regularized" if alpha == "cv" else "")
        ax.set(title=label, ylim=(-3, 3))
        miss = np.sqrt(np.mean((model.predict(across) - target(across[:, 0])) ** 2))
        facts.append((f"{label}: error against the target", "-", f"{miss:.3f}"))
    figure.savefig(out / "rbf_networks.png", dpi=110)
    return facts


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    compare("A basis function on every point", points(out))
    compare("Few basis functions fit, many overfit, a penalty helps", networks(out))


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=Path("build/gallery"))
    main(options.parse_args().out)
