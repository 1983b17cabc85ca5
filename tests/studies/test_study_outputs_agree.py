"""All outputs of one study name the same model, error and interval."""

from __future__ import annotations

import html
import json
import re

import numpy as np
import pandas as pd
import pytest

import lookalike
from lookalike.cli.study_summary import print_summary
from lookalike.report.notebook import study_html
from lookalike.studies.format import interval, score
from lookalike.studies.overview import selected_model, verdict
from lookalike.web.explorer import open_exploration

N_ROWS = 150


def rows(task):
    """Return a table whose target two columns tell in part."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N_ROWS, 4))
    signal = X[:, 0] - X[:, 1] + 0.8 * rng.normal(size=N_ROWS)
    frame = pd.DataFrame(X, columns=["age", "dose", "height", "weight"])
    y = np.where(signal > 0, "ill", "well") if task == "classification" else 10 * signal
    return frame.assign(outcome=y)


def visible_text(page):
    """Return what a reader of a page sees, on one line."""
    text = re.sub(r"<(style|script)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", text)))


@pytest.fixture(scope="module", params=["classification", "regression"])
def written(request, tmp_path_factory):
    """Return a study, its folder, and the file of its rows."""
    folder = tmp_path_factory.mktemp("agree")
    rows(request.param).to_csv(folder / "rows.csv", index=False)
    linear = "lda" if request.param == "classification" else "ridge"
    models = ("baseline", "nearest", "knn", linear)
    study = lookalike.study(folder / "rows.csv", target="outcome", models=models, time=None)
    lookalike.write_study(study, folder / "study")
    return study, folder / "study", folder / "rows.csv"


def test_every_output_states_the_same_model_error_and_interval(written, capsys):
    study, folder, _ = written
    scores, title = study.held_out, selected_model(study).title
    error, ends = score(scores.metric, scores.error), interval(scores.metric, scores.interval)
    estimate = f"{error} (95% CI {ends}"
    told = next(one.text for one in study.summary if one.kind == "model")
    assert told.startswith(f"Best model: {title}")
    assert estimate in told
    print_summary(study, folder, everything=True)
    terminal = re.sub(r"\s+", " ", capsys.readouterr().out)
    page = visible_text((folder / "report.html").read_text(encoding="utf-8"))
    notebook = visible_text(study_html(study))
    for output in (str(study), terminal, page, notebook):
        text = re.sub(r"\s+", " ", output)
        assert estimate in text or f"{error} wrong (95% CI {ends}" in text
        assert set(re.findall(r"Best model: ([^,.]+)", text)) == {title.partition(",")[0]}
    assert verdict(study) in page
    assert verdict(study) in notebook


def test_the_files_and_the_explorer_hold_the_same_model_error_and_interval(written):
    study, folder, _ = written
    scores, best = study.held_out, selected_model(study)
    content = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    assert content["winner"] == study.winner == best.name
    assert content["held_out"]["error"] == scores.error
    assert content["held_out"]["interval"] == list(scores.interval)
    of_winner = next(one for one in content["candidates"] if one["name"] == study.winner)
    assert of_winner["held_out_error"] == scores.error
    assert of_winner["held_out_interval"] == list(scores.interval)
    session = open_exploration(folder).session()
    assert session["model"]["name"] == best.title
    assert session["model"]["hyperparameters"] == best.hyperparameters
    held_out = session["held_out"]
    stated = (held_out["value"], held_out["low"], held_out["high"], held_out["n"])
    assert stated == (scores.error, *scores.interval, scores.n_rows)


def test_the_model_file_is_the_selected_model_fitted_on_all_rows(written):
    study, folder, path = written
    model = lookalike.load(folder / "model.lookalike")
    assert type(model[-1]) is type(study.model[-1])
    frame = pd.read_csv(path).drop(columns="outcome")
    np.testing.assert_array_equal(model.predict(frame), study.model.predict(frame))
    assert study.shape.n_train == N_ROWS
