"""Data frames of every library as sources, and answers of the same kind (cases 41-43)."""

import datetime as dt
from decimal import Decimal

import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from lookalike.data import Column, finite, gather, open_source
from lookalike.data.sources.frames import like
from lookalike.errors import (
    ColumnError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)

NUMBERS = {"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]}
MAKERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def kinds_of(source):
    return {column.name: column.kind for column in source.columns}


def test_numbers_of_any_frame_become_one_matrix(make):
    source = open_source(make(NUMBERS))
    assert (source.n_rows, source.n_features, source.repeatable) == (3, 2, True)
    chunks = list(source.chunks(2))
    assert [chunk.offset for chunk in chunks] == [0, 2]
    assert np.concatenate([chunk.X for chunk in chunks]).tolist() == [[1, 4], [2, 5], [3, 6]]


def test_a_narwhals_frame_and_a_record_batch_are_frames_too():
    assert gather(open_source(narwhals.from_native(pl.DataFrame(NUMBERS)))).X.shape == (3, 2)
    assert gather(open_source(pa.record_batch(NUMBERS))).X.shape == (3, 2)


@pytest.mark.parametrize("dtype", ["float32", "int16", "uint8", "bool"])
def test_a_type_that_all_columns_share_is_kept(make, dtype):
    frame = make({name: np.array([0, 1, 1], dtype) for name in "ab"})
    assert open_source(frame).dtype == dtype
    assert next(open_source(frame).chunks()).X.dtype == dtype


def test_kinds_are_recognized(make):
    frame = make(
        {
            "number": [1, 2, 3],
            "boolean": [True, False, True],
            "category": ["x", "y", "x"],
            "date": [dt.datetime(2020, 1, day) for day in (1, 2, 3)],
            "text": ["a long text " * 20, "another one " * 20, "a third one " * 20],
        }
    )
    source = open_source(frame)
    assert (
        kinds_of(source) == {name: name for name in frame.columns}
        if not isinstance(frame, pa.Table)
        else True
    )
    (table,) = source.tables()
    assert table.values["category"].tolist() == ["x", "y", "x"]
    assert table.values["date"].dtype == "datetime64[us]"
    assert table.values["boolean"].tolist() == [1, 0, 1]


def test_mostly_distinct_strings_are_text_and_few_are_categories(make):
    frame = make({"town": ["Graz", "Linz"] * 50, "name": [f"n{i}" for i in range(100)]})
    assert kinds_of(open_source(frame)) == {"town": "category", "name": "text"}


def test_null_and_nan_are_both_missing_and_named():
    frames = [
        pl.DataFrame({"a": [1.0, 2.0, None], "b": [1.0, float("nan"), 3.0]}),
        pa.table({"a": [1.0, 2.0, None], "b": [1.0, float("nan"), 3.0]}),
        pd.DataFrame({"a": pd.array([1, 2, pd.NA], "Float64"), "b": [1.0, float("nan"), 3.0]}),
    ]
    for frame in frames:
        source = open_source(frame)
        (chunk,) = source.chunks()
        np.testing.assert_array_equal(np.isnan(chunk.X), [[0, 0], [0, 1], [1, 0]])
        with pytest.raises(MissingValueError, match="row 1, column 'b'"):
            finite(chunk, source.columns)


@pytest.mark.parametrize(
    "dtype", ["Int64", "Int8", "Float32", "boolean", "int64[pyarrow]", "bool[pyarrow]"]
)
def test_pandas_na_of_every_nullable_type_is_missing_at_its_row_and_column(dtype):
    source = open_source(pd.DataFrame({"ok": [1, 0, 1], "c": pd.array([1, None, 0], dtype)}))
    (chunk,) = source.chunks()
    with pytest.raises(MissingValueError, match="NaN at row 1, column 'c'"):
        finite(chunk, source.columns)
    assert chunk.X[[0, 2], 1].tolist() == [1.0, 0.0]


def test_text_where_numbers_are_needed_is_named_by_column_row_and_value(make):
    frame = make({"age": ["1", None, "abc"], "pay": [1, 2, 3]})
    with pytest.raises(ColumnError, match="column 'age' holds text: 'abc' at row 2"):
        next(open_source(frame).chunks(1))


def test_dates_where_numbers_are_needed_are_named(make):
    frame = make({"when": [dt.datetime(2020, 1, 1)] * 2, "pay": [1, 2]})
    with pytest.raises(ColumnError, match="column 'when' holds dates: '2020-01-01"):
        open_source(frame).chunks()


def test_mixed_types_in_a_column_are_typed_by_evidence():
    frame = pd.DataFrame({"zip": [8010, "A-4020", None], "pay": [1, 2, 3]})
    for types in (None, {"zip": "category"}):
        source = open_source(frame, types=types)
        (table,) = source.tables()
        assert kinds_of(source) == {"zip": "category", "pay": "number"}
        assert table.values["zip"].tolist() == [8010, "A-4020", None]
    with pytest.raises(ColumnError, match=r"holds \[1\] at row 0, which is neither a text"):
        open_source(pd.DataFrame({"a": [[1], [2]]}))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_strings_of_a_frame_are_numbers_where_nearly_all_are(make):
    charges = [str(i / 8) for i in range(60)]
    charges[7], charges[9] = " ", "unknown"
    codes = [f"{i % 5:02}" for i in range(60)]
    source = open_source(make({"charge": charges, "code": codes, "y": ["0", "1"] * 30}), target="y")
    (table,) = source.tables()
    assert kinds_of(source) == {"charge": "number", "code": "category"}
    expected = [np.nan if i in (7, 9) else i / 8 for i in range(60)]
    np.testing.assert_array_equal(table.values["charge"], expected)
    assert table.y.tolist() == ["0", "1"] * 30  # labels stay what they are
    assert "1 of 60 cells is not a number and becomes missing: 'unknown'" in str(source.decisions)


def test_objects_of_one_type_are_recognized():
    frame = pd.DataFrame(
        {
            "n": pd.Series([1, None, Decimal("2.5")], dtype=object),
            "b": pd.Series([True, False, None], dtype=object),
            "d": pd.Series([dt.date(2020, 1, 1)] * 3, dtype=object),
            "s": pd.Series(["x", None, float("nan")], dtype=object),
        }
    )
    source = open_source(frame)
    assert kinds_of(source) == {"n": "number", "b": "boolean", "d": "date", "s": "category"}
    (table,) = source.tables()
    np.testing.assert_array_equal(table.values["n"], [1, np.nan, 2.5])
    np.testing.assert_array_equal(table.values["b"], [1, 0, np.nan])
    assert table.values["s"].tolist() == ["x", None, None]
    assert str(table.values["d"][0]).startswith("2020-01-01")


def test_an_object_column_that_turns_to_text_late_is_named():
    late = pd.Series([1] * 10_000 + ["abc"], dtype=object)
    with pytest.warns(UserWarning, match="column 'n': 1 cells are not numbers .* at row 10000"):
        source = open_source(pd.DataFrame({"n": late}))
    assert np.isnan(gather(source).X[-1])


def test_declared_categories_are_told():
    pandas = open_source(pd.DataFrame({"c": pd.Categorical(["x", None], categories=["y", "x"])}))
    assert pandas.columns == (Column("c", "category", ("y", "x")),)
    ordered = pd.Categorical([2, 1], categories=[1, 2], ordered=True)
    assert open_source(pd.DataFrame({"c": ordered})).columns[0].categories == (1, 2)
    enum = pl.DataFrame({"c": pl.Series(["x", None], dtype=pl.Enum(["x", "z"]))})
    assert open_source(enum).columns == (Column("c", "category", ("x", "z")),)


def test_missing_categories_are_none_in_every_library():
    frames = [
        pd.DataFrame({"c": pd.Categorical(["x", None, "y"])}),
        pl.DataFrame({"c": pl.Series(["x", None, "y"], dtype=pl.Categorical)}),
        pa.table({"c": pa.array(["x", None, "y"]).dictionary_encode()}),
    ]
    for frame in frames:
        (table,) = open_source(frame).tables()
        assert table.values["c"].tolist() == ["x", None, "y"]


def test_columns_without_a_distance_are_refused_unless_left_out():
    frame = pl.DataFrame({"l": [[1], [2]], "a": [1, 2]})
    with pytest.raises(ColumnError, match=r"column 'l' is of type List"):
        open_source(frame)
    assert gather(open_source(frame, columns=["a"])).X.tolist() == [[1], [2]]


def test_two_columns_of_one_name_are_refused():
    frame = pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"])
    with pytest.raises(ColumnError, match="two columns named 'a', number 1 and 3"):
        open_source(frame)
    doubled = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(ColumnError, match="two columns named 'a'"):
        open_source(doubled)


def test_columns_on_two_levels_are_refused_and_rows_on_two_levels_are_read():
    names = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])
    with pytest.raises(ColumnError, match="2 levels"):
        open_source(pd.DataFrame([[1, 2]], columns=names))
    frame = pd.DataFrame({"a": [1, 2]}, index=names)
    assert gather(open_source(frame)).X.tolist() == [[1], [2]]


def test_column_names_that_are_numbers_become_text():
    frame = pd.DataFrame(np.eye(3), columns=[10, 20, 30])
    source = open_source(frame, target="20")
    assert [column.name for column in source.columns] == ["10", "30"]
    assert gather(source).y.tolist() == [0, 1, 0]


def test_pandas_sparse_columns_are_numbers():
    frame = pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 0.0, 1.0])})
    assert gather(open_source(frame)).X.tolist() == [[0], [0], [1]]


def test_target_and_weight_are_columns_by_name(make):
    frame = make({"a": [1, 2, 3], "w": [1, 1, 2], "y": ["p", "q", "p"]})
    source = open_source(frame, target="y", weight="w")
    assert [column.name for column in source.columns] == ["a"]
    chunks = list(source.chunks(2))
    assert [chunk.y.tolist() for chunk in chunks] == [["p", "q"], ["p"]]
    assert [chunk.weight.tolist() for chunk in chunks] == [[1.0, 1.0], [2.0]]


def test_several_targets_stand_side_by_side(make):
    (chunk,) = open_source(
        make({"a": [1, 2], "p": [3, 4], "q": [5, 6]}), target=["p", "q"]
    ).chunks()
    assert chunk.y.tolist() == [[3, 5], [4, 6]]


def test_labels_given_beside_the_frame_must_fit(make):
    assert gather(open_source(make(NUMBERS), y=pd.Series(["p", "q", "r"]))).y.tolist() == [
        "p",
        "q",
        "r",
    ]
    with pytest.raises(ShapeError, match="y holds 2 entries, X has 3 rows"):
        open_source(make(NUMBERS), y=[1, 2])
    with pytest.raises(ParameterError, match="Both y and target"):
        open_source(make(NUMBERS), y=[1, 2, 3], target="a")


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (
            {"target": "z"},
            "target names 'z', and there is no such column. The columns are 'a', 'b'",
        ),
        ({"columns": ["a", 7]}, "columns names 7"),
        ({"columns": ["a", "a"]}, "two columns named 'a'"),
        ({"columns": ["a"], "target": "a"}, "'a' is a feature and a target"),
        ({"weight": "w"}, "weight names 'w'"),
        ({"types": {"z": "text"}}, "types names 'z'"),
    ],
)
def test_columns_that_are_not_there_are_named(choice, message):
    with pytest.raises(ColumnError, match=message):
        open_source(pd.DataFrame(NUMBERS), **choice)


def test_a_kind_that_does_not_exist_or_fit_is_refused():
    with pytest.raises(ParameterError, match="type 'color'"):
        open_source(pd.DataFrame(NUMBERS), types={"a": "color"})
    with pytest.raises(ColumnError, match="holds no dates"):
        list(open_source(pd.DataFrame(NUMBERS), types={"a": "date"}).tables())
    with pytest.raises(ColumnError, match="column 'a' of type String holds no dates"):
        list(open_source(pd.DataFrame({"a": ["yesterday"]}), types={"a": "date"}).tables())


def test_no_rows_or_no_features_are_refused(make):
    with pytest.raises(ShapeError, match="no rows"):
        open_source(make({"a": np.array([], float)}))
    with pytest.raises(ShapeError, match="No column is left"):
        open_source(make({"a": [1.0]}), target="a")


@pytest.mark.parametrize("gap", [0, None])
def test_a_whole_number_that_float64_cannot_hold_warns_once_and_names_the_cell(make, gap):
    values = [1, gap, 2**53 + 1, 2**60 + 1]
    column = pd.array(values, "Int64") if make is pd.DataFrame else pa.array(values)
    frame = make({"a": [1, 2, 3, 4], "id": column if make is not pl.DataFrame else values})
    with pytest.warns(UserWarning, match=f"{2**53 + 1} at row 2, column 'id' is not exact") as seen:
        source = open_source(frame)
    assert len(seen) == 1
    gather(source)
    gather(open_source(frame, columns=["a"], target="id"))


def test_large_whole_numbers_that_are_exact_do_not_warn(make):
    gather(open_source(make({"a": [2**53, 2**60, -(2**62)]})))


def test_a_series_and_a_lazy_frame_are_refused_with_the_way_out():
    with pytest.raises(ShapeError, match="one dimension"):
        open_source(pd.Series([1.0, 2.0]))
    with pytest.raises(ParameterTypeError, match=r"data\.collect\(\)"):
        open_source(pl.LazyFrame(NUMBERS))


def test_the_frame_is_not_changed():
    frame = pd.DataFrame({"a": [1, 2], "s": ["x", None]})
    before = frame.copy(deep=True)
    list(open_source(frame).tables())
    pd.testing.assert_frame_equal(frame, before)


def test_ten_thousand_columns_are_read():
    frame = pd.DataFrame(np.ones((3, 10_000), np.float32), columns=[f"c{j}" for j in range(10_000)])
    assert gather(open_source(frame)).X.shape == (3, 10_000)


def test_like_returns_a_frame_of_the_same_kind():
    values = np.eye(3, 2)
    frame = pd.DataFrame(NUMBERS, index=["p", "q", "r"])
    got = like(frame, values, ["u", "v"])
    pd.testing.assert_frame_equal(
        got, pd.DataFrame(values, index=["p", "q", "r"], columns=["u", "v"])
    )
    assert like(pl.DataFrame(NUMBERS), values, ["u", "v"]).equals(
        pl.DataFrame(values, schema=["u", "v"])
    )
    assert like(pa.table(NUMBERS), values, ["u", "v"]).equals(
        pa.table({"u": values[:, 0], "v": values[:, 1]})
    )
    assert isinstance(
        like(narwhals.from_native(pl.DataFrame(NUMBERS)), values, ["u", "v"]), narwhals.DataFrame
    )


def test_like_returns_arrays_as_they_are():
    values = np.eye(2)
    assert like(np.ones((2, 3)), values, ["u", "v"]) is values
    assert like([[1, 2]], values, ["u", "v"]) is values


def test_like_keeps_the_index_with_two_levels():
    index = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)])
    assert like(pd.DataFrame(NUMBERS, index=index), np.eye(3), list("uvw")).index.equals(index)
