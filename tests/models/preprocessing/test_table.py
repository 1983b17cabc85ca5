"""Columns of any kind become numbers, as they were in the rows of fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from lookalike import KNeighborsClassifier, TablePreprocessor, config
from lookalike.errors import (
    ColumnError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)


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


@pytest.fixture
def many():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 12, 500),
            "town": rng.choice(["Graz", "Linz", "Wien"], 500),
            "rooms": rng.integers(1, 9, 500),
            "heating": rng.choice(["gas", "oil"], 500),
        }
    )
    frame.loc[frame.index % 7 == 0, "age"] = np.nan
    frame.loc[frame.index % 11 == 3, "town"] = None
    return frame


def chunks_of(frame):
    """Return a stream of the rows of `frame`, as a source that can be read again."""
    return lambda: (frame.iloc[start : start + 60] for start in range(0, len(frame), 60))


@pytest.mark.parametrize("encoding", ["onehot", "codes"])
def test_every_engine_and_source_gives_the_same_rows(engine, many, encoding):
    expected = TablePreprocessor(encoding=encoding).fit_transform(many).to_numpy()
    model = TablePreprocessor(encoding=encoding, engine=engine, n_jobs=2)
    for table in (many, chunks_of(many)):
        rows = np.asarray(model.fit(table).transform(table))
        np.testing.assert_allclose(rows, expected, rtol=1e-12, atol=1e-13)


def test_partitions_of_dask_give_the_same_rows_in_chunks_of_any_size(cluster, many):
    dd = pytest.importorskip("dask.dataframe")
    expected = TablePreprocessor().fit_transform(many).to_numpy()
    spread = dd.from_pandas(many, npartitions=3)
    with config(memory=32 * 4 * 8 * 50):  # chunks of 50 rows
        model = TablePreprocessor().fit(spread)
        rows = np.asarray(model.transform(spread))
    assert model.decisions_.about("engine")[0].choice == "dask"
    np.testing.assert_allclose(rows, expected, rtol=1e-12, atol=1e-13)


def test_a_stream_that_is_read_once_is_enough_for_fit(many):
    model = TablePreprocessor().fit(chunks_of(many)())
    np.testing.assert_allclose(model.fill_, many[["age", "rooms"]].mean())


def test_n_jobs_that_names_no_threads_is_an_error(many):
    with pytest.raises(ParameterError, match="n_jobs=0"):
        TablePreprocessor(n_jobs=0).fit(many)


def test_what_was_imputed_and_encoded_is_recorded(many):
    decisions = TablePreprocessor().fit(many).decisions_
    assert str(decisions.about("missing values")[0]) == (
        "missing values: imputed with the mean (missing in 1 column: age)"
    )
    assert decisions.about("categories")[0].choice == "one-hot encoded"
    assert decisions.about("categories")[0].reason == "2 columns: town, heating"
    codes = TablePreprocessor(encoding="codes").fit(many).decisions_
    assert codes.about("categories")[0].choice == "encoded as codes"


def test_a_constant_column_is_only_shifted_whatever_its_value():
    rows = TablePreprocessor().fit_transform(np.full((7, 1), 0.1))
    np.testing.assert_allclose(rows, 0, atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_whose_sum_overflows_are_prepared_without_a_warning(dtype):
    X = np.full((50, 2), np.finfo(dtype).max / 2, dtype)
    X[::2, 1] = 0.0
    np.testing.assert_array_equal(TablePreprocessor(scale="none").fit_transform(X), X)


def test_codes_of_later_rows_are_the_categories_that_they_were_in_fit():
    codes = np.array(["00501", "07001", "10001", "20002"])[np.arange(40) % 4]
    frame = pd.DataFrame({"zip": codes, "size": np.arange(40.0)})
    later = pd.DataFrame({"zip": ["20002", "10001"], "size": [1.0, 2.0]})
    encoder = TablePreprocessor(scale="none").fit(frame)
    expected = encoder.transform(pd.concat([frame, later])).tail(2)
    pd.testing.assert_frame_equal(encoder.transform(later), expected)
    numbers = later.astype({"zip": int})
    pd.testing.assert_frame_equal(encoder.transform(numbers), expected)
    model = KNeighborsClassifier(1, metric="gower").fit(frame.assign(size=0.0), codes)
    assert model.predict(later.assign(size=0.0)).tolist() == ["20002", "10001"]


def test_a_matrix_has_the_columns_of_a_frame_in_their_order():
    frame = pd.DataFrame({"age": [30.0, 40.0, 60.0], "income": [1.0, 5.0, 2.0]})
    model = TablePreprocessor(columns={"income": "number", "age": "number"}).fit(frame)
    with pytest.warns(UserWarning, match="feature names"):
        rows = model.transform(frame.to_numpy())
    np.testing.assert_array_equal(rows, model.transform(frame).to_numpy())


def test_a_matrix_is_refused_where_fit_had_more_than_numbers():
    frame = pd.DataFrame({"age": [30.0, 40.0], "town": ["Graz", "Linz"]})
    model = TablePreprocessor().fit(frame)
    with (
        pytest.warns(UserWarning, match="feature names"),
        pytest.raises(ParameterTypeError, match="1 held categories or dates"),
    ):
        model.transform(np.ones((2, 2)))
