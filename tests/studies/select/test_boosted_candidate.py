"""Boosted trees of a study: with few rows, fewer steps."""

import numpy as np
import pytest

from lookalike.studies.effort import Effort
from lookalike.studies.select.boosted_candidate import fit_boosted
from lookalike.studies.select.training_rows import TrainingRows
from lookalike.studies.task import REGRESSION_TASK


@pytest.mark.parametrize(("n_rows", "n_trees"), [(200, 3), (1100, 7)])
def test_with_few_rows_there_are_fewer_steps(n_rows, n_trees):
    X = np.random.default_rng(0).normal(size=(n_rows, 2))
    effort = Effort(boosting_steps=7, small_boosting_steps=3)
    fitted = fit_boosted(TrainingRows(X, X[:, 0], REGRESSION_TASK, seed=0, effort=effort))
    assert fitted.hyperparameters == {"trees": str(n_trees)}
