"""The candidate models."""

from __future__ import annotations

import numpy as np
import pytest

import lookalike
from lookalike.studies.select import candidates
from lookalike.studies.select.candidates import CANDIDATES
from lookalike.studies.select.text_candidates import TEXT_CANDIDATES
from lookalike.studies.select.training_rows import TrainingRows
from lookalike.studies.task import CLASSIFICATION, REGRESSION


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


def test_the_file_of_a_discriminant_holds_no_covariance_and_predicts_the_same(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 40))
    y = (X[:, 0] > 0).astype(int)
    spec = next(one for one in CANDIDATES if one.name == "lda")
    model = spec.fit(TrainingRows(X, y, CLASSIFICATION, seed=0)).steps[-1][1]
    lookalike.save(model, tmp_path / "model")
    assert (tmp_path / "model").stat().st_size < X.shape[1] ** 2 * 8
    again = lookalike.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_the_file_of_a_mixture_holds_one_matrix_a_component_and_predicts_the_same(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    X = rng.normal(size=(200, 12)) + 2 * y[:, None]
    spec = next(one for one in CANDIDATES if one.name == "mixture")
    model = spec.fit(TrainingRows(X, y, CLASSIFICATION, seed=0)).steps[-1][1]
    lookalike.save(model, tmp_path / "lean")
    whole = lookalike.GaussianMixtureClassifier(random_state=0).fit(X, y)
    lookalike.save(whole, tmp_path / "whole")
    n_components = sum(len(one.weights_) for one in model.mixtures_)
    saved = [(tmp_path / name).stat().st_size for name in ("lean", "whole")]
    assert saved[0] <= saved[1] - 2 * n_components * X.shape[1] ** 2 * 8
    again = lookalike.load(tmp_path / "lean")
    np.testing.assert_array_equal(again.predict_proba(X), whole.predict_proba(X))
