"""From a study to an answer: every sample, every candidate as the model that is kept."""

from __future__ import annotations

import gzip
import json
import random

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from service import process
from sklearn import datasets
from study_answers import ask_commands, ask_service, keep_models, unlike_rows

import lookalike
from lookalike.data.samples import BUNDLED_SAMPLES
from lookalike.studies.select.candidates import ALL_CANDIDATES
from lookalike.studies.select.text_candidates import TEXT_CANDIDATES

pytest.importorskip("fastapi", reason="fastapi is not installed")

N_ROWS, MOST_COLUMNS = 60, 8  # of a sample for every candidate; all columns are searched for leaks
TIME = "none"  # a limit is kept by a signal, which may strike inside NumPy
TABLES = {  # of the data folder: target, and a candidate each
    "abalone.csv.gz": ("rings", "kernel_ridge"),
    "adult.csv.gz": ("income", "boosted"),
    "ames_house_prices.csv.gz": ("SalePrice", "ridge"),
    "concrete.csv.gz": ("strength", "rbf_network"),
    "diamonds.csv.gz": ("price", "boosted"),
    "electricity.csv.gz": ("target", "logistic"),
    "heart_cleveland.csv": ("num", "mixture"),
    "letter_recognition.csv.gz": ("letter", "lda"),
    "phoneme.csv.gz": ("class", "kernel"),
    "segment.csv.gz": ("class", "forest"),
    "sonar.csv.gz": ("class", "pca_knn"),
    "soybean.csv": ("class", "logistic"),
    "telco_churn.csv.gz": ("Churn", "lda"),
    "titanic.csv.gz": ("Survived", "forest"),
    "vote.csv": ("class", "knn"),
}


def task_of(sample):
    return "regression" if sample == "diabetes" else "classification"


PAIRS = [
    (sample, spec.name)
    for sample in BUNDLED_SAMPLES
    for spec in ALL_CANDIDATES
    if task_of(sample) in spec.tasks
]


@pytest.fixture(scope="module")
def frames():
    """Some rows and columns of every bundled sample, and their targets."""
    rng = np.random.default_rng(0)
    parts = {}
    for name in BUNDLED_SAMPLES:
        X, y = getattr(datasets, f"load_{name}")(as_frame=True, return_X_y=True)
        rows = np.sort(rng.permutation(len(y))[:N_ROWS])
        columns = np.unique(np.linspace(0, X.shape[1] - 1, MOST_COLUMNS + 2)[1:-1].round())
        some = X.iloc[rows, columns.astype(int)].reset_index(drop=True)
        parts[name] = some, y.iloc[rows].to_numpy()
    return parts


@pytest.mark.parametrize(("sample", "candidate"), PAIRS)
def test_every_candidate_on_every_sample_answers(run_cli, frames, tmp_path, sample, candidate):
    frame, y = frames[sample]
    study = lookalike.study(frame, y, models=[candidate], time=TIME)
    assert study.winner == candidate
    folder = keep_models(study, tmp_path / "study")
    new = unlike_rows(frame, study)
    new.to_csv(tmp_path / "new.csv", index=False)
    ask_commands(run_cli, folder, tmp_path / "new.csv", len(new))
    ask_service(folder, new, study)


@pytest.mark.parametrize("name", TABLES)
def test_tables_as_they_come_answer(run_cli, data_folder, tmp_path, name):
    target, candidate = TABLES[name]
    path = data_folder / name
    if not path.is_file():
        pytest.skip(f"{name} is not in the data folder")
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    head, *lines = text.decode().splitlines()
    some = random.Random(0).sample(lines, min(150, len(lines)))
    (tmp_path / "some.csv").write_text("\n".join([head, *some, ""]), encoding="utf-8")
    study = lookalike.study(
        str(tmp_path / "some.csv"), target=target, models=[candidate], time=TIME
    )
    folder = keep_models(study, tmp_path / "study")
    new = unlike_rows(pd.read_csv(tmp_path / "some.csv", dtype=str), study)
    new.to_csv(tmp_path / "new.csv", index=False)
    ask_commands(run_cli, folder, tmp_path / "new.csv", len(new))


def write_texts(folder):
    words = ("ship sea boat harbor wind", "bank money loan rate credit", "goal ball team match win")
    rng = np.random.default_rng(0)
    lines = [" ".join(rng.permutation(words[i % 3].split())[:4]) + f" w{i}" for i in range(60)]
    frame = pd.DataFrame({"body": lines, "topic": np.array(list("abc"))[np.arange(60) % 3]})
    frame.to_csv(folder / "texts.csv", index=False)
    return folder / "texts.csv", ("--target", "topic", "--text", "body")


@pytest.mark.parametrize("candidate", [spec.name for spec in TEXT_CANDIDATES])
def test_every_candidate_on_documents_answers(run_cli, tmp_path, candidate):
    path, _ = write_texts(tmp_path)
    study = lookalike.study(str(path), target="topic", text="body", models=[candidate], time=TIME)
    assert study.winner == candidate
    folder = keep_models(study, tmp_path / "study")
    new = ["the ship in the harbor", "", "unheard"]
    pd.DataFrame({"body": new, "more": 1}).to_csv(tmp_path / "new.csv", index=False)
    code, out, stderr = run_cli("predict", folder, tmp_path / "new.csv")
    assert code == 0, stderr
    assert len(out.splitlines()) == 4
    assert "texts without a word: 1" in stderr
    code, out, stderr = run_cli("explain", folder, tmp_path / "new.csv", "--row", "0", "--json")
    assert code == 0, stderr
    assert json.loads(out)["neighbors"]


def write_images(folder):
    rng = np.random.default_rng(0)
    for i in range(24):
        pixels = rng.integers(0, 60, size=(6, 6)).astype(np.uint8)
        pixels[:, :3] += np.uint8(150 * (i % 2))
        (folder / "images" / "ab"[i % 2]).mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(folder / "images" / "ab"[i % 2] / f"{i:02d}.png")
    return folder / "images", ()


KINDS = {  # data: the candidate that is kept
    "iris": "lda",
    "diabetes": "kernel_ridge",
    write_images: "logistic",
    write_texts: "tfidf_linear",
}


@pytest.mark.parametrize("data", KINDS)
def test_the_commands_lead_from_data_to_a_served_answer(run_cli, tmp_path, monkeypatch, data):
    monkeypatch.chdir(tmp_path)
    path, options = (data, ()) if isinstance(data, str) else data(tmp_path)
    code, _, stderr = run_cli("study", path, *options, "--models", KINDS[data], "--time", TIME)
    assert code == 0, stderr
    folder = next(tmp_path.glob("*_study"))
    code, out, stderr = run_cli("predict", folder, path)
    assert code == 0, stderr
    first = out.splitlines()[1].split(",")[1]
    code, out, stderr = run_cli("explain", folder, path, "--row", "0", "--leave-out", "--json")
    assert code == 0, stderr
    assert 0 not in json.loads(out)["neighbors"]
    text = ("--text", "body") if data is write_texts else ()
    code, out, stderr = run_cli("neighbors", path, *text, "-k", "2", "--json")
    assert code == 0, stderr
    assert run_cli("audit", path, *options, "--json", "--time", TIME)[0] == 0
    with process(path) as service:
        service.wait_ready()
        assert "Serving" in service.printed[-1]
        (model,) = service.get("/v1/models").json()["models"]
        assert {"predict", "neighbors", "explain"} <= set(model["operations"])
        body = {"rows": example_rows(data, path)}
        answer = service.post("/v1/predict", body).json()["predictions"][0]
        assert str(answer) == first or isinstance(answer, float)
        assert len(service.post("/v1/neighbors?k=3", body).json()["rows"][0]) == 3
        assert service.post("/v1/explain", body).json()["explanations"][0]["neighbors"]


def example_rows(data, path):
    """Return the first row of the data, as a request holds it."""
    if data is write_texts:
        return pd.read_csv(path)["body"].tolist()[:1]
    if data is write_images:
        return [np.asarray(Image.open(path / "a" / "00.png")).ravel().tolist()]
    X, _ = getattr(datasets, f"load_{data}")(return_X_y=True)
    return X[:1].tolist()
