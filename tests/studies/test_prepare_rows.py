"""Rows are prepared for commands as for a study without a target."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lookalike
from lookalike.data import open_source
from lookalike.errors import ShapeError
from lookalike.models.preprocessing.table import TablePreprocessor
from lookalike.studies.prepare_rows import prepare_rows


@pytest.fixture
def table(tmp_path):
    """A mixed table in a csv file."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": rng.normal(5, 2, 400),
            "town": np.array(["Graz", "Linz"])[rng.integers(2, size=400)],
            "one": 1,
        }
    )
    frame.loc[::50, "size"] = np.nan
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def test_the_preparation_is_that_of_a_study_without_a_target(table):
    prepared = prepare_rows(open_source(table))
    study = lookalike.study(str(table), time="20s")
    chosen = [one for one in study.decisions if one.about == "preprocessing"]
    assert prepared.decisions.about("preprocessing") == chosen
    assert prepared.names == ["size", "town=Graz", "town=Linz"]


def test_rows_in_files_have_the_features_of_rows_in_memory(table):
    expected = prepare_rows(open_source(table))
    with lookalike.config(memory="60kB"):
        prepared = prepare_rows(open_source(table))
        assert not prepared.in_memory
        chunks = [chunk.X for chunk in prepared.feature_source().chunks(64)]
    assert len(chunks) > 2
    np.testing.assert_allclose(np.concatenate(chunks), _with_constant(expected), atol=1e-12)
    assert "described by" in str(prepared.decisions)
    assert "'one'" not in str(prepared.decisions)  # constant in a part of the rows, which stays


def _with_constant(prepared):
    return np.insert(prepared.features(), 1, 0.0, axis=1)


def test_rows_that_are_complete_numbers_are_not_copied_without_scaling():
    X = np.random.default_rng(0).integers(0, 255, (40, 3)).astype(np.uint8)
    prepared = prepare_rows(open_source(X), scale="none")
    assert prepared.unchanged
    assert prepared.features().dtype == np.uint8
    holes = np.where(X[3, 0] == X, np.nan, X)
    assert not prepare_rows(open_source(holes), scale="none").unchanged


def test_a_table_without_a_column_to_compare_is_an_error():
    with pytest.raises(ShapeError, match="No column is left to compare rows by"):
        prepare_rows(open_source(np.ones((30, 2))))


def test_means_of_features_are_told_in_the_units_of_the_table(table):
    frame = pd.read_csv(table)
    model = TablePreprocessor({"size": "number", "town": "category"}).fit(frame)
    Z = model.transform(frame).to_numpy()
    units = model.table_units(Z.mean(axis=0))
    shares = frame["town"].value_counts(normalize=True)
    np.testing.assert_allclose(units, [frame["size"].mean(), shares["Graz"], shares["Linz"]])
