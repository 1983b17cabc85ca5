"""Boosted trees of a study: symmetric, at a low rate, as many as lower the loss of other rows."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from lookalike.kernels.grow_boosted import MAX_HISTOGRAM_BINS
from lookalike.models.preprocessing.tree_table import FeatureRange
from lookalike.models.trees.boosted import count_trees
from lookalike.models.trees.boosted_classifier import BoostedNeighborsClassifier
from lookalike.models.trees.boosted_regressor import BoostedNeighborsRegressor
from lookalike.studies.select.candidate_spec import FittedCandidate
from lookalike.studies.select.training_rows import ProblemSize, TrainingRows
from lookalike.studies.task import CLASSIFICATION_TASK

# Learning rates follow CatBoost, which fitted them to many tables: log(rate) is linear in the
# logarithm of the rows, and falls with that of the steps.
RATE_OF_NUMBERS = (0.157, -4.062, -0.61)  # by rows, at 1,000 steps, by steps
RATE_OF_CLASSES = (0.246, -5.127, -0.45)
RATE_STEPS = 1000
MOST_RATE = 0.3
BOOSTING_L2 = 3.0  # leaves of few or nearly certain rows take no steps without bound
ROW_SHARE, COLUMN_SHARE = 0.8, 0.7  # drawn for a tree
BINS_BY_ROWS = ((500, 31), (2_000, 63), (20_000, 127))  # of a column, up to a number of rows
SMALL_TREE_SECONDS = 6e-4  # of a tree with few rows
CELL_SECONDS = 6e-9  # for every number in a tree
VALIDATION_WORK = 3.0  # times the work of the trees that are kept, with those that choose the steps


def fit_boosted(training: TrainingRows) -> FittedCandidate:
    """Fit boosted trees to the cells of the table as they are."""
    task, Z, y, of_trees = training.task, training.Z, training.y, training.tree_columns
    steps: tuple[tuple[str, BaseEstimator], ...] = ()
    codes: list[int] | None = None
    if of_trees is not None:
        cells = FeatureRange(of_trees.begin, of_trees.width, of_trees.width)
        Z, steps, codes = cells.transform(Z), (("cells", cells),), list(of_trees.codes)
    kind = training.either(BoostedNeighborsClassifier, BoostedNeighborsRegressor)
    model = kind(
        training.effort.boosting_steps,
        learning_rate=_rate(len(y), training.effort.boosting_steps, task is CLASSIFICATION_TASK),
        l2_regularization=BOOSTING_L2,
        grow_policy="symmetric",
        subsample=ROW_SHARE,
        max_features=COLUMN_SHARE,
        max_bins=next((bins for rows, bins in BINS_BY_ROWS if len(y) <= rows), MAX_HISTOGRAM_BINS),
        categorical_features=codes,
        early_stopping=True,
        random_state=training.seed,
    )
    model.fit(Z, y, training.groups)
    return FittedCandidate((*steps, ("model", model)), {"trees": f"{count_trees(model):,}"})


def boosting_cost(size: ProblemSize) -> float:
    """Return the seconds that it takes, roughly."""
    outputs = size.classes if size.classes > 2 else 1
    tree = SMALL_TREE_SECONDS + CELL_SECONDS * size.rows * size.columns
    return VALIDATION_WORK * 600 * outputs * tree


def _rate(n_rows: int, steps: int, classes: bool) -> float:
    by_rows, base, by_steps = RATE_OF_CLASSES if classes else RATE_OF_NUMBERS
    power = by_rows * np.log(n_rows) + base + by_steps * np.log(steps / RATE_STEPS)
    return float(min(np.exp(power), MOST_RATE))
