"""A model card quotes the study, says what nobody measured, and shows names as they are."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

pytest.importorskip("matplotlib")
from example_study import NASTY, example_study

import lookalike
from lookalike import KNeighborsClassifier, save, write_study
from lookalike.errors import ModelFileError
from lookalike.report import model_card, write_model_card
from lookalike.studies.format import interval, score


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a finished study, with a model of two rows in it."""
    path = tmp_path_factory.mktemp("card") / "study"
    model = KNeighborsClassifier(n_neighbors=1).fit([[0.0], [1.0]], ["a", "b"])
    write_study(replace(example_study(), model=model), path)
    return path


@pytest.fixture(scope="module")
def card(folder):
    return model_card(folder)


def test_every_score_stands_with_its_interval_and_method(folder, card):
    held_out = json.loads((folder / "study.json").read_text())["held_out"]
    assert held_out["scores"]
    for one in held_out["scores"]:
        value = score(one["name"], one["value"])
        assert f"| {value} | {interval(one['name'], tuple(one['interval']))} |" in card
    assert held_out["interval_method"] in card


def test_every_finding_of_the_study_is_in_the_card(folder, card):
    plain = card.replace("\\", "")
    findings = json.loads((folder / "study.json").read_text())["summary"]
    assert findings
    for finding in findings:
        assert " ".join(finding["text"].split()).replace("\\", "") in plain


def test_names_of_columns_cannot_become_markup(card):
    assert NASTY not in card
    assert "\\<img src=x" in card
    assert not any(line.startswith("<") for line in card.splitlines())


def test_a_use_is_what_somebody_states(folder, card):
    assert "Nobody has stated a use" in card
    stated = model_card(folder, intended_use="Sorts parcels.")
    assert "Sorts parcels." in stated
    assert "Nobody has stated" not in stated


def test_training_rows_in_the_file_are_said(folder, card):
    assert "holds 2 training rows" in card
    assert "No array of the model file has an entry" in model_card(folder_of_a_scaler(folder))


def test_rows_of_a_forest_in_a_pipeline_are_said(tmp_path):
    steps = (lookalike.StandardScaler(), lookalike.ForestNeighborsClassifier(3))
    model = make_pipeline(*steps).fit(np.arange(14.0).reshape(7, 2), np.arange(7) % 2)
    save(model, tmp_path / "forest.lookalike")
    assert "holds 7 training rows, or what was computed" in model_card(
        tmp_path / "forest.lookalike"
    )


def folder_of_a_scaler(folder):
    path = folder.parent / "scaler.lookalike"
    save(lookalike.StandardScaler().fit(np.eye(3)), path)
    return path


def test_a_file_without_a_study_has_no_scores(folder):
    card = model_card(folder_of_a_scaler(folder))
    assert "holds no measurement of its error" in card
    assert "StandardScaler" in card
    assert "## Findings" not in card


def test_a_model_beside_the_study_of_another_gets_no_figures_of_it(folder, tmp_path):
    write_study(example_study(), tmp_path)
    (tmp_path / "model.lookalike").write_bytes((folder / "model.lookalike").read_bytes())
    study = json.loads((tmp_path / "study.json").read_text())
    (tmp_path / "study.json").write_text(json.dumps(study | {"winner": None}))
    with pytest.raises(ModelFileError, match="of another one"):
        model_card(tmp_path)


def test_a_random_split_measures_no_later_rows(folder, tmp_path):
    study = json.loads((folder / "study.json").read_text())
    later = "the error on later rows was not measured"
    for split, said in (("5-fold cross-validation, random seed 0", True), ("the latest 5", False)):
        write_study(replace(example_study(), model=lookalike.load(folder)), tmp_path)
        shape = study["shape"] | {"split": split}
        held_out = study["held_out"] | {"other_splits": []}
        changed = study | {"shape": shape, "held_out": held_out}
        (tmp_path / "study.json").write_text(json.dumps(changed))
        assert (later in model_card(tmp_path)) == said


def test_the_card_is_written_whole(folder, card, tmp_path):
    write_model_card(folder, tmp_path / "card.md")
    assert (tmp_path / "card.md").read_text() == card
