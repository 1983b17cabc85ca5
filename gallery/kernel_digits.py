"""Fives and nines: K and sigma by leave-one-out [Barber, exercises 14.1 and 14.2].

The book's NNdata.mat is not at hand: these are fives and nines of MNIST's test images.
"""

from __future__ import annotations

import numpy as np
from digits import digits
from record import Record, run_alone

from lookalike import KernelDensityClassifier, KNeighborsClassifier
from lookalike.report.plots.axes import axes_or_new

SOURCE = "[Barber, exercises 14.1, 14.2]"
SYSTEMS = ("N9", "N15", "N16")
DATA = ("mnist.npz",)


def figures(record: Record) -> None:
    X, y, later, truth = digits(5, 9, train=600, test=292)
    hard = KNeighborsClassifier("loo").fit(X, y)
    model = KernelDensityClassifier().fit(X, y)
    chosen = model.curve_["log_loss"].argmin()
    far = model.predict_proba(np.full((1, 784), 1e6))[0]
    record.measured("K of least leave-one-out error", hard.n_neighbors_)
    record.measured("test accuracy with it", f"{np.mean(hard.predict(later) == truth):.4f}")
    record.measured("sigma of least leave-one-out log loss", f"{model.bandwidth_:.4g}")
    record.measured("leave-one-out error with it", f"{model.curve_['error'][chosen]:.4f}")
    record.measured("test accuracy with it", f"{np.mean(model.predict(later) == truth):.4f}")
    record.claim(
        "probabilities far from all data",
        "tend to the prior, 0.5 and 0.5",
        ", ".join(f"{p:.6f}" for p in far),
        abs(far - 0.5).max() < 1e-6,
        source="[Barber, 14.3.1]",
    )
    ax = axes_or_new(None)
    ax.semilogx(model.curve_["bandwidth"], model.curve_["error"], marker=".", label="error")
    ax.semilogx(model.curve_["bandwidth"], model.curve_["log_loss"], marker=".", label="log loss")
    ax.axvline(model.bandwidth_, color="gray", lw=0.8)
    ax.set_xticks([100, 200, 300, 400, 600, 800], ["100", "200", "300", "400", "600", "800"])
    ax.minorticks_off()
    ax.set(xlabel="sigma", ylabel="leave-one-out", ylim=(0, 0.8), title="5 and 9, soft neighbors")
    ax.legend()
    record.picture(ax, "digits_5_9_soft.png", "Leave-one-out error and log loss against sigma")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
