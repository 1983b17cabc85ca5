"""The candidate models."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.studies.select import candidates
from lookalike.studies.select.candidates import CANDIDATES
from lookalike.studies.select.text_candidates import TEXT_CANDIDATES
from lookalike.studies.select.training_rows import TrainingRows
from lookalike.studies.task import REGRESSION


def test_every_candidate_has_a_name_of_its_own():
    for specs in (CANDIDATES, TEXT_CANDIDATES):
        names = [spec.name for spec in specs]
        assert len(names) == len(set(names))


@pytest.mark.parametrize(("best_so_far", "rows"), [(1e-3, "80 of 300, at random"), (9.0, None)])
def test_kernel_smoothing_of_many_rows_takes_few_where_these_are_far_behind(
    best_so_far, rows, monkeypatch
):
    monkeypatch.setattr(candidates, "TRIAL_ROWS", 100)
    X = np.random.default_rng(0).normal(size=(300, 3))
    training = TrainingRows(X, X[:, 0], REGRESSION, seed=0, losses=[best_so_far])
    fitted = next(one for one in CANDIDATES if one.name == "kernel").fit(training)
    assert fitted.hyperparameters.get("rows") == rows
    assert fitted.steps[0][1].n_samples_fit_ == (80 if rows else 300)
    assert ("far behind" in fitted.score.method) == (rows is not None)
