"""Arrow bodies: types and products are refused before cells are made."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from growth import fastest_seconds, peak_growth
from service import ARROW, arrow_stream

from lookalike.web.arrow_body import read_arrow
from lookalike.web.arrow_columns import ArrowColumns
from lookalike.web.limits import Limits
from lookalike.web.problems import ProblemError

LONG_TEXT = "ship " * 1_600_000  # 8 MB
BODIES = """
import pyarrow as pa
from lookalike.web.arrow_body import read_arrow
from lookalike.web.limits import Limits
from lookalike.web.problems import ProblemError

def stream(table):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()

def prepare(name):
    text = "ship " * 1_600_000
    if name == "dictionary":
        codes = pa.array([0] * 200, pa.int32())
        return stream(pa.table({"text": pa.DictionaryArray.from_arrays(codes, pa.array([text]))}))
    if name == "views":
        _, view, *texts = pa.array([text], pa.string_view()).buffers()
        views = pa.py_buffer(view.to_pybytes()[:16] * 200)
        cells = pa.Array.from_buffers(pa.string_view(), 200, [None, views, *texts])
        return stream(pa.table({"text": cells}))
    return stream(pa.table({f"x{j}": pa.nulls(10_000) for j in range(20_000)}))

def call(body):
    try:
        read_arrow(body, Limits(body_bytes=2**30))
        raise SystemExit("the body was accepted")
    except ProblemError as error:
        assert error.status == 413, error
"""


def dictionary_of(text, n_rows):
    codes = pa.array([0] * n_rows, pa.int32())
    return pa.table({"text": pa.DictionaryArray.from_arrays(codes, pa.array([text]))})


def problem_of(table, **limits):
    with pytest.raises(ProblemError) as caught:
        read_arrow(arrow_stream(table), Limits(**limits))
    return caught.value


@pytest.mark.parametrize(("name", "n_bytes"), [("dictionary", 8e6), ("views", 8e6), ("nulls", 2e6)])
def test_a_product_beyond_the_limits_takes_less_memory_than_three_bodies(name, n_bytes):
    assert peak_growth(BODIES, name) < 3 * n_bytes


@pytest.mark.parametrize(
    "make_type",
    [
        lambda: pa.list_(pa.int64()),
        lambda: pa.large_list(pa.string()),
        lambda: pa.struct([("a", pa.int64())]),
        lambda: pa.map_(pa.string(), pa.int64()),
        lambda: pa.list_(pa.list_(pa.list_(pa.float64()))),
        lambda: pa.list_(pa.string(), 3),
        lambda: pa.dense_union([pa.field("a", pa.int64())]),
        lambda: pa.sparse_union([pa.field("a", pa.int64())]),
        lambda: pa.run_end_encoded(pa.int32(), pa.float64()),
        lambda: pa.dictionary(pa.int32(), pa.list_(pa.int64(), 2)),
        pa.binary,
        lambda: pa.duration("s"),
        lambda: pa.time64("us"),
        pa.month_day_nano_interval,
    ],
)
def test_types_that_no_model_reads_are_refused_by_the_schema(service, make_type):
    schema = pa.schema([pa.field("x", make_type())])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema):
        pass
    reply = service.post("/v1/predict?model=iris", sink.getvalue().to_pybytes(), content_type=ARROW)
    assert reply.status == 422, reply.body
    assert reply.json()["column"] == "x"


def test_rows_times_columns_are_refused_where_no_column_is_large():
    nulls = pa.table({f"x{j}": pa.nulls(1000) for j in range(101)})
    assert "1,000 rows of 101 columns are 101,000 cells" in str(problem_of(nulls, cells=100_000))
    assert len(read_arrow(arrow_stream(nulls), Limits(cells=101_000))) == 101
    lists = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(400)), 4)
    assert problem_of(pa.table({"rows": lists}), cells=399).status == 413


def test_a_text_that_many_rows_hold_is_counted_as_often_and_made_once():
    assert problem_of(dictionary_of("a" * 1000, 101), decoded_bytes=100_000).status == 413
    columns = read_arrow(arrow_stream(dictionary_of("a" * 1000, 100)), Limits(decoded_bytes=10**5))
    assert len({id(cell) for cell in columns["text"]}) == 1


def test_a_dictionary_that_comes_with_many_batches_is_not_checked_as_often():
    table = dictionary_of("ship " * 10_000, 3000)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=1)
    body = sink.getvalue().to_pybytes()

    def refuse():
        with pytest.raises(ProblemError, match="Send"):
            read_arrow(body, Limits(decoded_bytes=10**7))

    assert fastest_seconds(refuse, repeats=1) < 2


def test_columns_are_made_when_they_are_asked_for(models):
    iris = models["iris"]
    frame = {name: np.arange(3.0) for name in iris.feature_names_in_}
    table = pa.table(frame | {"long": pa.array([LONG_TEXT] * 1 + [None] * 2)})
    columns = read_arrow(arrow_stream(table), Limits())
    assert isinstance(columns, ArrowColumns)
    assert columns[iris.feature_names_in_[0]].tolist() == [0, 1, 2]
    assert list(columns) == table.column_names


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["a", None, "b", "a"], ["a", None, "b", "a"]),
        ([1, 2, 1, 2], [1, 2, 1, 2]),
        ([None, None], [None, None]),
    ],
)
def test_dictionaries_are_read_as_their_values(values, expected):
    encoded = pa.array(values).dictionary_encode()
    (cells,) = read_arrow(arrow_stream(pa.table({"x": encoded})), Limits()).values()
    assert cells.tolist() == expected
    numbers = pa.array([1.5, None, 1.5]).dictionary_encode()
    (cells,) = read_arrow(arrow_stream(pa.table({"x": numbers})), Limits()).values()
    np.testing.assert_array_equal(cells, [1.5, np.nan, 1.5])


def test_a_date_beyond_the_range_is_a_problem_of_its_column(service):
    far = pa.table({"day": pa.array([2**62], pa.timestamp("s"))})
    columns = read_arrow(arrow_stream(far), Limits())
    with pytest.raises(ProblemError, match="column 'day' cannot be read"):
        columns["day"]
