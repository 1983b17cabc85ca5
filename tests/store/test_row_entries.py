"""Whatever a model keeps for each training row is found in its file, for every estimator."""

from __future__ import annotations

import pytest
import store_cases
from public_estimators import PUBLIC_ESTIMATORS, RETURNED_ESTIMATORS
from sklearn.base import is_regressor
from sklearn.pipeline import make_pipeline

import lookalike
from lookalike import load, save
from lookalike.models.ensemble import WeightedEnsembleClassifier
from lookalike.store.encode import Encoder
from lookalike.store.row_entries import row_entries

N_ROWS = 61  # no other length of a small model
X, Y = store_cases.rows(0, N_ROWS)
TEXTS = [f"cat{i % 2} ran sat{i % 3} mat{i % 5}" for i in range(N_ROWS)]
ESTIMATORS = PUBLIC_ESTIMATORS | RETURNED_ESTIMATORS
MEMBERS = {
    "WeightedEnsembleClassifier": [("near", lookalike.KNeighborsClassifier(3))],
    "WeightedEnsembleRegressor": [("near", lookalike.KNeighborsRegressor(3))],
}


def fit_by_name(name):
    given = {"estimators": MEMBERS[name], "cv": 2} if name in MEMBERS else {}
    model = ESTIMATORS[name](**store_cases.GIVEN.get(name, given))
    if name in (*store_cases.OF_TEXTS, "NgramWeights"):
        return model.fit(TEXTS)
    return model.fit(X, X[:, 0] if is_regressor(model) else Y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_arrays_as_long_as_the_rows_are_named_for_every_estimator(name):
    model, encoder = fit_by_name(name), Encoder()
    encoder.encode(model, name)
    held = [array.shape for array in encoder.arrays if array.shape[:1] == (N_ROWS,)]
    entries = [one.shape for one in row_entries(model)]
    assert sorted(shape for shape in entries if shape in held) == sorted(held)


@pytest.mark.parametrize(
    "name",
    [
        *("KNeighborsClassifier", "KernelClassifier", "KernelRegressor", "KernelDensity"),
        *("ForestNeighborsClassifier", "BoostedNeighborsRegressor", "LabelSpreading", "DBSCAN"),
        *("KernelPCA", "KNNImputer", "LSA", "NeighborMap", "Ridge", "HDBSCAN"),
    ],
)
def test_models_of_rows_name_some(name):
    assert {one.shape[0] for one in row_entries(fit_by_name(name))} == {N_ROWS}


@pytest.mark.parametrize("name", ["StandardScaler", "PCA", "GaussianMixtureClassifier"])
def test_models_of_sums_name_none(name):
    assert row_entries(fit_by_name(name)) == []


def test_steps_and_members_are_asked_too(tmp_path):
    inner = lookalike.KNeighborsClassifier(3)
    members = [("near", inner), ("soft", lookalike.KernelClassifier())]
    model = make_pipeline(
        lookalike.StandardScaler(), WeightedEnsembleClassifier(members, cv=2)
    ).fit(X, Y)
    entries = row_entries(model)
    assert any("members_" in one.name and "space_" in one.name for one in entries)
    save(model, tmp_path / "m")
    assert row_entries(load(tmp_path / "m")) == entries
