"""One number describes a circle, where linear methods need two [Bishop95, fig. 8.10, 8.6.2]."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from printed import compare
from scipy.linalg import subspace_angles
from sklearn.exceptions import ConvergenceWarning

from lookalike import PCA, AutoEncoder
from lookalike.report.plots.autoencoder import plot_codes, plot_loss_curve


def main(out: Path) -> None:
    angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    pca = PCA(1).fit(circle)
    flat = pca.inverse_transform(pca.transform(circle))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the cut can always be made sharper
        coder = AutoEncoder(1, hidden=(16, 16), alpha=0.0, n_init=3).fit(circle)
    given_back = coder.inverse_transform(coder.transform(circle))

    rows = np.random.default_rng(0).normal(size=(300, 5)) * [5, 4, 2, 1, 0.5]
    linear = AutoEncoder(2, hidden=(), standardize=False, alpha=0.0, tol=1e-7).fit(rows)
    angles = subspace_angles(linear.coefs_[1].T, PCA(2).fit(rows).components_.T)

    error = ((flat - circle) ** 2).sum(axis=1).mean()
    variance = PCA().fit(circle).explained_variance_
    compare(
        "The circle",
        [
            ("ratio of the two eigenvalues", 1, f"{variance[0] / variance[1]:.6f}"),
            ("mean squared error, one principal component", 0.5, f"{error:.4f}"),
            (
                "the same, one unit of a network",
                "small",
                f"{coder.reconstruction_error(circle).mean():.5f}",
            ),
            ("part of the variation given back", "near 1", f"{coder.score(circle):.5f}"),
            (
                "linear network and PCA, largest angle in degrees",
                0,
                f"{np.rad2deg(angles.max()):.5f}",
            ),
        ],
    )
    out.mkdir(parents=True, exist_ok=True)
    draw(circle, flat, given_back, angle, coder).savefig(out / "circle_autoencoder.png", dpi=120)


def draw(circle, flat, given_back, angle, coder) -> Figure:
    figure = Figure(figsize=(11, 3.6), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    figure.get_layout_engine().set(wspace=0.1)
    left.plot(*circle.T, color="0.8", linewidth=6, label="the rows")
    left.plot(*flat.T, color="tab:blue", label="one principal component")
    left.scatter(*given_back.T, c=angle, s=10, cmap="twilight", zorder=3, label="one unit")
    left.set(aspect="equal", title="Given back from one number")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=3, fontsize="x-small")
    plot_codes(coder, circle, color=angle, ax=middle)
    plot_loss_curve(coder, ax=right)
    return figure


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=Path("build/gallery"))
    main(options.parse_args().out)
