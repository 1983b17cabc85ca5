"""Pieces of any size become batches of one size."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.data import Chunk, RowSlice, Table, gather, open_source
from lookalike.data.batches import join, rebatch
from lookalike.errors import ParameterError, ShapeError


def pieces_of(X, sizes):
    start = 0
    for size in sizes:
        part = slice(start, start + size)
        yield Chunk(X[part], X[part, 0], X[part, 0] + 0.5, start)
        start += size


@given(st.lists(st.integers(0, 7), min_size=1, max_size=8).filter(sum), st.integers(1, 9))
@settings(max_examples=80, deadline=None)
def test_batches_do_not_show_how_the_pieces_were_cut(sizes, rows):
    X = np.arange(2.0 * sum(sizes)).reshape(-1, 2)
    batches = list(rebatch(pieces_of(X, sizes), rows))
    whole = list(rebatch(pieces_of(X, [len(X)]), rows))
    assert [batch.offset for batch in batches] == list(range(0, len(X), rows))
    for batch, expected in zip(batches, whole, strict=True):
        for got, wanted in zip(batch[:3], expected[:3], strict=True):
            np.testing.assert_array_equal(got, wanted)


def test_sparse_pieces_stay_sparse():
    X = sp.csr_array(np.eye(5))
    pieces = [Chunk(X[:2]), Chunk(X[2:], offset=2)]
    first, second = rebatch(pieces, 3)
    assert sp.issparse(first.X)
    np.testing.assert_array_equal(sp.vstack([first.X, second.X]).toarray(), np.eye(5))


def test_tables_are_joined_column_by_column():
    pieces = [
        Table({"a": np.array([1.0]), "b": np.array(["x"], object)}),
        Table({"a": np.array([2.0]), "b": np.array([None], object)}, offset=1),
    ]
    (table,) = rebatch(pieces, 5)
    assert {name: values.tolist() for name, values in table.values.items()} == {
        "a": [1.0, 2.0],
        "b": ["x", None],
    }


def test_float32_and_float64_join_in_the_wider():
    assert join([Chunk(np.ones((1, 1), np.float32)), Chunk(np.ones((1, 1)))]).X.dtype == np.float64


def test_no_pieces_are_an_error():
    with pytest.raises(ShapeError, match="no rows"):
        join([])


@given(st.integers(0, 8), st.integers(1, 9), st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_a_span_gives_its_rows_numbered_from_zero(start, length, rows):
    X = np.arange(18.0).reshape(9, 2)
    span = RowSlice(open_source(X, y=range(9)), start, start + length)
    if start + length > 9:
        with pytest.raises(ShapeError, match="there are 9"):
            list(span.chunks(rows))
        return
    chunks = list(span.chunks(rows))
    assert [chunk.offset for chunk in chunks] == list(range(0, length, rows))
    assert gather(span).y.tolist() == list(range(start, start + length))
    np.testing.assert_array_equal(np.concatenate([c.X for c in chunks]), X[start : start + length])
    assert next(span.tables(rows)).values["x0"][0] == X[start, 0]


def test_rows_beyond_the_last_are_named_in_the_words_of_one_row_or_several():
    rows = open_source([[1.0], [2.0]])
    with pytest.raises(ShapeError, match=r"Row 7 was requested, and there are 2, numbered from 0"):
        list(RowSlice(rows, 7, 8).chunks())
    with pytest.raises(ShapeError, match=r"Rows 1 to 3 were requested, and there are 2"):
        list(RowSlice(rows, 1, 4).chunks())


def test_a_span_without_rows_is_refused():
    with pytest.raises(ParameterError, match="Rows 3 to 3"):
        RowSlice(open_source([[1.0]]), 3, 3)
