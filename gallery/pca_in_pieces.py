"""PCA in one pass: any pieces, merged in any order, give the PCA of all rows."""

from __future__ import annotations

import numpy as np
from record import Record, run_alone
from sklearn.datasets import load_digits

from lookalike import PCA
from lookalike.report.plots.pca import plot_explained_variance, plot_scree

SOURCE = "[Chan83]"
SYSTEMS = ("P2", "P3", "P5", "P7")


def figures(record: Record) -> None:
    X, _ = load_digits(return_X_y=True)
    whole = PCA(10).fit(X)
    pieces = {
        "a function of chunks of 100 rows": PCA(10).fit(
            lambda: (X[i : i + 100] for i in range(0, len(X), 100))
        ),
        "partial_fit, 200 rows at a time": parts(X, 200),
        "two models merged": PCA(10).fit(X[:1000]).merge(PCA(10).fit(X[1000:])),
    }
    for name, model in pieces.items():
        gap = np.abs(np.abs(model.components_) - np.abs(whole.components_)).max()
        record.claim(
            f"{name}: largest difference of the components",
            "none but rounding",
            "below 1e-9" if gap < 1e-9 else f"{gap:.1e}",
            gap < 1e-9,
        )
    for solver in ("covariance_eigh", "full", "gram", "leading"):
        model = PCA(10, svd_solver=solver).fit(X)
        gap = np.abs(model.explained_variance_ / whole.explained_variance_ - 1).max()
        record.claim(
            f"solver {solver!r}: largest relative difference of the eigenvalues",
            "the same answer",
            "below 1e-6" if gap < 1e-6 else f"{gap:.1e}",
            gap < 1e-6,
            source="[Barber, 15.3]",
        )
    everything = PCA(0.7).fit(X)
    share = everything.explained_variance_ratio_.sum()
    record.claim(
        "fraction of variance: components for 70%",
        "the fewest that reach it",
        f"{everything.n_components_}, {share:.1%}",
        share >= 0.7 > share - everything.explained_variance_ratio_[-1],
        source="[UCSD; LUMS]",
    )
    record.picture(plot_scree(everything), "digits_scree.png", "Scree plot of the digits")
    ax = plot_explained_variance(everything)
    record.picture(ax, "digits_explained.png", "Components that each rule keeps")


def parts(X, size):
    """Return PCA from rows that come a few at a time."""
    model = PCA(10)
    for start in range(0, len(X), size):
        model.partial_fit(X[start : start + size])
    return model


if __name__ == "__main__":
    run_alone(figures, SOURCE)
