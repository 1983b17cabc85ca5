"""Asks the model of a study for all it can answer, about rows that differ from training rows."""

from __future__ import annotations

import csv
import json
import warnings

import numpy as np
import pandas as pd
from service import running

import lookalike
from lookalike.errors import InputWarning
from lookalike.store.study_files import COMPANION_FILE, MODEL_FILE, STUDY_FILE

LIKE_THESE = {"unused_columns", "absent_columns"}


def keep_models(study, folder):
    """Write what the folder of a study holds of models; drawing the report takes far longer."""
    folder.mkdir(parents=True)
    (folder / STUDY_FILE).write_text(study.to_json(), encoding="utf-8")
    lookalike.save(study.model, folder / MODEL_FILE)
    if study.companion is not None:
        lookalike.save(study.companion, folder / COMPANION_FILE)
    return folder


def unlike_rows(frame, study):
    """Return rows without a column, in another order, with another, new categories and gaps."""
    read = study.model[0].columns_
    new = frame[list(read)].iloc[:6].copy()
    lost = max(read, key=lambda name: read[name] == "number") if len(read) > 1 else None
    for name, kind in read.items():
        new[name] = new[name].astype(object)
        if kind == "category":
            new.iloc[0, new.columns.get_loc(name)] = "never seen"
        new.iloc[1, new.columns.get_loc(name)] = None
    new = new.drop(columns=lost)
    return new[list(reversed(new.columns))].assign(other="unused")


def ask_commands(run_cli, folder, path, n_rows):
    """Ask `predict` and `explain` about a file that differs; both answer, with notes."""
    code, out, stderr = run_cli("predict", folder, path)
    assert code == 0, stderr
    predicted = [line["prediction"] for line in csv.DictReader(out.splitlines())]
    assert len(predicted) == n_rows
    assert all(predicted)
    assert "columns that are absent" in stderr
    assert "columns not used by the model: other" in stderr
    assert "missing values" in stderr
    code, out, stderr = run_cli("explain", folder, path, "--row", "2", "--json")
    assert code == 0, stderr
    explained = json.loads(out)
    assert str(explained["prediction"]) == predicted[2] or isinstance(
        explained["prediction"], float
    )
    assert explained["neighbors"]
    assert explained["notes"]
    return predicted


def ask_service(folder, new, study):
    """Ask over HTTP and by the client: predictions are the model's, neighbors are training rows."""
    rows = json.loads(new.to_json(orient="records"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        expected = lookalike.load(folder).predict(new)
    with running({"m": folder / MODEL_FILE}) as service:
        reply = service.post("/v1/predict", {"rows": rows})
        assert reply.status == 200, reply.body
        answer = reply.json()
        assert {note["kind"] for note in answer["notes"]} >= LIKE_THESE
        same = np.isclose if study.task == "regression" else np.equal
        assert same(answer["predictions"], expected.tolist()).all()
        assert service.post("/v1/neighbors", {"rows": rows}).status == 200  # K is the model's
        found = service.post("/v1/neighbors?k=2", {"rows": rows}).json()
        assert np.isin(found["rows"], study.model.training_rows_).all()
        assert (found["neighbors_by"] is None) == (study.companion is None)
        explained = service.post("/v1/explain", {"rows": rows[:2]}).json()["explanations"]
        assert [bool(one["neighbors"]) for one in explained] == [True, True]
        client = lookalike.Client(service.url)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert same(client.predict(rows), expected).all()
            assert client.kneighbors(rows, 3)[1].shape == (len(rows), 3)
        assert {one.category for one in caught} == {InputWarning}


def frame_of(source):
    """Return the rows of a source as a frame."""
    values = [table.values for table in source.tables()]
    return pd.concat([pd.DataFrame(part) for part in values], ignore_index=True)
