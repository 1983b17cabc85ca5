"""Predictions far outside the targets of training rows are noted wherever rows are predicted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from service import running
from study_answers import keep_models

import lookalike
from lookalike.cli.program import run
from lookalike.explain.prediction.far_predictions import FarPredictions


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The study of a straight line from 0 to 100, kept in a folder."""
    x = np.r_[0.0, 59.0, np.random.default_rng(0).uniform(0, 59, 58)]
    frame = pd.DataFrame({"x": x, "noise": np.sin(7 * x), "y": 100 * x / 59})
    study = lookalike.study(frame, target="y", models=("ridge",), effort="quick")
    return keep_models(study, tmp_path_factory.mktemp("line") / "study")


def test_predictions_within_a_tenth_of_the_range_are_not_far():
    far = FarPredictions((0.0, 100.0))
    far.add(np.array([-10.0, 0.0, 110.0]))
    assert (far.count, far.sentence()) == (0, "")


def test_the_farthest_of_all_chunks_is_named():
    far = FarPredictions((0.0, 100.0))
    for part in ([50.0, 111.0], [], [-400.0], [450.0]):
        far.add(np.array(part))
    assert far.sentence().endswith("training rows (0 to 100): 3, the farthest −400.")


def test_classes_have_no_range():
    far = FarPredictions(None)
    far.add(np.array(["a", "b"]))
    assert far.sentence() == ""


def test_the_command_line_says_that_a_prediction_is_far_outside(folder, tmp_path, capsys):
    path = tmp_path / "new.csv"
    pd.DataFrame({"x": [30.0, 600.0], "noise": [0.0, 0.0]}).to_csv(
        tmp_path / "new.csv", index=False
    )
    assert run(["predict", str(folder), str(path)]) == 0
    told = capsys.readouterr().err
    assert "predictions far outside the targets of the training rows (0 to 100): 1, " in told


def test_the_service_warns_of_a_prediction_far_outside(folder):
    model = lookalike.load(folder / "model.lookalike")
    with running({"line": model}) as service:
        near, far = (
            service.post("/v1/predict", {"rows": [{"x": x, "noise": 0.0}]}).json()
            for x in (30.0, 600.0)
        )
    assert near["notes"] == []
    assert [note["kind"] for note in far["notes"]] == ["far_predictions"]
