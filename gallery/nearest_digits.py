"""Zeros and ones, ones and sevens, by their nearest neighbors [Barber, ex. 14.1]."""

from __future__ import annotations

from digits import digits
from matplotlib.figure import Figure
from record import Record, run_alone

from lookalike import KNeighborsClassifier
from lookalike.report.plots.neighbors import plot_k_selection

SOURCE = "[Barber, ex. 14.1]"
SYSTEMS = ("N1", "N2", "N9")
DATA = ("mnist.npz",)


def errors(k, *pair):
    X, y, later, truth = digits(*pair)
    return int((KNeighborsClassifier(k).fit(X, y).predict(later) != truth).sum())


def mistakes(X, y, later, truth):
    """Draw the test digits predicted wrongly above their nearest neighbors (figure 14.4)."""
    model = KNeighborsClassifier(1).fit(X, y)
    wrong = later[model.predict(later) != truth]
    nearest = X[model.kneighbors(wrong, 1, return_distance=False)[:, 0]]
    figure = Figure(figsize=(12, 1.9), layout="constrained")
    axes = figure.subplots(2, len(wrong))
    for column, images in enumerate(zip(wrong, nearest, strict=True)):
        for row, image in enumerate(images):
            axes[row, column].imshow(image.reshape(28, 28), cmap="gray_r")
            axes[row, column].set_axis_off()
    title = f"The {len(wrong)} digits predicted wrongly (top), and their nearest neighbors (bottom)"
    figure.suptitle(title, fontsize=10)
    return axes[0, 0]


def figures(record: Record) -> None:
    record.printed("0 and 1, one neighbor: errors of 600", 0, errors(1, 0, 1))
    record.printed("1 and 7, one neighbor: errors of 600", 18, errors(1, 1, 7))
    record.printed("1 and 7, three neighbors: errors of 600", 14, errors(3, 1, 7))
    X, y, later, truth = digits(1, 7)
    model = KNeighborsClassifier("loo").fit(X, y)
    wrong = int((model.predict(later) != truth).sum())
    record.measured("1 and 7: K chosen by leave-one-out", model.n_neighbors_)
    record.measured("1 and 7: errors of 600 with this K", wrong)
    ax = plot_k_selection(model.selection_)
    record.picture(ax, "digits_1_7_selection.png", "Leave-one-out error of every K, 1 and 7")
    ax = mistakes(X, y, later, truth)
    record.picture(ax, "digits_1_7_mistakes.png", "The errors of one neighbor (figure 14.4)")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
