"""Columns of any kind become numbers, as they were in the rows of fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from lookalike import KNeighborsClassifier, TablePreprocessor
from lookalike.errors import ColumnError, MissingValueError, ParameterError, ShapeError


@parametrize_with_checks(
    [TablePreprocessor(), TablePreprocessor(scale="none"), TablePreprocessor(encoding="codes")]
)
def test_it_is_an_estimator_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture
def people():
    return pd.DataFrame(
        {
            "age": [30.0, 50.0, np.nan, 40.0],
            "town": ["Graz", "Linz", None, "Graz"],
            "born": pd.to_datetime(["1970-01-02", "1970-01-04", None, "1970-01-03"]),
        }
    )


def test_numbers_become_z_scores_and_categories_columns_of_their_own(people):
    rows = TablePreprocessor().fit_transform(people)
    assert list(rows.columns) == ["age", "born", "town=Graz", "town=Linz", "town=(missing)"]
    filled = np.array([30.0, 50.0, 40.0, 40.0])
    np.testing.assert_allclose(rows["age"], (filled - 40) / filled.std())
    half = np.sqrt(0.5)
    np.testing.assert_allclose(rows["town=Graz"], [half, 0, 0, half])
    np.testing.assert_allclose(rows["town=(missing)"], [0, 0, half, 0])
    assert rows["born"].iloc[2] == pytest.approx(0)


def test_codes_are_what_gower_takes_with_gaps_as_nan(people):
    preparer = TablePreprocessor(encoding="codes", scale="none").fit(people[["age", "town"]])
    rows = preparer.transform(people[["age", "town"]]).to_numpy()
    np.testing.assert_array_equal(rows, [[30, 0], [50, 1], [np.nan, np.nan], [40, 0]])
    assert preparer.categorical_ == (1,)
    new = preparer.transform(pd.DataFrame({"age": [1.0], "town": ["Wien"]})).to_numpy()
    assert new[0, 1] == 2  # equals none of those met
    model = KNeighborsClassifier(
        1, metric="gower", metric_params={"categorical": [1]}, missing="present"
    ).fit(rows, list("abca"))
    assert model.predict(rows[[0, 1]]).tolist() == ["a", "b"]


def test_other_columns_may_be_there_and_missing_ones_are_named(people):
    preparer = TablePreprocessor({"age": "number"}).fit(people)
    wider = people.assign(other=1)[["other", "age"]]
    assert preparer.transform(wider).shape == (4, 1)
    with pytest.raises(ColumnError, match="lacks 1 of the 1 columns of fit: 'age'"):
        preparer.transform(people[["town"]])


def test_small_whole_numbers_become_float32_that_holds_them_exactly():
    rows = TablePreprocessor(scale="none").fit_transform(np.arange(6, dtype=np.uint8).reshape(3, 2))
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows, np.arange(6).reshape(3, 2))


def test_each_number_of_the_answer_knows_its_column(people):
    preparer = TablePreprocessor().fit(people)
    assert preparer.origins() == ["age", "born", "town", "town", "town"]


def test_what_cannot_be_honored_is_said():
    with pytest.raises(ParameterError, match="scale='range'"):
        TablePreprocessor(scale="range").fit([[1.0]])
    with pytest.raises(MissingValueError, match="inf at row 1"):
        TablePreprocessor().fit([[1.0], [np.inf]])
    with pytest.raises(ShapeError, match="No column is left"):
        TablePreprocessor().fit(
            pd.DataFrame({"t": [f"a long text number {n} " * 9 for n in range(30)]})
        )
