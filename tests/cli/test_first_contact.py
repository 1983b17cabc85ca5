"""Every ordinary table goes from its file to a served answer: study, predict, explain, serve."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
from pathlib import Path

import numpy as np
import pytest
from awkward_tables import MARKERS, UNKNOWN, make_table, write_table
from service import running

import lookalike
from lookalike import Client
from lookalike.cli.serve import _open as open_served
from lookalike.missing import is_missing

pytestmark = pytest.mark.filterwarnings("ignore::lookalike.errors.InputWarning")
MOST_ROWS = 160  # of a real table, so that all of them take minutes
TARGETS = {  # file of LOOKALIKE_DATA: its target, None where it has none
    "abalone.csv.gz": "rings",
    "adult.csv.gz": "income",
    "ames_house_prices.csv.gz": "SalePrice",
    "cacm_docs.csv.gz": None,
    "cacm_qrels.csv": None,
    "cacm_queries.csv": None,
    "concrete.csv.gz": "strength",
    "cranfield_docs.csv.gz": None,
    "cranfield_qrels.csv": "grade",
    "cranfield_queries.csv": None,
    "diamonds.csv.gz": "price",
    "electricity.csv.gz": "target",
    "heart_cleveland.csv": "num",
    "higgs_sample.csv.gz": "label",
    "letter_recognition.csv.gz": "letter",
    "phoneme.csv.gz": "class",
    "reuters21578.jsonl.xz": "lewissplit",
    "segment.csv.gz": "class",
    "sms_spam.jsonl.xz": "label",
    "sonar.csv.gz": "class",
    "soybean.csv": "class",
    "telco_churn.csv.gz": "Churn",
    "titanic.csv.gz": "Survived",
    "vote.csv": "class",
}
ARRAYS = {  # archive of LOOKALIKE_DATA: the array of its rows, and that of its target if it has one
    "geonames_cities1000.npz": ("latlon", "country"),
    "mnist.npz": ("x_train", "y_train"),
    "olivetti_faces.npz": ("images", "target"),
    "orl_faces_112x92.npz": ("images", "target"),
    "siftsmall.npz": ("base", None),
    "stanford_bunny.npz": ("points", None),
}
OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
SAMPLES = ("breast_cancer", "diabetes", "digits", "iris", "wine")
AWKWARD = range(30)


def stored(name):
    """Return the path of a file of LOOKALIKE_DATA."""
    data = os.environ.get("LOOKALIKE_DATA")
    if data is None or not (Path(data) / name).is_file():
        pytest.skip(f"{name} is not in the folder that LOOKALIKE_DATA names")
    return Path(data) / name


def first_rows(name, folder):
    """Write every so many rows of a file of LOOKALIKE_DATA to a file of the same kind."""
    opener = OPENERS.get(Path(name).suffix, open)
    with opener(stored(name), "rt", encoding="utf-8", newline="") as file:
        if ".jsonl" in name:
            header, lines = [], file.read().splitlines(keepends=True)
        else:
            rows = list(csv.reader(file))
            header, lines = [_line(rows[0])], list(map(_line, rows[1:]))
    step = max(1, len(lines) // MOST_ROWS)
    path = folder / name
    with opener(path, "wt", encoding="utf-8", newline="") as file:
        file.writelines([*header, *lines[::step][:MOST_ROWS]])
    return path


def _line(cells):
    sink = io.StringIO(newline="")
    csv.writer(sink).writerow(cells)
    return sink.getvalue()


def study(run_cli, data, folder, *options):
    """Study the data and return study.json."""
    code, out, stderr = run_cli("study", data, "--time", "none", "--out", folder, *options)
    assert code == 0, stderr
    assert f"Report: {folder / 'report.html'}" in out
    return json.loads((folder / "study.json").read_text())


def require_served_answers(run_cli, folder, rows):
    """Predict, explain and find neighbors of the rows on the command line and over HTTP."""
    model = folder / "model.lookalike"
    assert lookalike.load(model) is not None
    code, out, stderr = run_cli("predict", model, rows, "--json")
    assert code == 0, stderr
    predictions, notes = [json.loads(line)["prediction"] for line in out.splitlines()], stderr
    code, out, stderr = run_cli("explain", model, rows, "--row", "0", "--json")
    assert code == 0, stderr
    models, exploration, opened = open_served(str(folder), None, None)
    with running(models, exploration=exploration, folder=opened) as service:
        body = json_rows(service, rows)
        answers = [service.post(f"/v1/{route}", body) for route in ("predict", "explain")]
        assert [answer.status for answer in answers] == [200, 200], [a.body for a in answers]
        served = answers[0].json()["predictions"]
        assert len(served) == len(predictions) == len(body["rows"])
        if isinstance(served[0], float):
            np.testing.assert_allclose(served, predictions, rtol=1e-6)
        else:
            assert served == predictions
        neighbors = service.post("/v1/neighbors?k=2", body)
        assert neighbors.status == 200, neighbors.body
        assert np.shape(neighbors.json()["rows"]) == (len(served), 2)
        assert len(Client(service.url).predict(body["rows"])) == len(served)
    return notes


def json_rows(service, path):
    """Return the rows of a csv file as JSON has them: numbers where the model reads numbers."""
    model = service.get("/v1/models").json()["models"][0]
    numbers = {c["name"] for c in model["columns"] if c["kind"] in ("number", "boolean")}
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        "rows": [{n: _json_cell(cell, n in numbers) for n, cell in row.items()} for row in rows]
    }


def _json_cell(cell, is_number):
    if cell in (*MARKERS, UNKNOWN):
        return None
    if not is_number:
        return cell
    thousands, decimal = (".", ",") if cell.rfind(",") > cell.rfind(".") else (",", ".")
    return float(cell.replace(thousands, "").replace(decimal, "."))


def write_new_rows(path, names, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(rows)
    return path


@pytest.mark.parametrize("seed", AWKWARD)
def test_an_awkward_table_goes_from_its_file_to_a_served_answer(seed, run_cli, tmp_path):
    table = make_table(seed)
    data = write_table(table, tmp_path)
    result = study(run_cli, data, tmp_path / "study", "--target", table.target)
    kinds = {column["name"]: column["kind"] for column in result["columns"]}
    wrong = {
        name: kinds.get(name)
        for name, column in table.columns.items()
        if name != table.target and kinds.get(name) not in column.expected
    }
    assert wrong == {}, table.suffix
    assert result["winner"] != "baseline"
    names = [name for name in reversed(table.columns) if name not in (table.target, "count")]
    cells = [[table.columns[name].cells[row] for name in names] for row in range(5)]
    cells[0][names.index("town")] = "Atlantis"
    cells[1][names.index("Größe")] = ""
    rows = write_new_rows(
        tmp_path / "new.csv", [*names, "surprise"], [[*row, "extra"] for row in cells]
    )
    notes = require_served_answers(run_cli, tmp_path / "study", rows)
    assert "count" in notes
    assert "Atlantis" in notes


@pytest.mark.parametrize("name", [name for name, target in TARGETS.items() if target])
def test_a_real_table_goes_from_its_file_to_a_served_answer(name, run_cli, tmp_path):
    data, target = first_rows(name, tmp_path), TARGETS[name]
    study(run_cli, data, tmp_path / "study", "--target", target)
    source = lookalike.data.open_source(str(data), types={})
    names = [column.name for column in source.columns if column.name != target][::-1]
    table = next(iter(source.tables(5)))
    cells = [["" if is_missing(cell) else cell for cell in table.values[n][:5]] for n in names]
    rows = write_new_rows(tmp_path / "new.csv", names, list(zip(*cells, strict=True)))
    require_served_answers(run_cli, tmp_path / "study", rows)


@pytest.mark.parametrize("name", [name for name, target in TARGETS.items() if not target])
def test_a_real_table_without_a_target_is_studied_and_explored(name, run_cli, tmp_path):
    data = first_rows(name, tmp_path)
    result = study(run_cli, data, tmp_path / "study")
    assert 0 < result["shape"]["n_rows"] <= MOST_ROWS
    code, out, stderr = run_cli("neighbors", data, "-k", "2", "--json")
    assert code == 0, stderr
    assert len(out.splitlines()) == 2 * result["shape"]["n_rows"]
    models, exploration, folder = open_served(str(tmp_path / "study"), None, None)
    with running(models, exploration=exploration, folder=folder) as service:
        assert service.get("/").status == 200


@pytest.mark.parametrize("name", SAMPLES)
def test_a_bundled_sample_goes_to_a_served_answer(name, run_cli, tmp_path):
    study(run_cli, name, tmp_path / "study")
    source = lookalike.data.sample(name)
    names = [column.name for column in source.columns]
    rows = write_new_rows(tmp_path / "new.csv", names, next(iter(source.chunks(5))).X[:5].tolist())
    require_served_answers(run_cli, tmp_path / "study", rows)


@pytest.mark.parametrize("name", ARRAYS)
def test_a_real_archive_of_arrays_goes_to_a_served_answer(name, run_cli, tmp_path):
    rows, target = ARRAYS[name]
    with np.load(stored(name)) as archive:
        step = max(1, len(archive[rows]) // MOST_ROWS)
        kept = {part: archive[part][::step][:MOST_ROWS] for part in (rows, target) if part}
    np.savez(tmp_path / name, **kept)
    options = ["--array", rows, *(["--target", target] if target else [])]
    study(run_cli, tmp_path / name, tmp_path / "study", *options)
    X = kept[rows].reshape(len(kept[rows]), -1)[:5]
    np.save(tmp_path / "new.npy", X.astype(np.float64))  # as numbers in JSON are read
    models, exploration, opened = open_served(str(tmp_path / "study"), None, None)
    with running(models, exploration=exploration, folder=opened) as service:
        assert service.get("/").status == 200
        if target is None:
            return
        model = tmp_path / "study" / "model.lookalike"
        code, out, stderr = run_cli("predict", model, tmp_path / "new.npy", "--json")
        assert code == 0, stderr
        predictions = [json.loads(line)["prediction"] for line in out.splitlines()]
        body = {"rows": X.tolist()}
        for route in ("predict", "neighbors?k=2", "explain"):
            answer = service.post(f"/v1/{route}", body)
            assert answer.status == 200, answer.body
            if route == "predict":
                assert answer.json()["predictions"] == predictions
