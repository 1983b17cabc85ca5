"""The ten digits by their centers: 10 and 300 of them, compared with 21 nearest neighbors [UGR].

A center answers with the digit that most of its rows have.
Run: LOOKALIKE_DATA=folder python gallery/digit_centers.py
"""

from __future__ import annotations

import numpy as np
from digits import folder
from printed import compare

from lookalike import KMeans, KNeighborsClassifier
from lookalike.data import gather, sample
from lookalike.report.plots.kmeans import plot_center_images
from lookalike.report.save import save_axes


def error_of_centers(model, y, later, truth):
    """Return the share of test digits that the majority of their center names wrongly."""
    votes = np.zeros((len(model.cluster_centers_), 10), int)
    np.add.at(votes, (model.labels_, y), 1)
    return float((votes.argmax(axis=1)[model.predict(later)] != truth).mean())


def main() -> None:
    out = folder()
    learn, test = gather(sample("mnist")), gather(sample("mnist", "test"))
    X, later = (np.asarray(part.X, np.float32) / 255 for part in (learn, test))
    y, truth = np.asarray(learn.y, int), np.asarray(test.y, int)
    rows = []
    for k in (10, 300):
        model = KMeans(k, random_state=0, max_iter=100).fit(X)
        error = error_of_centers(model, y, later, truth)
        rows.append((f"{k} centers", "-", f"{100 * error:.1f}% ({model.n_iter_} iterations)"))
        shown = 10 if k == 10 else 30
        save_axes(
            plot_center_images(model, (28, 28), n_columns=shown), out / f"digit_centers_{k}.png"
        )
    neighbors = KNeighborsClassifier(21).fit(X, y)
    error = float((neighbors.predict(later) != truth).mean())
    rows.append(("21 nearest neighbors", "-", f"{100 * error:.1f}%"))
    compare("MNIST, 60 000 digits to learn from: error on 10 000 others", rows)


if __name__ == "__main__":
    main()
