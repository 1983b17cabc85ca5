"""PCA, then the density of each class in few components [UCSD]."""

from __future__ import annotations

import numpy as np
from record import Record, run_alone
from sklearn.datasets import load_digits

from lookalike import PCA, GaussianMixtureClassifier, KernelDensityClassifier
from lookalike.report.plots.axes import axes_or_new, plane_grid

SOURCE = "[UCSD]"
SYSTEMS = ("P1", "R5", "N15")
SHOWN = (0, 1, 4, 7)


def figures(record: Record) -> None:
    X, y = load_digits(return_X_y=True)
    learn, test = slice(None, 1200), slice(1200, None)
    for m in (2, 5, 10, 20):
        pca = PCA(m).fit(X[learn])
        Z, later = pca.transform(X[learn]), pca.transform(X[test])
        normal = GaussianMixtureClassifier(1, random_state=0).fit(Z, y[learn])
        parzen = KernelDensityClassifier().fit(Z, y[learn])
        errors = [(model.predict(later) != y[test]).mean() for model in (normal, parzen)]
        record.measured(
            f"digits, {m} components: test error of Gaussian and of Parzen densities",
            f"{errors[0]:.1%}, {errors[1]:.1%}",
        )
    record.claim(
        "20 components of 64: test error of Gaussian densities",
        "do all further processing on them",
        f"{errors[0]:.1%}",
        errors[0] < 0.1,
    )
    record.picture(densities(X, y), "class_densities.png", "Densities of four digits")


def densities(X, y):
    """Draw contours of the density of some classes in two components."""
    kept = np.isin(y, SHOWN)
    pca = PCA(2).fit(X[kept])
    Z, labels = pca.transform(X[kept]), y[kept]
    model = GaussianMixtureClassifier(2, random_state=0).fit(Z, labels)
    ax = axes_or_new(None, size=(6.5, 5.0))
    x0, x1, grid = plane_grid(Z, 0.08, 200)
    for color, (label, mixture) in enumerate(zip(model.classes_, model.mixtures_, strict=True)):
        density = np.exp(mixture.score_samples(grid)).reshape(200, 200)
        levels = density.max() * np.array([0.05, 0.2, 0.5, 0.8])
        ax.contour(x0, x1, density, levels, colors=f"C{color}", linewidths=1)
        rows = Z[labels == label]
        ax.plot(*rows.T, ".", ms=3, alpha=0.5, color=f"C{color}", label=str(label))
    ax.set(xlabel="component 1", ylabel="component 2", title="p(z | digit), two Gaussians each")
    ax.figure.legend(
        *ax.get_legend_handles_labels(), loc="outside right center", title="digit", markerscale=3
    )
    return ax


if __name__ == "__main__":
    run_alone(figures, SOURCE)
