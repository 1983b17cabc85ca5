"""The candidate models."""

from __future__ import annotations

import numpy as np
import pytest

import lookalike
from lookalike.studies.effort import Effort
from lookalike.studies.select import candidates
from lookalike.studies.select.candidates import ALL_CANDIDATES
from lookalike.studies.select.text_candidates import TEXT_CANDIDATES
from lookalike.studies.select.training_rows import TrainingRows
from lookalike.studies.task import CLASSIFICATION_TASK, REGRESSION_TASK


def test_every_candidate_has_a_name_of_its_own():
    for specs in (ALL_CANDIDATES, TEXT_CANDIDATES):
        names = [spec.name for spec in specs]
        assert len(names) == len(set(names))


def test_the_bandwidth_of_many_rows_is_selected_on_some_of_them(monkeypatch):
    monkeypatch.setattr(candidates, "BANDWIDTH_ROWS", 100)
    X = np.random.default_rng(0).normal(size=(300, 3))
    training = TrainingRows(X, X[:, 0], REGRESSION_TASK, seed=0)
    spec = next(spec for spec in ALL_CANDIDATES if spec.name == "kernel")
    model = spec.fit(training).steps[0][1]
    few = lookalike.KernelRegressor().fit(X[:100], X[:100, 0])
    assert model.bandwidth_ == few.bandwidth_
    assert model.n_samples_fit_ == 300


@pytest.mark.filterwarnings("ignore:.*did not converge")
@pytest.mark.parametrize("task", [CLASSIFICATION_TASK, REGRESSION_TASK])
def test_every_candidate_is_fitted_to_rows_and_says_what_it_chose(task):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = np.where(X[:, 0] > 0, "a", "b") if task is CLASSIFICATION_TASK else X[:, 0]
    training = TrainingRows(X, y, task, seed=0, effort=Effort.quick())
    for spec in (spec for spec in ALL_CANDIDATES if task.name in spec.tasks):
        fitted = spec.fit(training)
        assert spec.cost(training.size) >= 0
        assert all(isinstance(text, str) for text in fitted.hyperparameters.values())
        Z = X
        for _, step in fitted.steps[:-1]:
            Z = step.transform(Z)
        loss = task.loss(fitted.steps[-1][1].predict(Z), y).mean()
        baseline = task.loss(task.baseline().fit(X, y).predict(X), y).mean()
        assert loss < baseline or spec.name == "baseline"


def test_the_file_of_a_discriminant_holds_no_covariance_and_predicts_the_same(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 40))
    y = (X[:, 0] > 0).astype(int)
    spec = next(one for one in ALL_CANDIDATES if one.name == "lda")
    model = spec.fit(TrainingRows(X, y, CLASSIFICATION_TASK, seed=0)).steps[-1][1]
    lookalike.save(model, tmp_path / "model")
    assert (tmp_path / "model").stat().st_size < X.shape[1] ** 2 * 8
    again = lookalike.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_the_file_of_a_mixture_holds_one_matrix_a_component_and_predicts_the_same(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    X = rng.normal(size=(200, 12)) + 2 * y[:, None]
    spec = next(one for one in ALL_CANDIDATES if one.name == "mixture")
    model = spec.fit(TrainingRows(X, y, CLASSIFICATION_TASK, seed=0)).steps[-1][1]
    lookalike.save(model, tmp_path / "lean")
    whole = lookalike.GaussianMixtureClassifier(random_state=0).fit(X, y)
    lookalike.save(whole, tmp_path / "whole")
    n_components = sum(len(one.weights_) for one in model.mixtures_)
    saved = [(tmp_path / name).stat().st_size for name in ("lean", "whole")]
    assert saved[0] <= saved[1] - 2 * n_components * X.shape[1] ** 2 * 8
    again = lookalike.load(tmp_path / "lean")
    np.testing.assert_array_equal(again.predict_proba(X), whole.predict_proba(X))
