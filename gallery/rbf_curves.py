"""Basis functions on all points or on a few centers: small and large r, k = 4 and 10 [UGR]."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from record import Record, run_alone

from lookalike import KernelRegressor, RBFNetworkRegressor
from lookalike.report.plots.rbf import plot_fitted_curve

SOURCE = "[UGR]"
SYSTEMS = ("R1", "R2", "R3")
FEW = np.array([[-1.0], [0.3], [1.6]])  # the source's pictures show three points, and no figures
HEIGHTS = np.array([0.6, 1.4, 0.8])


def target(x):
    """Return the curve that the rows are drawn around."""
    return 1.5 * np.sin(2 * np.pi * x)


def points(record: Record) -> None:
    """Non-parametric and parametric, small and large r."""
    figure = Figure(figsize=(10, 6), layout="constrained")
    for row, r in enumerate((0.15, 0.6)):
        smooth = KernelRegressor(r).fit(FEW, HEIGHTS)
        network = RBFNetworkRegressor(centers="points", width=r, alpha=0.0, bias=False)
        network.fit(FEW, HEIGHTS)
        for column, (name, model) in enumerate(
            (("Nonparametric", smooth), ("Parametric", network))
        ):
            ax = figure.add_subplot(2, 2, 2 * row + column + 1)
            plot_fitted_curve(model, FEW, HEIGHTS, margin=0.8, ax=ax)
            ax.set(title=f"{name} RBF, {'small' if row == 0 else 'large'} r = {r}")
        far = float(smooth.predict([[50.0]])[0])
        record.claim(
            f"nonparametric, r = {r}: far away",
            "depends on the peripheral data",
            f"{far:.2f}, the last point's",
            abs(far - HEIGHTS[-1]) < 1e-6,
        )
        zero = abs(float(network.predict([[50.0]])[0]))
        record.claim(
            f"parametric, r = {r}: far away",
            "goes to zero",
            "0" if zero < 1e-9 else f"{zero:.1g}",
            zero < 1e-9,
        )
        error = np.abs(network.predict(FEW) - HEIGHTS).max()
        record.claim(
            f"parametric, r = {r}: largest training error",
            "always fits the data",
            "below 1e-9" if error < 1e-9 else f"{error:.1e}",
            error < 1e-9,
        )
    record.picture(ax, "rbf_points.png", "Nonparametric and parametric, small and large r")


def networks(record: Record) -> None:
    """Networks of k centers, r = 1/k, and the same with a penalty."""
    rng = np.random.default_rng(3)
    x = (np.arange(15)[:, None] + rng.uniform(size=(15, 1))) / 15
    y = target(x[:, 0]) + 0.25 * rng.normal(size=15)
    across = np.linspace(0.02, 0.98, 400)[:, None]
    figure = Figure(figsize=(13, 3.8), layout="constrained")
    error = {}
    for place, (k, alpha) in enumerate(((4, 0.0), (10, 0.0), (10, "cv"))):
        centers = (np.arange(k)[:, None] + 0.5) / k
        model = RBFNetworkRegressor(centers=centers, width=1 / k, alpha=alpha).fit(x, y)
        ax = figure.add_subplot(1, 3, place + 1)
        ax.plot(across[:, 0], target(across[:, 0]), color="0.6", lw=2)
        plot_fitted_curve(model, x, y, basis_functions=False, margin=0.02, ax=ax)
        label = f"k = {k}" + (", regularized" if alpha == "cv" else "")
        ax.set(title=label, ylim=(-3, 3))
        error[label] = np.sqrt(np.mean((model.predict(across) - target(across[:, 0])) ** 2))
    few, many, penalized = error.values()
    record.claim("k = 4: RMSE from the target", "a reasonable fit", f"{few:.3f}", few < many)
    record.claim("k = 10: RMSE from the target", "overfitting", f"{many:.3f}", many > penalized)
    record.claim(
        "k = 10, regularized: RMSE from the target",
        "regularization helps",
        f"{penalized:.3f}",
        penalized < many,
    )
    record.picture(ax, "rbf_networks.png", "4 and 10 centers, and 10 with a penalty")


def figures(record: Record) -> None:
    points(record)
    networks(record)


if __name__ == "__main__":
    run_alone(figures, SOURCE)
