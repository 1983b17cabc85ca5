"""Boosted trees of a study: as many steps as lower the loss of rows left out, on cells as given."""

import numpy as np

from lookalike.studies.effort import Effort
from lookalike.studies.select.boosted_candidate import fit_boosted
from lookalike.studies.select.training_rows import TrainingRows, TreeColumns
from lookalike.studies.task import CLASSIFICATION_TASK, REGRESSION_TASK

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 2))


def test_noise_is_given_few_steps_and_a_signal_many():
    effort = Effort(boosting_steps=80)
    signal, noise = np.sin(3 * X[:, 0]) + X[:, 1], RNG.normal(size=300)
    trees = []
    for y in (signal, noise):
        fitted = fit_boosted(TrainingRows(X, y, REGRESSION_TASK, 0, effort=effort))
        trees.append(int(fitted.hyperparameters["trees"]))
    assert trees[0] == 80
    assert trees[1] < 40


def test_cells_are_taken_as_they_are_beside_encoded_columns():
    codes = RNG.integers(0, 40, size=300).astype(float)  # of which the odd ones are of class 1
    Z = np.column_stack([X, np.where(RNG.random(300) < 0.1, np.nan, X[:, 0]), codes])
    columns = TreeColumns(2, 4, (1,))
    training = TrainingRows(
        Z, codes % 2, CLASSIFICATION_TASK, 0, effort=Effort(boosting_steps=60), tree_columns=columns
    )
    (_, cells), (_, model) = fit_boosted(training).steps
    assert cells.transform(Z).shape == (300, 2)
    assert model.score(cells.transform(Z), codes % 2) > 0.9
