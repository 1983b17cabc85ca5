"""Rows of a source as the numbers of a fitted preprocessor."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lookalike import PCA, NearestNeighbors
from lookalike.data import open_source
from lookalike.models.preprocessing.encoded_source import EncodedSource
from lookalike.models.preprocessing.table import TablePreprocessor


@pytest.fixture
def source(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=200), "b": rng.choice(["x", "y", "z"], 200)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    return open_source(tmp_path / "t.csv")


def test_chunks_are_the_rows_that_transform_returns(source):
    preprocessor = TablePreprocessor().fit(source)
    chunks = list(EncodedSource(source, preprocessor).chunks(64))
    assert [chunk.offset for chunk in chunks] == [0, 64, 128, 192]
    rows = np.concatenate([chunk.X for chunk in chunks])
    np.testing.assert_array_equal(rows, preprocessor.transform(source))
    table = next(EncodedSource(source, preprocessor).tables(64))
    assert list(table.values) == ["a", "b=x", "b=y", "b=z"]


def test_models_are_fitted_to_it_as_to_the_rows_in_memory(source):
    preprocessor = TablePreprocessor().fit(source)
    rows = preprocessor.transform(source)
    encoded = EncodedSource(source, preprocessor)
    streamed = PCA(2, engine="stream").fit(encoded)
    np.testing.assert_allclose(streamed.components_, PCA(2).fit(rows).components_, atol=1e-10)
    near = NearestNeighbors(3, engine="stream").fit(encoded).kneighbors(rows[:9])
    expected = NearestNeighbors(3).fit(rows).kneighbors(rows[:9])
    np.testing.assert_array_equal(near[1], expected[1])
