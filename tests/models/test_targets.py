"""The task is inferred from the target by one rule, whoever reads it."""

from __future__ import annotations

import json

import numpy as np
import pytest

import lookalike
from lookalike.cli.program import run
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError
from lookalike.explain.audit.audit import audit
from lookalike.explain.learning_curve import neighbor_learning_curve
from lookalike.explain.sklearn_comparison import compare_predictions
from lookalike.models.feature_selection.filter import SelectByFilter
from lookalike.models.feature_selection.wrapper import SelectByWrapper
from lookalike.models.targets import infer_task, read_target

RNG = np.random.default_rng(0)
TARGETS = {
    "text": (np.array(["a", "b"] * 60), "classification"),
    "booleans": (np.arange(120) % 3 == 0, "classification"),
    "digits": (np.arange(120) % 10, "classification"),
    "digits read as float64": ((np.arange(120) % 10).astype(float), "classification"),
    "labels 1, 2, 10, 11": (np.array([1, 10, 11, 2] * 30), "classification"),
    "two integers": (np.array([7, -3] * 60), "classification"),
    "fractions": (RNG.normal(size=120), "regression"),
    "ages": (RNG.integers(18, 60, 120), "regression"),
    "ring counts": (RNG.binomial(28, 0.35, 120) + np.arange(120) % 22, "regression"),
    "years": (1970 + np.arange(120) % 50, "regression"),
    "amounts in thousands": (20_000 + 1000 * (np.arange(120) % 40), "regression"),
    "scattered amounts": (RNG.integers(100, 100_000, 120), "regression"),
    "zip codes": (
        np.repeat(RNG.choice(np.arange(1000, 9999), 24, replace=False), 5),
        "classification",
    ),
    "few rows of each": (np.arange(120) % 60 // 5 * 100 + np.arange(120) % 5, "regression"),
}
NAMES = list(TARGETS)


@pytest.mark.parametrize("name", NAMES)
def test_the_task_is_inferred_from_the_values(name):
    y, task = TARGETS[name]
    assert infer_task(y)[0] == task
    assert infer_task(y.tolist())[0] == task
    assert infer_task(np.array(y.tolist(), object))[0] == task


def test_up_to_20_integers_are_classes_where_each_has_3_rows_on_average():
    assert infer_task(np.arange(60) % 20)[0] == "classification"
    assert infer_task(np.arange(59) % 20)[0] == "regression"
    assert infer_task(np.arange(630) % 21)[0] == "regression"
    assert infer_task([0, 1, 0])[0] == "classification"


def test_the_reason_states_the_rule_and_how_to_override_it():
    decisions = Decisions()
    read_target("test", np.zeros((200, 1)), np.arange(200) % 30, "auto", decisions)
    (decision,) = decisions
    assert decision.choice == "regression"
    assert "30 distinct integers" in decision.reason
    assert "fill their range" in decision.reason
    assert "--task classification" in decision.reason


@pytest.mark.parametrize("name", NAMES)
def test_every_reader_of_a_target_infers_the_same_task(name):
    y, task = TARGETS[name]
    X = np.column_stack([RNG.normal(size=(120, 2)), np.arange(120) % 7])
    assert task in str(audit(X, y).decisions.about("task"))
    assert task in str(SelectByFilter("pearson", k=1).fit(X, y).decisions_)
    assert task in str(SelectByWrapper(k=1).fit(X, y).decisions_)
    score = "error" if task == "classification" else "rmse"
    assert neighbor_learning_curve(X, y, k=1).score == score
    assert compare_predictions(X, y).what.startswith(task)


@pytest.mark.parametrize("name", ["digits", "ages", "zip codes", "two integers"])
def test_the_commands_infer_the_same_task(name, tmp_path, capsys, monkeypatch, few_candidates):
    monkeypatch.setattr("lookalike.report.write_study.write_page", lambda _, path: path.touch())
    y, task = TARGETS[name]
    path = tmp_path / "rows.csv"
    rows = [
        f"{x:.3f},{i % 7},{label}"
        for i, (x, label) in enumerate(zip(RNG.normal(size=120), y, strict=True))
    ]
    path.write_text("\n".join(["a,b,y", *rows]))

    def answer(*arguments):
        assert run([*map(str, arguments), "--target", "y", "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    study = answer("study", path, "--time", "3", "--out", tmp_path / "out")
    assert study["task"] == task
    for command in ("audit", "select"):
        (decision,) = [one for one in answer(command, path)["decisions"] if one.startswith("task")]
        assert task in decision.partition("(")[0]
    assert any(one["comparison"].startswith(task) for one in answer("compare", path)["comparisons"])


def test_labels_come_back_with_the_type_they_came_in(few_candidates):
    X = RNG.normal(size=(120, 2)) + np.arange(120)[:, None] % 4 * 9
    study = lookalike.study(X, np.array([1, 10, 11, 2] * 30))
    assert study.target.classes == (1, 2, 10, 11)
    assert study.held_out.labels == (1, 2, 10, 11)
    assert study.predictions.y_pred.dtype.kind == "i"
    assert study.model.predict(X[:4]).tolist() == [1, 10, 11, 2]
    assert study.to_dict()["target"]["classes"] == [1, 2, 10, 11]


def test_fractions_are_no_classes():
    with pytest.raises(ParameterError, match="continuous"):
        lookalike.study(RNG.normal(size=(30, 2)), RNG.normal(size=30), task="classification")
