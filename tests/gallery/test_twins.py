"""Whichever model wins a study, scikit-learn answers every held-out row as it does."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris

import lookalike
from lookalike.studies.select.candidates import ALL_CANDIDATES
from lookalike.studies.select.preparation import choose_preparation
from lookalike.studies.select.text_candidates import TEXT_CANDIDATES

GALLERY = Path(__file__).parents[2] / "gallery"


@pytest.fixture(scope="module")
def studies():
    sys.path.insert(0, str(GALLERY))
    yield import_module("studies")
    sys.path.remove(str(GALLERY))


def agree(studies, study, rows, target):
    """Assert that all held-out predictions are those computed again, but for rounding of ties."""
    known = studies.Known(None, {}, rows, target)
    expected, clear = studies.predicted_again(study, known)
    predicted = study.predictions.y_pred
    if study.task == "regression":
        np.testing.assert_allclose(expected.astype(float), predicted, rtol=1e-7)
        return
    assert len(predicted) > 20
    other = expected != predicted
    assert (clear[other] < studies.ROUNDING).all(), clear[other]
    assert np.count_nonzero(other) <= 1
    evaluated = np.where(other, predicted, expected)
    wrong = (evaluated != target[study.predictions.row]).mean()
    assert study.held_out.error == pytest.approx(wrong * study.held_out.refit_factor, rel=1e-12)


@pytest.fixture(scope="module")
def preparations():
    return {}


@pytest.fixture(autouse=True)
def predictions_alone(monkeypatch, preparations):
    """Leave out what a study does besides: only its predictions are compared.

    How the same rows are prepared is chosen once for all candidates.
    """

    def choose_once(dataset, request, decisions):
        key = (*dataset.names, request.metric, request.task.name, dataset.row.tobytes())
        if key not in preparations:
            preparations[key] = choose_preparation(dataset, request, decisions)
        return preparations[key]

    for module in ("fold_work", "kept_model"):
        monkeypatch.setattr(f"lookalike.studies.select.{module}.choose_preparation", choose_once)
    monkeypatch.setattr("lookalike.studies.study.search_leakage", lambda *_, **__: None)
    monkeypatch.setattr("lookalike.studies.analyze.analyses._run", lambda *_: None)


def only(monkeypatch, name):
    for place, entries in (
        ("ALL_CANDIDATES", ALL_CANDIDATES),
        ("TEXT_CANDIDATES", TEXT_CANDIDATES),
    ):
        chosen = tuple(entry for entry in entries if entry.name == name)
        monkeypatch.setattr(f"lookalike.studies.select.fold_work.{place}", chosen)


def mixed(n: int = 260) -> pd.DataFrame:
    """Numbers, categories and missing values in both."""
    rng = np.random.default_rng(0)
    ill = rng.integers(2, size=n)
    table = pd.DataFrame(
        {
            "age": (40 + 15 * ill + 9 * rng.normal(size=n)).round(),
            "pulse": 70 + 6 * ill + 8 * rng.normal(size=n),
            "town": np.where(rng.random(n) < 0.3 + 0.4 * ill, "Graz", "Linz").astype(object),
            "work": rng.choice(["desk", "field", "none"], n),
            "ill": np.array(["no", "yes"])[ill],
        }
    )
    table.loc[::7, "age"] = np.nan
    table.loc[::11, "town"] = None
    return table


def texts(n: int = 120) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    subjects = (["motor", "wheel", "brake", "road", "oil"], ["leaf", "root", "stem", "oil", "soil"])
    documents = [
        " ".join([*rng.choice(subjects[i % 2], 3), *rng.choice(["the", "and"], 2)])
        for i in range(n)
    ]
    return pd.DataFrame(
        {"text": documents, "about": np.array(["cars", "plants"])[np.arange(n) % 2]}
    )


@pytest.mark.parametrize("name", [entry.name for entry in ALL_CANDIDATES])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_of_numbers(studies, monkeypatch, name, load):
    X, y = load(return_X_y=True)
    only(monkeypatch, name)
    agree(studies, lookalike.study(X, y), X, y)


@pytest.mark.parametrize("name", [entry.name for entry in ALL_CANDIDATES])
def test_of_images(studies, monkeypatch, name):
    X, y = load_digits(return_X_y=True)
    only(monkeypatch, name)
    study = lookalike.study(X[:300].astype(np.uint8), y[:300])
    agree(studies, study, X[:300], y[:300])


@pytest.mark.parametrize("name", [entry.name for entry in ALL_CANDIDATES])
@pytest.mark.parametrize("metric", ["euclidean", "gower"])
def test_of_mixed_columns_with_missing_values(studies, monkeypatch, name, metric):
    table = mixed()
    only(monkeypatch, name)
    study = lookalike.study(table, target="ill", metric=metric)
    agree(studies, study, table, table.ill.to_numpy().astype(str))


@pytest.mark.parametrize("name", [one.name for one in ALL_CANDIDATES if "regression" in one.tasks])
def test_of_regression(studies, monkeypatch, name):
    X, y = load_diabetes(return_X_y=True)
    only(monkeypatch, name)
    agree(studies, lookalike.study(X, y), X, y)


@pytest.mark.parametrize("name", [entry.name for entry in TEXT_CANDIDATES])
def test_of_texts(studies, monkeypatch, name):
    table = texts()
    only(monkeypatch, name)
    study = lookalike.study(table, target="about", text="text")
    agree(studies, study, table.text.tolist(), table.about.to_numpy().astype(str))
