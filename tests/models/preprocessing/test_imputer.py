"""Missing values filled with what is usual in their column."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.impute import SimpleImputer as PeerImputer

from lookalike import SimpleImputer
from lookalike.errors import (
    ParameterError,
    ParameterTypeError,
    RepeatError,
    ShapeError,
    UnsupportedError,
)

holed = arrays(
    np.float64,
    st.tuples(st.integers(1, 25), st.integers(1, 3)),
    elements=st.one_of(st.just(np.nan), st.floats(-1e9, 1e9)),
).filter(lambda X: (~np.isnan(X)).any(axis=0).all())


@given(holed)
def test_medians_equal_numpys_to_the_last_bit_but_one(X):
    result = SimpleImputer("median").fit(X).statistics_
    np.testing.assert_allclose(result, np.nanmedian(X, axis=0), rtol=1e-15, atol=1e-300)


@given(holed)
def test_means_equal_numpys(X):
    result = SimpleImputer("mean").fit(X).statistics_
    scale = np.nanmax(np.abs(X), axis=0)
    assert (np.abs(result - np.nanmean(X, axis=0)) <= 1e-14 * scale).all()


def test_the_mode_is_the_most_frequent_value_and_the_smallest_of_several():
    X = np.array([[2.0, 5.0], [1.0, 5.0], [2.0, 4.0], [1.0, 4.0], [3.0, np.nan]])
    assert SimpleImputer("most_frequent").fit(X).statistics_.tolist() == [1.0, 4.0]


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent"])
def test_whole_weights_count_as_repeated_rows(strategy):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, size=(40, 3)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    weight = rng.integers(0, 4, 40)
    weighted = SimpleImputer(strategy).fit(X, sample_weight=weight).statistics_
    repeated = SimpleImputer(strategy).fit(np.repeat(X, weight, axis=0)).statistics_
    np.testing.assert_allclose(weighted, repeated, rtol=1e-14)


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent"])
def test_every_engine_finds_the_same_values(engine, strategy):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 50, size=(300, 4)) / 7
    X[rng.random(X.shape) < 0.1] = np.nan
    here = SimpleImputer(strategy).fit(X).statistics_
    there = (
        SimpleImputer(strategy, engine=engine).fit(lambda: iter(np.array_split(X, 5))).statistics_
    )
    np.testing.assert_allclose(there, here, rtol=1e-14)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_categories_get_their_mode_and_text_stays(library):
    module = pytest.importorskip(library)
    rows = {
        "age": [20.0, None, 40.0, 30.0],
        "town": ["Graz", "Linz", None, "Graz"],
        "children": [1, 2, None, 4],
        "dog": [True, False, True, True],
    }
    frame = module.table(rows) if library == "pyarrow" else module.DataFrame(rows)
    model = SimpleImputer("median").fit(frame)
    filled = model.transform(frame)
    assert type(filled) is type(frame)
    assert [float(v) for v in filled["age"].to_numpy()] == [20.0, 30.0, 40.0, 30.0]
    town = filled["town"].to_pylist() if library == "pyarrow" else list(filled["town"])
    assert town == ["Graz", "Linz", "Graz", "Graz"]
    assert [float(v) for v in filled["children"].to_numpy()] == [1.0, 2.0, 2.0, 4.0]


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant"])
@pytest.mark.parametrize("keep", [False, True])
def test_fill_values_and_rows_are_those_of_scikit_learn(strategy, keep):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 5, size=(30, 4)).astype(float)
    X[rng.random(X.shape) < 0.3] = np.nan
    X[:, 2] = np.nan
    fill = 7.0 if strategy == "constant" else None
    ours = SimpleImputer(strategy, fill_value=fill, keep_empty_features=keep)
    peer = PeerImputer(strategy=strategy, fill_value=fill, keep_empty_features=keep)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours.fit(X)
        expected = peer.fit_transform(X)
        np.testing.assert_allclose(ours.transform(X), expected, rtol=1e-14)
    np.testing.assert_allclose(ours.statistics_, peer.statistics_.astype(float), rtol=1e-14)
    assert list(ours.get_feature_names_out()) == list(peer.get_feature_names_out())


def test_a_column_without_a_value_is_dropped_from_a_frame_as_well():
    frame = pd.DataFrame({"a": [1.0, None], "empty": [None, None], "town": ["Graz", None]})
    with pytest.warns(UserWarning, match=r"without any observed values: \['empty'\]"):
        filled = SimpleImputer().fit_transform(frame)
    assert filled.to_dict("list") == {"a": [1.0, 1.0], "town": ["Graz", "Graz"]}


def test_a_constant_fills_numbers_and_categories():
    frame = pd.DataFrame({"a": [1.0, None], "town": ["Graz", None]})
    filled = SimpleImputer("constant", fill_value="unknown").fit_transform(frame)
    assert filled.to_dict("list") == {"a": [1.0, 0.0], "town": ["Graz", "unknown"]}
    filled = SimpleImputer("constant", fill_value=-1).fit_transform(frame)
    assert filled.to_dict("list") == {"a": [1.0, -1.0], "town": ["Graz", "missing_value"]}


def test_a_column_without_a_value_warns_and_becomes_zero_where_it_is_kept():
    X = np.array([[1.0, np.nan], [2.0, np.nan]])
    with pytest.warns(UserWarning, match="Column 'x1' has no value at all"):
        model = SimpleImputer(keep_empty_features=True).fit(X)
    assert model.transform(X)[:, 1].tolist() == [0.0, 0.0]
    assert model.decisions_.about("x1")[0].reason == "every value is missing"


def test_a_median_of_rows_that_can_be_read_once_is_an_error():
    with pytest.raises(RepeatError, match="only once"):
        SimpleImputer("median").fit(iter([np.eye(3)]))


def test_a_mean_of_rows_that_can_be_read_once_is_fine():
    assert SimpleImputer().fit(iter([np.eye(2), np.eye(2)])).statistics_.tolist() == [0.5, 0.5]


def test_the_stored_values_of_sparse_rows_are_filled_and_zeros_count():
    dense = np.array([[1.0, np.nan], [0.0, 6.0], [5.0, 0.0]])
    for strategy in ("mean", "median", "most_frequent"):
        model = SimpleImputer(strategy).fit(sp.csr_array(dense))
        expected = SimpleImputer(strategy).fit(dense)
        np.testing.assert_allclose(model.statistics_, expected.statistics_)
        filled = model.transform(sp.csr_array(dense))
        np.testing.assert_allclose(filled.toarray(), expected.transform(dense))
    with pytest.raises(ParameterError, match="Provide a dense array"):
        SimpleImputer(missing_values=0).fit(sp.csr_array(dense))


def test_indicators_say_what_was_missing_and_bring_it_back():
    X = np.array([[1.0, -1.0, 3.0], [4.0, 5.0, -1.0], [7.0, 8.0, 9.0]])
    model = SimpleImputer(missing_values=-1.0, add_indicator=True)
    filled = model.fit_transform(X)
    np.testing.assert_array_equal(filled[:, 3:], [[1, 0], [0, 1], [0, 0]])
    assert model.get_feature_names_out().tolist()[3:] == [
        "missingindicator_x1",
        "missingindicator_x2",
    ]
    np.testing.assert_array_equal(model.inverse_transform(filled), X)
    with pytest.raises(ParameterError, match="add_indicator=False"):
        SimpleImputer().fit(X).inverse_transform(X)


def test_a_function_is_given_the_values_of_a_column():
    X = np.array([[1.0, 9.0], [np.nan, 2.0], [5.0, np.nan]])
    assert SimpleImputer(np.max).fit_transform(X).tolist() == [[1.0, 9.0], [5.0, 2.0], [5.0, 9.0]]


def test_objects_of_several_kinds_have_a_most_frequent_one_and_no_mean():
    frame = pd.DataFrame({"kinds": ["a", 4, None], "counts": [3, 6, 6]}, dtype=object)
    assert SimpleImputer("most_frequent").fit_transform(frame)["kinds"].tolist() == ["a", 4, 4]
    with pytest.raises(ParameterError, match="non-numeric data"):
        SimpleImputer().fit(frame)


def test_what_is_done_cell_by_cell_needs_rows_in_memory():
    with pytest.raises(ParameterTypeError, match="rows in memory"):
        SimpleImputer(add_indicator=True).fit(iter([np.eye(3)]))
    with pytest.raises(UnsupportedError, match="sample_weight"):
        SimpleImputer(np.max).fit(np.eye(3), sample_weight=np.ones(3))


def test_an_unknown_strategy_is_an_error():
    with pytest.raises(ParameterError, match="strategy='max' is not known"):
        SimpleImputer("max").fit(np.eye(2))


@pytest.mark.parametrize("fill_value", [None, "elsewhere"])
def test_a_category_that_is_new_fills_a_column_of_categories(fill_value):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    table = pd.DataFrame({"place": pd.Categorical(["u", None, "v"])})
    filled = SimpleImputer(strategy="constant", fill_value=fill_value).fit_transform(table)
    assert filled["place"].tolist() == ["u", fill_value or "missing_value", "v"]
    assert filled["place"].dtype == "category"


def test_a_sparse_array_of_one_dimension_is_refused():
    with pytest.raises(ShapeError, match="Give rows and columns"):
        SimpleImputer().fit(sp.coo_array(np.array([1.0, 0.0, 2.0])))
