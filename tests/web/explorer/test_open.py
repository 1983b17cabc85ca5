"""An exploration of a folder, of a study in memory, and of a model has what the page shows."""

from __future__ import annotations

import json
import shutil
import threading

import numpy as np
import pytest

import lookalike
from lookalike.errors import LookalikeError, ParameterError
from lookalike.progress import progress
from lookalike.web.explorer import open_exploration


def test_a_folder_is_explored_with_its_rows_split_and_neighbors(digits, digits_folder):
    session = digits.session()
    assert (session["n_rows"], session["kind"], session["task"]) == (
        1000,
        "images",
        "classification",
    )
    assert session["image"] == {"height": 8, "width": 8}
    trained = lookalike.load(digits_folder / "model.lookalike").training_rows_
    assert set(np.flatnonzero(~digits.rows.is_test)) == set(trained)
    assert digits.neighbors.title == "K nearest neighbors: the selected model"
    written = json.loads((digits_folder / "study.json").read_text())
    assert session["held_out"]["value"] == written["held_out"]["error"]


def test_predictions_of_test_rows_are_those_of_the_study(digits, digits_folder):
    lines = (digits_folder / "predictions.csv").read_text().splitlines()[1:]
    for line in lines[:50]:
        row, _, predicted = line.split(",")[:3]
        assert digits.rows.class_names[digits.predicted()[int(row)]] == predicted


def test_of_another_winner_the_neighbors_are_those_of_its_best_candidate(table, table_study):
    assert table_study.winner == "logistic"
    assert "a candidate of the study" in table.neighbors.title
    knn = next(one for one in table_study.candidates if one.name == "knn_weighted")
    assert str(table.neighbors.k) == knn.hyperparameters["K"]
    curve = table_study.k_selection.curves["loo", "distance"].scores["error"]
    assert np.array_equal(table.neighbors.leave_one_out().error, curve)


def test_changed_data_are_named_in_a_sentence(digits_folder, digits_csv, tmp_path):
    shutil.copytree(digits_folder, tmp_path / "study")
    changed = tmp_path / "changed.csv"
    lines = digits_csv.read_text().splitlines()
    changed.write_text("\n".join([*lines[:-1], lines[-2]]) + "\n")
    exploration = open_exploration(tmp_path / "study", data=changed)
    assert "SHA-256 differs" in exploration.notes[0]
    changed.write_text("\n".join(lines[:-20]) + "\n")
    with pytest.raises(LookalikeError, match="980 rows"):
        open_exploration(tmp_path / "study", data=changed)


def test_missing_data_are_named_in_a_sentence(digits_folder, tmp_path):
    shutil.copytree(digits_folder, tmp_path / "study")
    path = tmp_path / "study" / "source.json"
    source = json.loads(path.read_text())
    source |= {"path": "gone.csv", "absolute_path": "/nowhere/gone.csv"}
    path.write_text(json.dumps(source))
    with pytest.raises(LookalikeError, match=r"gone\.csv, which is not there any more"):
        open_exploration(tmp_path / "study")


def test_all_kinds_of_studies_have_a_session(table, texts, regression, exploratory):
    for one, kind, task in (
        (table, "table", "classification"),
        (texts, "texts", "classification"),
        (regression, "table", "regression"),
        (exploratory, "table", "exploratory"),
    ):
        session = one.session()
        assert (session["kind"], session["task"]) == (kind, task)
        assert {"pca", "neighbors"} <= {one["id"] for one in session["maps"]}
        for color in session["colors"]:
            assert len(one.colors.get(color["id"])) == session["n_rows"]
            assert one.colors.get(color["id"]).dtype.name == color["dtype"]
        assert one.row(5)["row"] == 5
        assert len(one.evidence.of_row(5)["neighbors"]) >= one.neighbors.k


@pytest.fixture
def demo(table_study, tmp_path, monkeypatch):
    """Return a demo whose two studies are one of a small table, and the key to the second."""
    may_end, times = threading.Event(), []

    def run_study(name, *, time, title):
        times.append(time)
        assert (name, title) == ("digits", "digits")
        if len(times) == 2:
            with progress("models", 3) as advance:
                advance(1)
                may_end.wait(30)
        return table_study

    monkeypatch.setattr("lookalike.studies.study.study", run_study)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    yield open_exploration("demo"), may_end
    may_end.set()


def test_the_demo_is_served_before_its_study_ends_and_keeps_what_was_decided(demo, tmp_path):
    exploration, may_end = demo
    offered = []
    exploration.on_new_models.append(offered.append)
    place = next(tmp_path.glob("lookalike-demo-*")) / "corrections.csv"
    assert exploration.opening_lines() == [f"Corrected labels are written to {place}"]
    row = int(np.flatnonzero(~exploration.rows.is_test)[3])
    label = next(name for name in ("yes", "no") if name != exploration.rows.label(row))
    exploration.review.decide(row, "relabel", label)
    before, first = exploration.review, exploration.progress()
    assert first["edition"] == 1
    assert "study" in {one["what"] for one in first["running"]}
    may_end.set()
    exploration.successor.get()
    assert exploration.progress()["edition"] == exploration.session()["edition"] == 2
    assert exploration.rows.label(row) == label
    assert [one.row for one in exploration.review.corrections()] == [row]
    assert offered == [exploration.models]
    before.decide(row, "ignore")  # by a request that came before, and is in the log
    assert exploration.review.state()["decided"] == 2


def test_a_study_that_fails_leaves_the_first_page_as_it_is(demo, monkeypatch):
    exploration, may_end = demo

    def gone(*_):
        raise ParameterError("The digits are gone.")

    monkeypatch.setattr("lookalike.web.explorer.open.explore_study", gone)
    may_end.set()
    with pytest.raises(ParameterError):
        exploration.successor.get()
    assert exploration.progress()["failure"] == "The digits are gone."
    assert exploration.edition == 1
    assert exploration.review.decide(3, "ignore")["decided"] == 1
