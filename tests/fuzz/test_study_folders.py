"""Mutated files in the folder of a study: the page opens or one sentence names the file."""

from __future__ import annotations

import json
import os
import warnings
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from fuzz.mutations import ending, fuzzed, mutated_array, mutated_bytes, mutated_document
from hypothesis import given
from hypothesis import strategies as st

import lookalike
from lookalike.errors import LookalikeError, ModelFileError
from lookalike.web.explorer import open_exploration
from lookalike.web.explorer.panels import PANELS_BY_NAME, panel

WRITTEN_FILES = ("study.json", "source.json", "predictions.csv", "audit.csv", "rows.npz")


class WrittenStudy:
    """The folder of a study, whose files are changed one at a time and then put back."""

    def __init__(self, path):
        rng = np.random.default_rng(5)
        table = pd.DataFrame(rng.normal(size=(60, 3)).round(2), columns=["a", "b", "c"])
        table["kind"] = np.array(["x", "y"])[(table["a"] + rng.normal(size=60) / 4 > 0).astype(int)]
        table.to_csv(path / "table.csv", index=False)
        models = ("baseline", "knn", "logistic")
        study = lookalike.study(path / "table.csv", target="kind", effort="quick", models=models)
        self.folder = path / "study"
        lookalike.write_study(study, self.folder)
        shares = np.full((60, 2), 0.5)
        arrays = {"out_of_fold_row": np.arange(60), "out_of_fold_probability": shares}
        np.savez(self.folder / "rows.npz", **arrays, cluster=np.arange(60) % 3)
        self.files = {name: (self.folder / name).read_bytes() for name in WRITTEN_FILES}

    def put_back(self):
        """Let every file be what it was."""
        for name, content in self.files.items():
            (self.folder / name).write_bytes(content)

    def answer(self):
        """Open the folder and ask the page for what it shows at first."""
        exploration = open_exploration(self.folder)
        exploration.session()
        exploration.row(3)
        for name in PANELS_BY_NAME:
            panel(exploration, name)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return WrittenStudy(tmp_path_factory.mktemp("studies"))


def change(data, written):
    """Write one file of the study otherwise than the study did."""
    name = data.draw(st.sampled_from(WRITTEN_FILES))
    path, whole = written.folder / name, written.files[name]
    if name.endswith(".json") and data.draw(st.integers(0, 3)):
        path.write_text(json.dumps(data.draw(mutated_document(json.loads(whole)))))
    elif name == "rows.npz" and data.draw(st.integers(0, 3)):
        with np.load(path) as archive:
            arrays = {key: archive[key] for key in archive.files}
        key = data.draw(st.sampled_from(sorted(arrays)))
        np.savez(path, **{**arrays, key: data.draw(mutated_array(arrays[key]))})
    else:
        path.write_bytes(data.draw(mutated_bytes(whole)))


@fuzzed(60)
@given(data=st.data())
def test_a_changed_study_is_opened_or_refused_and_named(written, data):
    try:
        with ending(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            change(data, written)
            written.answer()
    except LookalikeError as error:
        assert "\n" not in str(error)  # noqa: PT017 - most changes raise, not all
    finally:
        written.put_back()


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("file", "/dev/zero"),
        ("file", "/"),
        ("folder", "/etc/passwd"),
        ("sample", "https://example.org/iris"),
        ("file", "pipe"),
    ],
)
def test_a_study_leads_to_no_data_but_a_file_a_folder_or_a_sample(written, kind, place):
    if place == "pipe":
        place = str(written.folder.parent / "pipe")
        os.mkfifo(place)
    source = json.loads(written.files["source.json"])
    source |= {"kind": kind, "path": place, "absolute_path": place, "sample": None}
    if kind == "sample":
        source["sample"] = place
    (written.folder / "source.json").write_text(json.dumps(source))
    try:
        with ending(20), pytest.raises(LookalikeError, match=r"not there|sample is"):
            open_exploration(written.folder)
    finally:
        written.put_back()


@pytest.mark.parametrize("name", WRITTEN_FILES)
def test_a_file_of_a_study_that_is_cut_off_is_named(written, name):
    whole = written.files[name]
    (written.folder / name).write_bytes(whole[: len(whole) // 2] + b'"\xff')
    try:
        with pytest.raises(ModelFileError, match=rf"{name} is .*Run the study again"):
            open_exploration(written.folder)
    finally:
        written.put_back()


@pytest.mark.parametrize("field", ["spectrum", "learning_curve", "feature_importance", "columns"])
def test_a_study_without_a_field_is_one_without_what_it_tells(written, field):
    path = written.folder / "study.json"
    content = json.loads(path.read_text())
    without = {name: value for name, value in content.items() if name != field}
    try:
        path.write_text(json.dumps(without))
        exploration = open_exploration(written.folder)
        for name in PANELS_BY_NAME:
            with suppress(LookalikeError):
                panel(exploration, name)
    finally:
        written.put_back()


@pytest.mark.parametrize("name", ["metric", "scoring"])
def test_a_study_of_an_unknown_score_is_refused(written, name):
    path = written.folder / "study.json"
    content = json.loads(path.read_text())
    content["held_out"][name] = "x"
    try:
        path.write_text(json.dumps(content))
        with pytest.raises(ModelFileError, match=f"held_out.{name}"):
            open_exploration(written.folder)
    finally:
        written.put_back()


def test_a_source_without_the_target_of_the_study_is_refused(written):
    path = written.folder / "source.json"
    content = json.loads(path.read_text()) | {"target": None}
    try:
        path.write_text(json.dumps(content))
        with pytest.raises(ModelFileError, match="names none"):
            open_exploration(written.folder)
    finally:
        written.put_back()
