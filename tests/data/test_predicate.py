import contextlib

import numpy as np
import pytest
from growth import require_linear

from lookalike.data.predicate import rows_where
from lookalike.errors import ColumnError, LookalikeError, ParameterError, ParameterTypeError

COLUMNS = {
    "age": np.array([20.0, 35.0, 50.0, np.nan]),
    "city": np.array(["Rome", "Oslo", "Rome", None], object),
    "net worth": np.array([1, 2, 3, 4]),
}


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("age > 30", [1, 2]),
        ("age > 30 and city == 'Rome'", [2]),
        ("city == 'Oslo' or `net worth` >= 3", [1, 2, 3]),
        ("not age > 30", [0, 3]),
        ("city in ['Oslo', 'Paris']", [1]),
        ("(age > 30) & ~(city == 'Rome')", [1]),
        ("20 < age <= 50", [1, 2]),
        ("age - 10 * `net worth` < 16", [0, 1]),
        ("city != 'Rome'", [1, 3]),
        ("age > -1", [0, 1, 2]),
    ],
)
def test_a_text_chooses_the_rows_that_satisfy_it(text, rows):
    assert np.flatnonzero(rows_where(text, COLUMNS)).tolist() == rows


def test_a_text_agrees_with_the_query_of_pandas():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({name: COLUMNS[name] for name in ("age", "net worth")})
    for text in ("age > 30 and `net worth` < 3", "age * 2 > 60 or `net worth` == 4"):
        chosen = frame.query(text).index.tolist()
        assert np.flatnonzero(rows_where(text, COLUMNS)).tolist() == chosen


def test_expressions_of_polars_and_narwhals_choose_rows():
    pl = pytest.importorskip("polars")
    import narwhals.stable.v2 as nw

    for col in (pl.col, nw.col):
        expression = (col("net worth") > 1) & (col("city") == "Rome")
        assert np.flatnonzero(rows_where(expression, COLUMNS)).tolist() == [2]


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "age.mean() > 3",
        "[x for x in age]",
        "lambda: 1",
        "age[0]",
    ],
)
def test_a_text_reaches_nothing_but_columns_and_constants(text):
    with pytest.raises(ParameterError, match="neither a comparison nor arithmetic"):
        rows_where(text, COLUMNS)


def test_wrong_conditions_are_refused_in_a_sentence():
    with pytest.raises(ParameterError, match="is not a condition"):
        rows_where("age >", COLUMNS)
    with pytest.raises(ColumnError, match="names the column 'Rome'"):
        rows_where("city == Rome", COLUMNS)
    with pytest.raises(ParameterTypeError, match="not True or False for each"):
        rows_where("age + 1", COLUMNS)
    with pytest.raises(ParameterError, match="compares what cannot be compared"):
        rows_where("city > 3", COLUMNS)
    with pytest.raises(ColumnError, match="uses the column 'height'"):
        rows_where(lambda rows: rows["height"] > 1, COLUMNS)


@pytest.mark.parametrize(
    "where",
    [
        "town == 'x' * 10000000000",
        "age in [1] * 1000000000",
        "'%1000000000d' % 5 == 'x'",
        "age > 1 / 0",
        "age > 5 % 0",
        "town % 5 == 1",
        "-town == 1",
        "not town",
        "age in {1, [2]}",
        "(" * 500 + "age" + ")" * 500 + " > 1",
        "not " * 5000 + "age > 1",
        "-" * 5000 + "age > 1",
        "age" + " + age" * 20_000 + " > 1",
        "age > " + "9" * 5000,
        "age > 1\0",
        "\ud800 > 1",
    ],
)
def test_a_condition_that_would_fill_memory_or_stack_is_refused(where):
    columns = {"age": np.arange(5.0), "town": np.array(list("abcde"))}
    with pytest.raises(ParameterError, match="where="):
        rows_where(where, columns)


def test_whole_numbers_do_not_grow_without_end():
    columns = {"age": np.arange(5)}
    product = " * ".join(["999999999999999999"] * 90)
    assert rows_where(f"age < {product}", columns).all()
    assert rows_where("age < 99999999999999999999999999", columns).all()


@pytest.mark.parametrize(
    "make_where",
    [
        lambda n: " and ".join(["age > 1"] * (n // 8)),
        lambda n: "`" * n + " > 1",
        lambda n: "`a" * n + " > 1",
        lambda n: "(" * n,
        lambda n: "'" + "a" * n,
        lambda n: "age in [" + "1," * n + "]",
        lambda n: "age " + "< 1 " * (n // 8),
    ],
)
def test_the_time_of_a_condition_grows_as_its_length(make_where):
    columns = {"age": np.arange(5.0)}

    def parse(where):
        with contextlib.suppress(LookalikeError):
            rows_where(where, columns)

    require_linear(parse, make_where, 4000)


def test_constants_stand_beside_columns_in_a_condition():
    columns = {"age": np.arange(5)}
    assert rows_where("age > 1 and True", columns).tolist() == [False, False, True, True, True]
    assert rows_where("0 < 1 < age <= 3", columns).tolist() == [False, False, True, True, False]
