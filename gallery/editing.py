"""Data editing: rows without effect on the boundary, rows probably mislabeled [Barber, 14.1]."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from record import Record, run_alone

from lookalike import CondensedNearestNeighbour, EditedNearestNeighbours, KNeighborsClassifier
from lookalike.report.plots.neighbors import plot_decision_regions

SOURCE = "[Barber, 14.1]"
SYSTEMS = ("N12",)


def drawn(n, seed):
    """Return two classes on half circles."""
    rng = np.random.default_rng(seed)
    y, turn = np.arange(n) % 2, rng.uniform(0, np.pi, n)
    X = np.column_stack([np.cos(turn), np.sin(turn)]) * np.where(y == 1, -1, 1)[:, None]
    X[:, 0] += y
    X[:, 1] += 0.4 * y
    return X + 0.16 * rng.normal(size=X.shape), np.array(["upper", "lower"])[y]


def figures(record: Record) -> None:
    X, y = drawn(400, 0)
    later, truth = drawn(4000, 1)
    condensed = CondensedNearestNeighbour().fit(X, y)
    whole = KNeighborsClassifier(1).fit(X, y)
    record.measured("condensed: rows kept of 400", len(condensed.rows_))
    record.claim(
        "condensed: training rows predicted as by all rows",
        "little or no effect",
        f"{condensed.agreement_:.0%}",
        condensed.agreement_ == 1.0,
    )
    for name, model in (("all rows", whole), ("condensed", condensed)):
        record.measured(f"{name}: test error", f"{(model.predict(later) != truth).mean():.1%}")
    rng = np.random.default_rng(2)
    flipped = rng.choice(400, 40, replace=False)
    noisy = y.copy()
    noisy[flipped] = np.where(y[flipped] == "upper", "lower", "upper")
    edited = EditedNearestNeighbours().fit(X, noisy)
    dropped = np.setdiff1d(np.arange(400), edited.rows_)
    caught = np.isin(flipped, dropped).mean()
    record.claim(
        "40 labels flipped: share of them that are dropped",
        "neighbors are mistaken",
        f"{caught:.0%}",
        caught > 0.7,
        source="[Barber, 14.2]",
    )
    before = (KNeighborsClassifier(1).fit(X, noisy).predict(later) != truth).mean()
    after = (edited.predict(later) != truth).mean()
    record.claim(
        "test error with flipped labels, before and after editing",
        "more robust",
        f"{before:.1%}, {after:.1%}",
        after < before,
        source="[Barber, 14.2]",
    )
    figure = Figure(figsize=(12, 4.2), layout="constrained")
    axes = figure.subplots(1, 3)
    kept = condensed.rows_
    panels = (
        ("All 400 rows", whole, None, y),
        (f"Condensed: {len(kept)} rows kept (rings)", condensed, kept, y),
        (f"Edited: {len(dropped)} rows dropped (crosses)", edited, None, noisy),
    )
    for ax, (title, model, rows, labels) in zip(axes, panels, strict=True):
        plot_decision_regions(model, X, labels, ax=ax)
        if rows is not None:
            ax.plot(*X[rows].T, "o", mfc="none", color="black", ms=9)
        ax.set(title=title)
        ax.get_legend().remove()
    axes[2].plot(*X[dropped].T, "x", color="black", ms=7)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    record.picture(axes[0], "editing.png", "All rows, condensed, edited")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
