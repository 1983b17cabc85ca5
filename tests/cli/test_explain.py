"""One explanation: Python, the command line, the service and the page say the same of a row."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from web.conftest import Service
from web.explorer.conftest import quick_study

import lookalike
from lookalike.store.file import load, load_companion
from lookalike.web.app import create_app
from lookalike.web.explorer import open_exploration
from lookalike.web.options import ServeOptions
from lookalike.web.server import BackgroundServer

HELD_OUT = 8  # a test row, which no model was fitted on
MODELS = {"classes": "knn", "numbers": "knn_weighted", "companion": "logistic"}
SIMILARITY = "farther away than that of"


def write_rows(path, target):
    """Write rows of numbers and a category, every fourth of them a test row."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3)).round(3)
    town = rng.choice(["Graz", "Linz", "Wien"], 120)
    score = X @ [2.0, -1.0, 0.5] + (town == "Graz")
    y = score.round(3) if target == "numbers" else np.where(score > 0, "yes", "no")
    part = np.where(np.arange(120) % 4 == 0, "test", "train")
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "town": town})
    frame.assign(part=part, y=y).to_csv(path, index=False)
    return frame.iloc[[HELD_OUT]]


@pytest.fixture(params=MODELS)
def explained(request, tmp_path):
    """Return the folder of a study, its data, and one held-out row of them."""
    data = tmp_path / "rows.csv"
    row = write_rows(data, request.param)
    models = ("baseline", "knn", MODELS[request.param])
    if request.param != "companion":
        models = ("baseline", MODELS[request.param])
    study = quick_study(data, target="y", split="part", models=models)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lookalike.report.write_study.write_page", lambda _, path: path.touch())
        lookalike.write_study(study, tmp_path / "study")
    assert study.winner == MODELS[request.param]
    return tmp_path / "study", data, row


def test_python_command_line_service_and_page_say_the_same_of_one_row(explained, run_cli):
    folder, data, row = explained
    model, companion = load(folder), load_companion(folder)
    finder = model if companion is None else companion
    said = lookalike.explain_prediction(finder[-1], finder[:-1].transform(row))
    words = said.sentences()
    assert {"neighbors", "flip", "similarity"} <= words.keys()
    assert SIMILARITY in str(said)

    code, out, stderr = run_cli("explain", folder, data, "--row", HELD_OUT)
    assert code == 0, stderr
    printed = out.splitlines()
    assert [line for line in printed if line in words.values()] == list(words.values())
    described = json.loads(run_cli("explain", folder, data, "--row", HELD_OUT, "--json")[1])

    exploration, options = open_exploration(folder), ServeOptions(port=0)
    app = create_app(exploration.models, exploration=exploration, options=options)
    with BackgroundServer(app, options) as server:
        service = Service(server.url)
        service.wait_ready()
        body = {"rows": json.loads(row.to_json(orient="records"))}
        answer = service.post("/v1/explain", body)
        assert answer.status == 200, answer.body
        (served,) = answer.json()["explanations"]
        shown = service.get(f"/explore/rows/{HELD_OUT}/evidence").json()
    for answer in (described, served, shown):
        assert {name: answer["sentences"][name] for name in words} == words
    figures = ("distances", "weights", "targets", "contributions", "similarity", "neighbor_shares")
    for name in figures:
        assert described[name] == served[name], name
        if name != "contributions":
            assert shown[name] == served[name], name
    assert shown["neighbors"] == served["neighbors"] == described["neighbors"]
    parts = [one["part"] for one in served["contributions"]["parts"]]
    assert [one["part"] for one in shown["contributions"]["parts"]] == parts
