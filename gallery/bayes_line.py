"""K = 1 and K = 100 with the Bayes boundary, and the bounds of Cover and Hart [UGR; LUMS]."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from record import Record, run_alone
from scipy.special import logsumexp

from lookalike import KNeighborsClassifier
from lookalike.explain import measured_bayes_bracket, nn_error_bound, nn_sample_size
from lookalike.report.plots.axes import plane_grid
from lookalike.report.plots.bounds import plot_nn_error_bound
from lookalike.report.plots.neighbors import plot_decision_regions

SOURCE = "[UGR]"
SYSTEMS = ("N2", "N14", "N17", "N18")
SPREAD = 0.2  # variance of each Gaussian
N_ROWS = 200


def means():
    """Return ten means for each of two classes."""
    rng = np.random.default_rng(7)
    blue = rng.multivariate_normal([1, 0], np.eye(2), 10)
    orange = rng.multivariate_normal([0, 1], np.eye(2), 10)
    return np.stack([blue, orange])


def drawn(n, seed):
    """Return rows of both classes in equal numbers."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    middle = means()[y, rng.integers(10, size=n)]
    X = middle + np.sqrt(SPREAD) * rng.normal(size=(n, 2))
    return X, np.array(["blue", "orange"])[y]


def log_odds(X):
    """Return the logarithm of p(orange | x) / p(blue | x), which is known here."""
    squares = ((X[:, None, None] - means()) ** 2).sum(axis=-1)
    density = logsumexp(-squares / (2 * SPREAD), axis=-1)
    return density[:, 1] - density[:, 0]


def figures(record: Record) -> None:
    X, y = drawn(N_ROWS, 0)
    later, truth = drawn(40_000, 1)
    posterior = 1 / (1 + np.exp(log_odds(later)))
    bayes = float(np.minimum(posterior, 1 - posterior).mean())
    figure = Figure(figsize=(11, 5.0), layout="constrained")
    axes = figure.subplots(1, 2)
    errors = {}
    for ax, k in zip(axes, (1, 100), strict=True):
        model = KNeighborsClassifier(k).fit(X, y)
        errors[k] = float((model.predict(later) != truth).mean())
        plot_decision_regions(model, X, y, ax=ax)
        x0, x1, grid = plane_grid(X, 0.08, 300)
        ax.contour(x0, x1, log_odds(grid).reshape(300, 300), [0.0], colors="blue", linewidths=2)
        ax.set(title=f"K = {k}: error {errors[k]:.3f} (Bayes {bayes:.3f})", aspect="equal")
        ax.get_legend().remove()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    record.picture(axes[0], "bayes_line.png", "K = 1 and K = 100; blue line: the Bayes boundary")
    record.measured("Bayes error, from the known densities", f"{bayes:.3f}")
    record.measured("200 rows, K = 1: error", f"{errors[1]:.3f}")
    record.measured("200 rows, K = 100: error", f"{errors[100]:.3f}")
    record.claim(
        "complexity: parts of the plane that K = 1 and K = 100 make",
        "decreases with K",
        *parts(X, y),
    )
    bounds(record, bayes)


def parts(X, y):
    """Return how many connected regions each K makes, and whether they become fewer."""
    from scipy.ndimage import label

    _, _, grid = plane_grid(X, 0.08, 300)
    counts = []
    for k in (1, 100):
        blue = (KNeighborsClassifier(k).fit(X, y).predict(grid) == "blue").reshape(300, 300)
        counts.append(label(blue)[1] + label(~blue)[1])
    return f"{counts[0]} and {counts[1]}", counts[1] < counts[0]


def bounds(record: Record, bayes: float) -> None:
    """The error of one neighbor of many rows lies between the Bayes error and twice it."""
    X, y = drawn(20_000, 2)
    bracket = measured_bayes_bracket(X, y)
    record.claim(
        "one neighbor, 20,000 rows: error by the Bayes error",
        "at most 2",
        f"{bracket.error / bayes:.2f}",
        bayes < bracket.error < 2 * bayes,
        source="[LUMS; Cover67]",
    )
    record.claim(
        "the Bayes error estimated from it",
        "contains the known one",
        f"{bracket.low:.3f} to {bracket.high:.3f}",
        bracket.low <= bayes <= bracket.high,
        source="[LUMS; Cover67]",
    )
    for d in (1, 2, 5, 10):
        enough, _ = nn_sample_size(0.1, d, 1.0)
        formula = (4 * np.sqrt(d) / 0.1) ** (d + 1)
        record.equation(
            f"rows for an added error of 0.1, c = 1, d = {d}",
            "(4 c √d / ε)^(d+1)",
            formula,
            enough,
        )
    bound = nn_error_bound(10**6, 2, 1.0, 0.05)
    formula = 2 * 0.05 + 4 * np.sqrt(2) * (10**6) ** (-1 / 3)
    record.equation(
        "bound on the error, N = 10^6, d = 2, c = 1, Bayes error 0.05",
        "2 L* + 4 c √d N^(−1/(d+1))",
        formula,
        bound,
    )
    record.picture(plot_nn_error_bound(), "nn_bound.png", "The bound against the rows")


if __name__ == "__main__":
    run_alone(figures, SOURCE)
