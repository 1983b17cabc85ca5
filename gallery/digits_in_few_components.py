"""Ones and sevens by neighbors in M principal components [Barber, ex. 15.3, fig. 15.7].

The split is that of the example: of 600 digits to learn from, PCA and neighbors use 400, and 200
validate M; 600 others test. Of each digit the first 200 learn, the next 100 validate, the next 300
test.
"""

from __future__ import annotations

import numpy as np
from digits import digits
from record import Record, run_alone

from lookalike import PCA, KNeighborsClassifier
from lookalike.decomposition import choose_components_and_k
from lookalike.report.plots.axes import axes_or_new

SOURCE = "[Barber, ex. 15.3]"
SYSTEMS = ("N13", "P7")
DATA = ("mnist.npz",)
M = 19


def figures(record: Record) -> None:
    X, y, later, truth = digits(1, 7)
    learn = np.concatenate([np.arange(200), np.arange(300, 500)])
    rest = np.setdiff1d(np.arange(600), learn)
    choice = choose_components_and_k(
        X[learn], y[learn], max_components=100, k_max=1, validation=(X[rest], y[rest])
    )
    curve = np.round(choice.error[:, 0] * len(rest)).astype(int)
    plateau = choice.components[curve == curve.min()]

    pca = PCA(100).fit(X[learn])
    Z, tests = pca.transform(X[learn]), pca.transform(later)
    wrong = [
        int((KNeighborsClassifier(1).fit(Z[:, :m], y[learn]).predict(tests[:, :m]) != truth).sum())
        for m in range(1, 101)
    ]
    record.printed("test errors of 600 with M = 19", 14, wrong[M - 1])
    record.claim(
        "M = 19 has the least validation error",
        "19 is reasonable",
        bool(M in plateau),
        M in plateau,
    )
    listed = ", ".join(map(str, plateau))
    record.measured(f"M with {curve.min()} validation errors of 200, the fewest", listed)

    both = choose_components_and_k(X, y, max_components=40, k_max=15)
    m, k = both.best
    model = both.pipeline(X, y)
    record.measured("M and K together, leave-one-out on 600", f"M = {m}, K = {k}")
    record.measured("test errors of 600 with both", int((model.predict(later) != truth).sum()))
    ax = axes_or_new(None)
    ax.plot(choice.components, curve, marker=".", label="validation errors of 200")
    ax.plot(np.arange(1, 101), np.array(wrong) / 3, lw=1, label="test errors, of 200")
    ax.axvline(M, color="gray", lw=0.8)
    ax.annotate(f"M = {M}", (M, ax.get_ylim()[1] * 0.7), xytext=(5, 0), textcoords="offset points")
    ax.set(xlabel="number of components M", ylabel="errors", title="1 and 7, one neighbor")
    ax.legend()
    record.picture(ax, "digits_1_7_components.png", "Error against M (figure 15.7)")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
