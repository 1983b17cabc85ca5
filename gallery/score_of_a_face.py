"""A score from 0 to 100 for a face, by neighbors and by weights [Barber, exercise 14.3].

Nobody's beauty is scored here: the score is made up, the brightness of the mouth against that of
the rest of the face, with noise. So it is known which weights should come out. 400 faces of 4096
pixels: D > N.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from record import Record, run_alone

from lookalike import KNeighborsRegressor, Ridge
from lookalike.data import gather, sample
from lookalike.report.plots.ridge import plot_coefficients

SOURCE = "[Barber, exercise 14.3]"
SYSTEMS = ("N4", "N21")
DATA = ("olivetti_faces.npz",)
MOUTH = np.zeros((64, 64))
MOUTH[44:54, 20:44] = 1.0


def scored(X):
    """Return scores from 0 to 100: the mouth against the mean, with noise."""
    raw = X @ MOUTH.ravel() / MOUTH.sum() - X.mean(axis=1)
    raw = raw + 0.1 * raw.std() * np.random.default_rng(0).normal(size=len(raw))
    return 100 * (raw - raw.min()) / (raw.max() - raw.min())


def pictures(model):
    """Draw the pixels that make the score and the fitted coefficients."""
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.imshow(MOUTH - MOUTH.mean(), cmap="RdBu_r", vmin=-1, vmax=1)
    left.set(xticks=[], yticks=[], title="What the score was made of")
    plot_coefficients(model, (64, 64), ax=right)
    return right


def figures(record: Record) -> None:
    faces = gather(sample("olivetti"))
    X, person = np.asarray(faces.X, np.float64), np.asarray(faces.y)
    y = scored(X)
    test = np.arange(len(X)) % 10 >= 8  # two of the ten pictures of each person
    near = KNeighborsRegressor("loo").fit(X[~test], y[~test], groups=person[~test])
    line = Ridge().fit(X[~test], y[~test])
    exact = Ridge(0.0).fit(X[~test], y[~test])

    def error(model):
        return float(np.sqrt(np.mean((model.predict(X[test]) - y[test]) ** 2)))

    loo = np.sqrt(line.curve_["mse"].min())
    likeness = np.corrcoef(line.coef_, (MOUTH - MOUTH.mean()).ravel())[0, 1]
    fit = np.abs(exact.predict(X[~test]) - y[~test]).max()
    record.measured("standard deviation of the scores", f"{y.std():.2f}")
    record.measured("K by leave-one-person-out", near.n_neighbors_)
    record.measured("neighbors: held-out RMSE", f"{error(near):.2f}")
    record.measured("penalty by leave-one-out, in closed form", f"{line.alpha_:.4g}")
    record.measured("ridge regression: leave-one-out RMSE", f"{loo:.2f}")
    record.measured("ridge regression: held-out RMSE", f"{error(line):.2f}")
    record.claim(
        "D > N, no penalty: largest error on the training faces",
        "fits every one of them",
        "below 1e-6" if fit < 1e-6 else f"{fit:.1e}",
        fit < 1e-6,
    )
    record.measured("least-norm weights without penalty: held-out RMSE", f"{error(exact):.2f}")
    record.claim(
        "correlation of the weights with the pixels that made the score",
        "weights show which features matter",
        f"{likeness:.2f}",
        likeness > 0.5,
    )
    record.picture(pictures(line), "score_weights.png", "The weights as a picture")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
