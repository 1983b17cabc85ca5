"""Streams of chunks (cases 48-51)."""

import weakref

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from lookalike.data import Chunk, gather, open_source
from lookalike.errors import (
    ColumnError,
    ParameterError,
    ParameterTypeError,
    RepeatError,
    ShapeError,
)

X = np.arange(20.0).reshape(10, 2)


def parts(sizes=(4, 3, 3)):
    start = 0
    for size in sizes:
        yield X[start : start + size]
        start += size


def test_chunks_are_the_same_as_of_the_whole_array():
    streamed = list(open_source(parts).chunks(4))
    whole = list(open_source(X).chunks(4))
    for got, wanted in zip(streamed, whole, strict=True):
        assert got.offset == wanted.offset
        np.testing.assert_array_equal(got.X, wanted.X)


def test_an_iterator_is_read_once_and_a_second_pass_is_an_error():
    source = open_source(parts())
    assert not source.repeatable
    assert source.n_rows is None
    assert gather(source).X.shape == (10, 2)
    with pytest.raises(RepeatError, match="function that returns a new iterator"):
        source.chunks()


def test_a_function_that_starts_anew_is_read_again():
    source = open_source(parts)
    assert source.repeatable
    for _ in range(3):
        np.testing.assert_array_equal(gather(source).X, X)


def test_the_first_chunk_is_not_read_twice():
    started = []

    def make():
        started.append(1)
        return parts()

    source = open_source(make)
    list(source.chunks())
    assert len(started) == 1


def test_pairs_triples_and_chunks_bring_labels_and_weights():
    y, weight = np.arange(10), np.ones(10)
    items = [
        (X[:4], y[:4], weight[:4]),
        Chunk(X[4:7], y[4:7], weight[4:7], offset=99),
        (X[7:], y[7:], weight[7:]),
    ]
    got = gather(open_source(iter(items)))
    np.testing.assert_array_equal(got.X, X)
    np.testing.assert_array_equal(got.y, y)
    np.testing.assert_array_equal(got.weight, weight)
    assert [c.offset for c in open_source(iter(items)).chunks(3)] == [0, 3, 6, 9]
    assert gather(open_source(iter([(X, y)]))).y is not None


def test_a_tuple_of_another_length_is_refused():
    with pytest.raises(ShapeError, match="Chunk 0 of the stream has 4 parts"):
        open_source(iter([(X, 1, 2, 3)]))


def test_labels_that_do_not_fit_name_the_chunk():
    source = open_source(iter([(X[:4], range(4)), (X[4:], range(5))]))
    with pytest.raises(
        ShapeError, match="In chunk 1 of the stream: y holds 5 entries, X has 6 rows"
    ):
        list(source.chunks())


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([(X, range(10)), X], "Chunk 1 of the stream brings no y, unlike chunk 0"),
        ([X, (X, range(10))], "Chunk 1 of the stream brings a y, unlike chunk 0"),
        ([(X, None, np.ones(10)), X], "Chunk 1 of the stream brings no weight"),
        ([(X, range(10)), (X, ["p"] * 10)], "Chunk 1 of the stream has y of <U1"),
        ([(X, range(10)), (X, X)], r"shape \(10, 2\), chunk 0 of int64 and shape \(10,\)"),
    ],
)
def test_labels_that_differ_in_kind_name_the_chunk(items, message):
    with pytest.raises(ShapeError, match=message):
        list(open_source(iter(items)).chunks())


def test_empty_chunks_are_passed_over():
    items = [X[:0], X[:3], X[:0], pd.DataFrame(X[:0]), X[3:], X[:0], []]
    np.testing.assert_array_equal(gather(open_source(iter(items))).X, X)


@pytest.mark.parametrize("items", [[], [X[:0]], [X[:0], []]])
def test_only_empty_chunks_are_an_error(items):
    with pytest.raises(ShapeError, match="no rows at all"):
        open_source(iter(items))


def test_another_number_of_columns_names_the_chunk():
    source = open_source(iter([X, X, np.ones((2, 3))]))
    with pytest.raises(ShapeError, match="Chunk 2 of the stream has 3 columns, chunk 0 has 2"):
        list(source.chunks())


@pytest.mark.parametrize("other", [X.astype(int), X.astype(bool)])
def test_another_kind_of_number_names_the_chunk(other):
    source = open_source(iter([X, other]))
    with pytest.raises(ColumnError, match="Chunk 1 of the stream"):
        list(source.chunks())


def test_float32_and_float64_meet_in_float64():
    source = open_source(iter([X[:4].astype(np.float32), X[4:]]))
    got = gather(source).X
    assert got.dtype == np.float64
    np.testing.assert_array_equal(got, X)


def test_whole_numbers_of_two_widths_meet_in_the_wider():
    got = gather(open_source(iter([np.ones((1, 2), np.int8), np.ones((1, 2), np.int32)]))).X
    assert got.dtype == np.int32


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_another_order_of_columns_names_the_chunk_and_the_columns(make):
    one, two = make({"a": [1], "b": [2]}), make({"b": [1], "a": [2]})
    with pytest.raises(
        ColumnError, match="Chunk 1 of the stream has column 'b' in place 0, chunk 0 has 'a'"
    ):
        list(open_source(iter([one, two])).chunks())


def test_other_categories_name_the_chunk_and_the_column():
    def frame(*categories):
        return pd.DataFrame({"c": pd.Categorical(["x"], categories=categories)})

    source = open_source(iter([frame("x", "y"), frame("x", "y"), frame("x", "z")]))
    with pytest.raises(
        ColumnError, match=r"Chunk 2 .* column 'c': categories \['x', 'z'\], chunk 0 has categories"
    ):
        list(source.tables())


def test_another_kind_of_column_names_the_chunk_and_the_column():
    source = open_source(iter([pd.DataFrame({"c": [1]}), pd.DataFrame({"c": ["x"]})]))
    with pytest.raises(ColumnError, match=r"Chunk 1 .* column 'c': category, chunk 0 has number"):
        list(source.tables())


def test_frames_come_as_tables_with_target_and_weight():
    frames = [pd.DataFrame({"c": ["x", "y"], "n": [1.0, 2.0], "t": [0, 1]}) for _ in range(3)]
    source = open_source(iter(frames), target="t", types={"c": "text"})
    tables = list(source.tables(4))
    assert [table.offset for table in tables] == [0, 4]
    assert tables[0].values["c"].tolist() == ["x", "y"] * 2
    assert tables[1].y.tolist() == [0, 1]
    assert source.columns[0].kind == "text"


def test_sparse_chunks_stay_sparse():
    items = [sp.csr_array(np.eye(3)), sp.csc_array(np.eye(3))]
    (chunk,) = open_source(iter(items)).chunks(6)
    assert sp.issparse(chunk.X)
    np.testing.assert_array_equal(chunk.X.toarray(), np.vstack([np.eye(3)] * 2))


def test_chunks_are_let_go_as_they_are_read():
    alive = []

    def make():
        for _ in range(20):
            part = np.ones((100, 2))
            alive.append(weakref.ref(part))
            yield part
            del part

    for _ in open_source(make()).chunks(100):
        assert sum(ref() is not None for ref in alive) <= 3


def test_the_last_chunk_may_be_a_single_row():
    assert [len(chunk.X) for chunk in open_source(parts).chunks(3)] == [3, 3, 3, 1]


def test_targets_and_weights_may_lie_apart_from_a_stream():
    whole = np.concatenate(list(parts()))
    y, weight = np.arange(len(whole)), np.linspace(1, 2, len(whole))
    for rows in (1, 3, 100):
        chunks = list(open_source(parts, y=y, weight=weight).chunks(rows))
        np.testing.assert_array_equal(np.concatenate([chunk.y for chunk in chunks]), y)
        np.testing.assert_array_equal(np.concatenate([chunk.weight for chunk in chunks]), weight)
        np.testing.assert_array_equal(np.concatenate([chunk.X for chunk in chunks]), whole)


def test_targets_apart_from_a_stream_must_fit_it():
    n_rows = len(np.concatenate(list(parts())))
    for given in (n_rows - 1, n_rows + 1):
        with pytest.raises(ShapeError, match=f"y holds {given} entries, the stream has"):
            list(open_source(parts, y=np.zeros(given)).chunks(3))
    with pytest.raises(ParameterError, match="the chunks bring one of their own"):
        list(open_source(lambda: iter([(np.eye(2), [0, 1])]), y=[0, 1]).chunks())
    with pytest.raises(ParameterTypeError, match="returned int"):
        open_source(lambda: 3)


def test_an_error_of_the_stream_itself_is_passed_on():
    def broken():
        yield X
        raise OSError("the line went dead")

    with pytest.raises(OSError, match="the line went dead"):
        list(open_source(broken()).chunks())


def test_text_where_numbers_are_needed_names_the_chunk():
    source = open_source(iter([pd.DataFrame({"c": ["x"]})]))
    with pytest.raises(ColumnError, match="In chunk 0 of the stream: column 'c' holds text: 'x'"):
        list(source.chunks())
