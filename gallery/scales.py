"""Columns of different scale: why rows are normalized before distances [LUMS; Barber, 14.1]."""

from __future__ import annotations

import numpy as np
from record import Record, run_alone
from sklearn.datasets import load_wine

from lookalike import PCA, KNeighborsClassifier, MinMaxScaler, StandardScaler
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.pca import plot_biplot

SOURCE = "[LUMS]"
SYSTEMS = ("N6", "P14")
SCALERS = {
    "z-score": StandardScaler(),
    "min-max": MinMaxScaler(),
    "whitening": PCA(whiten=True),
}


def figures(record: Record) -> None:
    X, y = load_wine(return_X_y=True)
    spread = X.std(axis=0)
    record.measured(
        "wine: largest by smallest standard deviation of a column",
        f"{spread.max() / spread.min():,.0f}",
    )
    rows = {"as they are": X}
    rows |= {name: scaler.fit_transform(X) for name, scaler in SCALERS.items()}
    errors = {name: loo_error(KNeighborsClassifier(5), Z, y) for name, Z in rows.items()}
    errors["Mahalanobis distance"] = loo_error(KNeighborsClassifier(5, metric="mahalanobis"), X, y)
    raw = errors["as they are"]
    record.measured("leave-one-out error, columns as they are, 5 neighbors", f"{raw:.1%}")
    for name in list(errors)[1:]:
        record.claim(
            f"the same, {name}",
            "the solution: normalization",
            f"{errors[name]:.1%}",
            errors[name] < raw,
        )
    white = rows["whitening"]
    gap = np.abs(np.cov(white.T) - np.eye(X.shape[1])).max()
    gap = min(gap, np.abs(np.cov(white.T, ddof=0) - np.eye(X.shape[1])).max())
    record.claim(
        "covariance of the whitened columns",
        "the identity",
        "to 1e-9" if gap < 1e-9 else f"{gap:.1e}",
        gap < 1e-9,
        source="[UCSD]",
    )
    ax = axes_or_new(None, size=(6.5, 3.6))
    ax.barh(list(errors)[::-1], [100 * e for e in list(errors.values())[::-1]], color="tab:blue")
    ax.set(xlabel="leave-one-out error, percent", title="Wine, 5 neighbors")
    record.picture(ax, "scales.png", "Error with and without normalization")
    data = load_wine(as_frame=True)
    frame = StandardScaler().fit_transform(data.data)
    ax = plot_biplot(PCA(2).fit(frame), frame, y=data.target)
    record.picture(ax, "biplot.png", "Wine in two components, and its columns")


def loo_error(model, X, y):
    """Return the leave-one-out error."""
    return float((model.fit(X, y).predict() != y).mean())


if __name__ == "__main__":
    run_alone(figures, SOURCE)
