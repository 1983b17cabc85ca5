"""The ensemble of a study: its error is out of fold, and what it predicts is explained by rows."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from service import running

import lookalike
from lookalike.cli.program import run
from lookalike.errors import InputWarning
from lookalike.explain.prediction.row_contributions import row_contributions
from lookalike.models.calibration import CalibratedPipeline
from lookalike.models.ensemble import WeightedEnsembleClassifier, WeightedEnsembleRegressor
from lookalike.models.preprocessing.tree_table import TreeTablePreprocessor
from lookalike.studies.effort import Effort
from lookalike.studies.select.finalists import Finalists

EFFORT = replace(
    Effort.quick(),
    ensemble=True,
    boosting_steps=60,
    small_forest_trees=50,
)
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(600, 4)), columns=list("abcd"))
SIGNAL = (np.where(X["a"] > 0, 2.0, 0.0) + np.sin(2 * X["b"]) + X["c"]).to_numpy()
NUMBERS = SIGNAL + 0.3 * RNG.normal(size=600)
TRUE_SHARE = 1 / (1 + np.exp(-2 * (SIGNAL - 1)))
LABELS = np.where(RNG.random(600) < TRUE_SHARE, "yes", "no")
N_TRAINING = 300


@pytest.fixture(scope="module")
def classification():
    """A study whose ensemble has a lower log loss than each of its members."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lookalike.studies.analyze.analyses._run", lambda *_: None)
        return lookalike.study(X[:N_TRAINING], LABELS[:N_TRAINING], effort=EFFORT, time=None)


def check_evidence(evidence, model, row):
    """Raise unless what training rows add sums to the probability of the predicted class."""
    total = sum(evidence["added"]) + evidence["other_rows"]["added"] + evidence["constant"]
    assert total == pytest.approx(model.predict_proba(row).max(), abs=1e-9)
    assert sum(member["weight"] for member in evidence["members"]) == pytest.approx(1.0)
    assert set(evidence["rows"]) <= set(range(N_TRAINING))


def test_an_ensemble_of_a_lower_log_loss_is_kept_and_predicts_new_rows_as_was_said(classification):
    study, fresh = classification, X[N_TRAINING:]
    assert study.winner == "ensemble"
    assert isinstance(study.model[-1], WeightedEnsembleClassifier)
    one = next(each for each in study.candidates if each.name == "ensemble")
    assert one.hyperparameters["members"].count("%") == len(study.model[-1].members_) > 1
    wrong = (study.model.predict(fresh) != LABELS[N_TRAINING:]).mean()
    low, high = study.held_out.interval
    assert low < wrong < high
    share = study.model.predict_proba(fresh)[:, 1]
    loss = -np.where(LABELS[N_TRAINING:] == "yes", np.log(share), np.log(1 - share)).mean()
    said = next(score for score in study.held_out.scores if score.name == "log_loss")
    assert said.interval[0] < loss < said.interval[1]


def test_the_models_of_the_folds_predict_what_the_folds_say_but_for_the_weights(classification):
    model, row = classification.fold_models[0]
    assert isinstance(model[-1], WeightedEnsembleClassifier)
    assert len(row) < N_TRAINING
    held_out = np.setdiff1d(np.arange(N_TRAINING), row)
    known = classification.predictions
    said = known.y_pred[np.isin(known.row, held_out)]
    assert (model.predict(X.iloc[held_out]) == said).mean() > 0.9


def test_the_command_line_explains_it_by_members_and_by_rows_that_sum(
    classification, tmp_path, capsys
):
    lookalike.save(classification.model, tmp_path / "model.lookalike")
    X[N_TRAINING:].to_csv(tmp_path / "new.csv", index=False)
    files = (str(tmp_path / name) for name in ("model.lookalike", "new.csv"))
    assert run(["explain", *files, "--row", "3", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    check_evidence(answer["ensemble"], classification.model, X[N_TRAINING + 3 : N_TRAINING + 4])
    assert "weighted mean of those of" in answer["sentences"]["members"]
    assert "add up to the probability of" in answer["sentences"]["training_rows"]


def test_the_service_explains_and_predicts_as_the_model_does(classification):
    pytest.importorskip("fastapi", reason="fastapi is not installed")
    new = X[N_TRAINING : N_TRAINING + 2]
    with running({"kept": classification.model}) as service:
        body = {"rows": new.to_dict("records")}
        reply = service.post("/v1/predict?model=kept&proba=true", body).json()
        explained = service.post("/v1/explain?model=kept", body).json()["explanations"]
    np.testing.assert_array_equal(reply["probabilities"], classification.model.predict_proba(new))
    for row, one in enumerate(explained):
        check_evidence(one["ensemble"], classification.model, new[row : row + 1])


def test_numbers_are_averaged_too_and_probabilities_of_a_single_winner_are_calibrated(monkeypatch):
    monkeypatch.setattr("lookalike.studies.analyze.analyses._run", lambda *_: None)
    rows = slice(0, N_TRAINING)
    numbers = lookalike.study(X[rows], NUMBERS[rows], effort=EFFORT, time=None)
    about = {one.about: one.choice for one in numbers.decisions}
    assert about["ensemble"] in ("kept", "not kept")
    kept = isinstance(numbers.model[-1], WeightedEnsembleRegressor)
    assert kept == (about["ensemble"] == "kept") == (numbers.winner == "ensemble")
    alone = lookalike.study(X[rows], LABELS[rows], effort=EFFORT, time=None, models=["knn"])
    assert type(alone.model) is CalibratedPipeline
    assert alone.model.predict_proba(X).min() > 0


def test_named_models_are_compared_as_they_are(monkeypatch):
    monkeypatch.setattr("lookalike.studies.analyze.analyses._run", lambda *_: None)
    named = ["knn", "forest", "boosted"]
    study = lookalike.study(X[:300], LABELS[:300], effort=EFFORT, time=None, models=named)
    assert study.winner in named
    assert "ensemble" not in {one.name for one in study.candidates}


def test_members_on_cells_as_they_are_and_on_encoded_columns_make_one_ensemble(tmp_path):
    rng = np.random.default_rng(0)
    town = rng.choice([f"town {number}" for number in range(12)], size=200)
    table = X[:200].assign(town=town).mask(rng.random((200, 5)) < 0.05)
    weigh = lambda table, *_: np.full(len(table.values), 1 / len(table.values))  # noqa: E731
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lookalike.studies.analyze.analyses._run", lambda *_: None)
        patch.setattr("lookalike.studies.select.ensemble_candidate.choose_weights", weigh)
        patch.setattr(
            "lookalike.studies.evaluate.evaluation.choose_finalists",
            lambda table, *_: Finalists(table, ("ensemble",)),
        )
        study = lookalike.study(table, NUMBERS[:200], effort=EFFORT, time=None)
    model = study.model
    assert isinstance(model[0], TreeTablePreprocessor)
    assert {"boosted", "forest"} <= {name for name, _ in model[-1].members_}
    for row in range(3):
        prepared = model[:-1].transform(table[row : row + 1])
        parts = row_contributions(model[-1], prepared)
        predicted = model.predict(table[row : row + 1])
        np.testing.assert_allclose(parts.prediction, predicted, atol=1e-9)
    lookalike.save(model, tmp_path / "m")
    loaded = lookalike.load(tmp_path / "m")
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))
    lacking = table[:5].drop(columns="town")
    with pytest.warns(InputWarning, match="lacks 1 of the 5"):
        loaded.predict(lacking)
