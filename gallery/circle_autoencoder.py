"""Autoencoders: PCA with a single hidden layer, a circle as one number [Bishop95, 8.6.2]."""

from __future__ import annotations

import warnings

import numpy as np
from matplotlib.figure import Figure
from record import Record, run_alone
from scipy.linalg import subspace_angles
from sklearn.exceptions import ConvergenceWarning

from lookalike import PCA, AutoEncoder
from lookalike.report.plots.autoencoder import plot_codes, plot_loss_curve

SOURCE = "[Bishop95, 8.6.2]"
SYSTEMS = ("P12",)


def figures(record: Record) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # losses can always fall a little more
        one_layer(record)
        the_circle(record)


def one_layer(record: Record) -> None:
    """Figure 8.12: d inputs, M hidden units, d outputs, linear or not: the space of PCA."""
    X = np.random.default_rng(0).normal(size=(300, 5)) * [5, 4, 2, 1, 0.5]
    pca = PCA(2).fit(X)
    least = pca.reconstruction_error(X).sum()
    units = {"linear": {}, "tanh": {"linear": False}}
    units["logistic"] = {"linear": False, "activation": "logistic"}
    figure = Figure(figsize=(11, 3.8), layout="constrained")
    axes = figure.subplots(1, 3)
    for ax, (name, options) in zip(axes, units.items(), strict=True):
        model = AutoEncoder(2, hidden=(), standardize=False, alpha=0.0, tol=1e-7, **options).fit(X)
        angle = np.rad2deg(subspace_angles(model.coefs_[1].T, pca.components_.T).max())
        excess = model.reconstruction_error(X).sum() / least - 1
        limit = 1 if options else 0.001  # degrees
        near = angle < limit
        record.claim(
            f"{name} hidden units: angle to the space of 2 principal components",
            "equivalent to PCA",
            f"below {limit:g} degrees" if near else f"{angle:.3f} degrees",
            near,
            source="[Bishop95, fig. 8.12]",
        )
        close = excess < 1e-2 if options else excess < 1e-6
        record.claim(
            f"{name} hidden units: squared error above that of PCA",
            "the same error",
            f"below {1e-2 if options else 1e-6:g} of it" if close else f"{excess:.2e}",
            close,
            source="[Bishop95, fig. 8.12]",
        )
        back = pca.transform(model.inverse_transform(model.transform(X)))
        ax.plot(*pca.transform(X).T, "o", mfc="none", color="0.6", ms=6, label="PCA")
        ax.plot(*back.T, ".", color="tab:red", ms=4, label="network")
        ax.set(title=f"{name} hidden units", xlabel="component 1", ylabel="component 2")
        ax.set_aspect("equal")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    record.picture(axes[0], "autoencoder_pca.png", "One hidden layer gives PCA (figure 8.12)")


def the_circle(record: Record) -> None:
    angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    pca = PCA(1).fit(circle)
    flat = pca.inverse_transform(pca.transform(circle))
    coder = AutoEncoder(1, hidden=(16, 16), alpha=0.0, n_init=3).fit(circle)
    error = ((flat - circle) ** 2).sum(axis=1).mean()
    record.equation(
        "circle, one principal component: mean squared error",
        "λ2",
        0.5,
        error,
        source="[Bishop95, eq. 8.23]",
    )
    small = coder.reconstruction_error(circle).mean()
    record.claim(
        "circle, one unit between layers of 16: mean squared error",
        "small",
        f"{small:.1g}",
        small < 0.01,
    )
    figure = Figure(figsize=(11, 3.8), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    figure.get_layout_engine().set(wspace=0.1)
    again = coder.inverse_transform(coder.transform(circle))
    left.plot(*circle.T, color="0.8", linewidth=6, label="the rows")
    left.plot(*flat.T, color="tab:blue", label="one principal component")
    left.scatter(*again.T, c=angle, s=10, cmap="twilight", zorder=3, label="one unit")
    left.set(aspect="equal", title="Reconstructed from one number")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=2, fontsize="x-small")
    plot_codes(coder, circle, color=angle, ax=middle)
    plot_loss_curve(coder, ax=right)
    record.picture(left, "circle_autoencoder.png", "One number describes a circle")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
