import numpy as np
import pytest

from lookalike.data.predicate import rows_where
from lookalike.errors import ColumnError, ParameterError, ParameterTypeError

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
    with pytest.raises(ParameterError, match="is no condition"):
        rows_where("age >", COLUMNS)
    with pytest.raises(ColumnError, match="names the column 'Rome'"):
        rows_where("city == Rome", COLUMNS)
    with pytest.raises(ParameterTypeError, match="not True or False for each"):
        rows_where("age + 1", COLUMNS)
    with pytest.raises(ParameterError, match="compares what cannot be compared"):
        rows_where("city > 3", COLUMNS)
    with pytest.raises(ColumnError, match="uses the column 'height'"):
        rows_where(lambda rows: rows["height"] > 1, COLUMNS)
