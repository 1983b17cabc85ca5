"""Example and exercise 15.3 of [Barber]: ones and sevens by neighbors in M components.

Run: LOOKALIKE_DATA=folder python gallery/digits_in_few_components.py
"""

from __future__ import annotations

import numpy as np
from digits import digits, folder
from printed import compare

from lookalike import PCA, KNeighborsClassifier, choose_components_and_k
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.save import save_axes


def main() -> None:
    out = folder()
    X, y, later, truth = digits(1, 7)
    learn = np.concatenate([np.arange(200), np.arange(300, 500)])
    reference = np.setdiff1d(np.arange(600), learn)
    choice = choose_components_and_k(
        X[learn], y[learn], max_components=100, k_max=1, validation=(X[reference], y[reference])
    )
    curve = np.round(choice.error[:, 0] * len(reference)).astype(int)
    plateau = choice.components[curve == curve.min()]
    spans = f"{len(plateau)} of {plateau.min()} to {plateau.max()}"
    pca = PCA(100).fit(X)
    Z, test = pca.transform(X), pca.transform(later)
    errors = {
        m: int((KNeighborsClassifier(1).fit(Z[:, :m], y).predict(test[:, :m]) != truth).sum())
        for m in (19, 20)
    }
    compare(
        "Example 15.3: ones and sevens in M components, one neighbor",
        [
            ("M of least validation error", 19, spans),
            ("19 is one of them", True, 19 in plateau),
            ("validation errors of 200 with M = 19", "not printed", curve[18]),
            ("test errors of 600 with M = 19", 14, errors[19]),
            ("test errors of 600 with M = 20", "not printed", errors[20]),
        ],
    )
    both = choose_components_and_k(X, y, max_components=40, k_max=15)
    m, k = both.best
    answer = KNeighborsClassifier(k).fit(Z[:, :m], y).predict(test[:, :m])
    print(f"\nM and K together, leave-one-out on 600: M = {m}, K = {k}")
    print(f"test errors with them: {int((answer != truth).sum())} of 600")
    ax = axes_or_new(None)
    ax.plot(choice.components, curve, marker=".")
    ax.axvline(19, color="gray", lw=0.8)
    ax.set(xlabel="components M", ylabel="validation errors of 200", title="1 v 7, one neighbor")
    save_axes(ax, out / "digits_1_7_components.png")


if __name__ == "__main__":
    main()
