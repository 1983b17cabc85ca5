"""Exercises 14.1 and 14.2 of [Barber]: fives and nines, K and sigma by leave-one-out.

The book's NNdata.mat is not at hand: these are fives and nines of MNIST's test images.
Run: LOOKALIKE_DATA=folder python gallery/kernel_digits.py
"""

from __future__ import annotations

import numpy as np
from digits import digits, folder
from printed import compare

from lookalike import KNeighborsClassifier, SoftNeighborsClassifier
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.save import save_axes


def main() -> None:
    out = folder()
    X, y, later, truth = digits(5, 9, train=600, test=292)
    hard = KNeighborsClassifier("loo").fit(X, y)
    model = SoftNeighborsClassifier().fit(X, y)
    chosen = model.curve_.log_loss.argmin()
    far = np.full((1, 784), 1e6)
    compare(
        "Exercises 14.1 and 14.2: 5 v 9, 600 of each to learn, 292 of each to test",
        [
            ("K of least leave-one-out error", "-", hard.n_neighbors_),
            ("accuracy with it", "-", f"{np.mean(hard.predict(later) == truth):.4f}"),
            ("sigma of least leave-one-out log-loss", "-", f"{model.bandwidth_:.4g}"),
            ("leave-one-out error with it", "-", f"{model.curve_.error[chosen]:.4f}"),
            ("accuracy with it", "-", f"{np.mean(model.predict(later) == truth):.4f}"),
            ("p(5), p(9) far from all digits", "0.5 0.5", model.predict_proba(far)[0].round(6)),
        ],
    )
    ax = axes_or_new(None)
    ax.semilogx(model.curve_.bandwidth, model.curve_.error, marker=".", label="error")
    ax.semilogx(model.curve_.bandwidth, model.curve_.log_loss, marker=".", label="log-loss")
    ax.axvline(model.bandwidth_, color="gray", lw=0.8)
    ax.set(xlabel="sigma", ylabel="leave-one-out", ylim=(0, 0.8), title="5 v 9, kernel classifier")
    ax.legend()
    save_axes(ax, out / "digits_5_9_soft.png")


if __name__ == "__main__":
    main()
