"""The ten digits by their centers: k-means with 10 and 300, and 21 nearest neighbors [UGR].

A center predicts the digit that most of its rows have.
"""

from __future__ import annotations

import numpy as np
from record import Record, run_alone

from lookalike import KMeans, KNeighborsClassifier
from lookalike.data import gather, sample
from lookalike.report.plots.kmeans import plot_center_images

SOURCE = "[UGR]"
SYSTEMS = ("R4",)
DATA = ("mnist.npz",)


def error_of_centers(model, y, later, truth):
    """Return the error of predicting the majority class of the nearest center."""
    votes = np.zeros((len(model.cluster_centers_), 10), int)
    np.add.at(votes, (model.labels_, y), 1)
    return float((votes.argmax(axis=1)[model.predict(later)] != truth).mean())


def figures(record: Record) -> None:
    learn, test = gather(sample("mnist")), gather(sample("mnist", "test"))
    X, later = (np.asarray(part.X, np.float32) / 255 for part in (learn, test))
    y, truth = np.asarray(learn.y, int), np.asarray(test.y, int)
    for k in (10, 300):
        model = KMeans(k, random_state=0, max_iter=100).fit(X)
        error = error_of_centers(model, y, later, truth)
        record.measured(f"MNIST, {k} centers: test error", f"{error:.1%}")
        history = np.asarray(model.history_)
        record.claim(
            f"{k} centers: iterations in which the k-means error rose",
            "none",
            f"{int((np.diff(history) > 0).sum())} of {model.n_iter_}",
            (np.diff(history) <= 0).all(),
        )
        ax = plot_center_images(model, (28, 28), n_columns=10 if k == 10 else 30)
        record.picture(ax, f"digit_centers_{k}.png", f"{k} centers of the digits")
    neighbors = KNeighborsClassifier(21).fit(X, y)
    error = float((neighbors.predict(later) != truth).mean())
    record.measured("MNIST, 21 nearest neighbors: test error", f"{error:.1%}")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
