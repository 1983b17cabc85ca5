"""Probabilities of the kept model are calibrated, whoever wins and however few the rows."""

import numpy as np
import pytest

import lookalike


@pytest.mark.parametrize("n_rows", [24, 45])
def test_a_nearest_neighbor_of_few_rows_of_noise_is_not_sure(n_rows):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(n_rows, 8)), rng.integers(2, size=n_rows)
    study = lookalike.study(
        X, y, task="classification", models=["nearest"], effort="quick", time=None
    )
    shares = study.model.predict_proba(rng.normal(size=(500, 8)))
    assert 0.05 < shares.min() < shares.max() < 0.95
    (log_loss,) = (one.value for one in study.held_out.scores if one.name == "log_loss")
    assert log_loss < 1.0
