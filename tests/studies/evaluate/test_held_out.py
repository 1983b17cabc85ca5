"""Scores of predictions for held-out rows, and their intervals."""

import numpy as np

from lookalike.studies.evaluate.held_out import HeldOutScorer
from lookalike.studies.results import Predictions
from lookalike.studies.task import REGRESSION_TASK

N_ROWS, N_FOLDS, N_REPEATS = 60, 5, 3


def repeated_folds(X, y, rng):
    """Return the fold, target and least-squares prediction of every row of every repeat."""
    fold, y_pred = [], []
    for repeat in range(N_REPEATS):
        of = rng.permutation(N_ROWS) % N_FOLDS
        predicted = np.empty(N_ROWS)
        for one in range(N_FOLDS):
            weights = np.linalg.lstsq(X[of != one], y[of != one], rcond=None)[0]
            predicted[of == one] = X[of == one] @ weights
        fold.append(of + repeat * N_FOLDS)
        y_pred.append(predicted)
    return np.concatenate(fold), np.tile(y, N_REPEATS), np.concatenate(y_pred)


def scorer(**options):
    settings = {"n_repeats": N_REPEATS, "test_share": 1 / (N_FOLDS - 1), "cross_validated": True}
    return HeldOutScorer(REGRESSION_TASK, groups=None, seed=0, **settings | options)


def predictions(fold, y_true, y_pred):
    return Predictions(np.arange(len(fold)), y_true, y_pred, None, fold)


def test_the_rmse_interval_of_folds_holds_the_error_of_the_model_that_is_kept():
    rng, inside, n_trials = np.random.default_rng(0), 0, 100
    for _ in range(n_trials):
        X = rng.normal(size=(N_ROWS, 15))
        y = X[:, 0] + rng.laplace(size=N_ROWS)
        fold, y_true, y_pred = repeated_folds(X, y, rng)
        weights = np.linalg.lstsq(X, y, rcond=None)[0]
        weights[0] -= 1
        truth = np.sqrt(weights @ weights + 2)  # of fresh rows: columns have variance 1, noise 2
        _, (low, high) = scorer().error(predictions(fold, y_true, y_pred))
        inside += low <= truth <= high
    assert inside >= 0.92 * n_trials


def test_the_rmse_interval_of_folds_is_not_narrower_than_by_the_rows_of_a_fold():
    rng = np.random.default_rng(1)
    fold = np.concatenate([np.arange(N_ROWS) % N_FOLDS + r * N_FOLDS for r in range(N_REPEATS)])
    noise = np.repeat(rng.laplace(size=N_ROWS // N_FOLDS), N_FOLDS)  # every fold has these errors
    y_true = np.tile(noise, N_REPEATS)
    rows = predictions(fold, y_true, np.zeros(len(y_true)))
    value, (low, high) = scorer().error(rows)
    _, alone = scorer(cross_validated=False).error(rows)
    assert high - low > 1.2 * (alone[1] - alone[0])
    assert low < value < high


def test_predictions_without_error_have_an_interval_without_width():
    fold = np.concatenate([np.arange(N_ROWS) % N_FOLDS + r * N_FOLDS for r in range(N_REPEATS)])
    y = np.tile(np.arange(float(N_ROWS)), N_REPEATS)
    assert scorer().error(predictions(fold, y, y)) == (0.0, (0.0, 0.0))
