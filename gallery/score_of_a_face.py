"""Exercise 14.3 of [Barber]: a score from 0 to 100 for a face, by neighbors and by weights.

Nobody's beauty is scored here: the score is made up, the brightness of the mouth against that of
the rest of the face, with noise. So it is known which weights should come out. 400 faces of 4096
pixels: D > N.
Run: LOOKALIKE_DATA=folder python gallery/score_of_a_face.py
"""

from __future__ import annotations

import numpy as np
from digits import folder
from printed import compare

from lookalike import KNeighborsRegressor, RidgeRegression
from lookalike.data import gather, sample
from lookalike.report.plots.ridge import plot_coefficients
from lookalike.report.save import save_axes

MOUTH = np.zeros((64, 64))
MOUTH[44:54, 20:44] = 1.0


def scored(X):
    """Return scores from 0 to 100: the mouth against the mean, ranked, with noise."""
    raw = X @ MOUTH.ravel() / MOUTH.sum() - X.mean(axis=1)
    raw = raw + 0.1 * raw.std() * np.random.default_rng(0).normal(size=len(raw))
    return 100 * (raw - raw.min()) / (raw.max() - raw.min())


def pictures(model):
    """Draw the pixels that make the score and the fitted coefficients."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.imshow(MOUTH - MOUTH.mean(), cmap="RdBu_r", vmin=-1, vmax=1)
    left.set(xticks=[], yticks=[], title="What the score was made of")
    plot_coefficients(model, (64, 64), ax=right)
    return right


def main() -> None:
    out = folder()
    faces = gather(sample("olivetti"))
    X, person = np.asarray(faces.X, np.float64), np.asarray(faces.y)
    y = scored(X)
    test = np.arange(len(X)) % 10 >= 8  # two of the ten pictures of each person
    near = KNeighborsRegressor("loo").fit(X[~test], y[~test], groups=person[~test])
    line = RidgeRegression().fit(X[~test], y[~test])
    exact = RidgeRegression(0.0).fit(X[~test], y[~test])

    def error(model):
        return f"{np.sqrt(np.mean((model.predict(X[test]) - y[test]) ** 2)):.2f}"

    loo = np.sqrt(line.curve_.mse.min())
    likeness = np.corrcoef(line.coef_, (MOUTH - MOUTH.mean()).ravel())[0, 1]
    compare(
        f"Exercise 14.3: score of {X.shape[1]} pixels, {int((~test).sum())} faces to learn from",
        [
            ("K by leave-one-person-out", "-", near.n_neighbors_),
            ("RMS error of the neighbors on the others", "-", error(near)),
            ("penalty by leave-one-out, closed form", "-", f"{line.alpha_:.4g}"),
            ("its leave-one-out RMS error", "-", f"{loo:.2f}"),
            ("RMS error of the weights on the others", "-", error(line)),
            ("RMS error of the shortest weights that fit (no penalty)", "-", error(exact)),
            ("deviation of the scores", "-", f"{y.std():.2f}"),
            ("correlation of the weights with what made the score", "1", f"{likeness:.2f}"),
        ],
    )
    save_axes(pictures(line), out / "score_weights.png")


if __name__ == "__main__":
    main()
