"""Example 14.1 of [Barber]: zeros and ones, ones and sevens, by their nearest neighbors.

Run: LOOKALIKE_DATA=folder python gallery/nearest_digits.py
"""

from __future__ import annotations

from digits import digits, folder
from printed import compare

from lookalike import KNeighborsClassifier
from lookalike.report.plots.neighbors import plot_k_selection
from lookalike.report.save import save_axes


def errors(k, *pair):
    X, y, later, truth = digits(*pair)
    return int((KNeighborsClassifier(k).fit(X, y).predict(later) != truth).sum())


def mistakes(X, y, later, truth):
    """Draw the test digits answered wrongly above the rows that misled them (figure 14.4)."""
    from matplotlib.figure import Figure

    model = KNeighborsClassifier(1).fit(X, y)
    wrong = later[model.predict(later) != truth]
    nearest = X[model.kneighbors(wrong, 1, return_distance=False)[:, 0]]
    figure = Figure(figsize=(12, 1.8), layout="constrained")
    axes = figure.subplots(2, len(wrong))
    for column, images in enumerate(zip(wrong, nearest, strict=True)):
        for row, image in enumerate(images):
            axes[row, column].imshow(image.reshape(28, 28), cmap="gray_r")
            axes[row, column].set_axis_off()
    figure.suptitle("answered wrongly (above), and their nearest neighbors (below)", fontsize=9)
    return axes[0, 0]


def main() -> None:
    out = folder()
    compare(
        "Example 14.1: errors of 600",
        [
            ("0 v 1, one neighbor", 0, errors(1, 0, 1)),
            ("1 v 7, one neighbor", 18, errors(1, 1, 7)),
            ("1 v 7, three neighbors", 14, errors(3, 1, 7)),
        ],
    )
    X, y, later, truth = digits(1, 7)
    model = KNeighborsClassifier("loo").fit(X, y)
    print(f"\nK chosen by leave-one-out on the 600 to learn from: {model.n_neighbors_}")
    print(f"errors with it: {int((model.predict(later) != truth).sum())} of 600")
    save_axes(plot_k_selection(model.selection_), out / "digits_1_7_selection.png")
    save_axes(mistakes(X, y, later, truth), out / "digits_1_7_mistakes.png")


if __name__ == "__main__":
    main()
