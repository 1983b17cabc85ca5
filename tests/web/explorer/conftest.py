"""Studies that the explorer is tested on: images, a table with missing values, texts, numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_digits, load_iris

import lookalike
from lookalike.web.explorer import explore_study, open_exploration

SUBJECTS = {
    "space": "rocket orbit moon launch shuttle planet engine satellite",
    "cooking": "oven flour butter sugar recipe boil salt pepper",
}


def quick_study(data, *arguments, models=("baseline", "knn", "lda"), **options):
    """Return a study that compares few models."""
    return lookalike.study(data, *arguments, time=None, models=models, **options)


@pytest.fixture(scope="session")
def digits_csv(tmp_path_factory):
    """Write 1,000 images as csv, a few of them with a wrong label."""
    X, y = load_digits(return_X_y=True)
    labels = y[:1000].copy()
    labels[::97] = (labels[::97] + 1) % 10
    path = tmp_path_factory.mktemp("digits") / "digits.csv"
    names = [f"pixel_{i}_{j}" for i in range(8) for j in range(8)]
    part = np.where(np.arange(1000) % 5 == 3, "test", "train")
    rows = np.column_stack([X[:1000], labels]).astype(int).astype(str)
    rows = np.column_stack([part, rows])
    np.savetxt(path, rows, "%s", ",", header=",".join(["part", *names, "digit"]), comments="")
    return path


@pytest.fixture(scope="session")
def digits_folder(digits_csv):
    """Return the folder of a study of images whose winner is K-NN."""
    folder = digits_csv.parent / "study"
    study = quick_study(digits_csv, target="digit", split="part", models=("baseline", "knn"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lookalike.report.write_study.write_page", lambda _, path: path.touch())
        lookalike.write_study(study, folder)
    return folder


@pytest.fixture(scope="session")
def digits(digits_folder):
    """Return the exploration of the folder of a study of images; labels stay as they are."""
    return open_exploration(digits_folder)


def mixed_rows(n_rows=200):
    """Return rows of numbers and categories, some missing, and their classes."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(n_rows, 3)).round(2)
    town = rng.choice(["Graz", "Linz", "<b>Wien</b>"], n_rows)
    score = numbers @ [2.0, -1.0, 0.5] + (town == "Graz") + 0.3 * rng.normal(size=n_rows)
    label = np.where(score > 0, "yes", "no")
    cells = numbers.astype(object)
    cells[rng.random(cells.shape) < 0.1] = None
    return [
        {"a": a, "b": b, "c": c, "town": place if keep else None,
         "split": "test" if i % 4 == 0 else "train", "label": str(answer)}
        for i, ((a, b, c), place, keep, answer) in enumerate(
            zip(cells.tolist(), town.tolist(), rng.random(n_rows) > 0.1, label, strict=True)
        )
    ]  # fmt: skip


@pytest.fixture(scope="session")
def table_study(tmp_path_factory):
    """Return a study of a table with missing values whose winner is not a neighbor model."""
    path = tmp_path_factory.mktemp("table") / "table.jsonl"
    path.write_text("\n".join(map(json.dumps, mixed_rows())), encoding="utf-8")
    models = ("baseline", "knn_weighted", "logistic")
    return quick_study(path, target="label", split="split", models=models)


@pytest.fixture(scope="session")
def table(table_study):
    """Return the exploration of a table with missing values."""
    return explore_study(table_study)


@pytest.fixture(scope="session")
def texts(tmp_path_factory):
    """Return the exploration of a study of texts."""
    rng = np.random.default_rng(0)
    rows = []
    for number in range(90):
        subject = list(SUBJECTS)[number % 2]
        words = [*rng.choice(SUBJECTS[subject].split(), 5), *rng.choice(["the", "a", "and"], 4)]
        rows.append({"text": " ".join(rng.permutation(words)), "subject": subject})
    path = tmp_path_factory.mktemp("texts") / "texts.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return explore_study(lookalike.study(path, target="subject", text="text", time=None))


@pytest.fixture(scope="session")
def regression():
    """Return the exploration of a study of numbers."""
    X, y = load_diabetes(return_X_y=True)
    return explore_study(quick_study(X[:150], y[:150], models=("baseline", "knn_weighted")))


@pytest.fixture(scope="session")
def exploratory():
    """Return the exploration of a study without a target."""
    return explore_study(quick_study(load_iris().data, task="exploratory"))
