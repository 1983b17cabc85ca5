"""Rows piece by piece, the next one read while one is worked on."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from lookalike import config
from lookalike.data import open_source
from lookalike.data.sources.pieces import chunks_ahead, read_ahead, source_pieces
from lookalike.settings import settings


def test_the_next_piece_is_read_while_one_is_worked_on_and_no_other():
    read, second = [], threading.Event()

    def pieces():
        for number in range(4):
            read.append(number)
            if number == 1:
                second.set()
            yield number

    coming = read_ahead(pieces())
    assert next(coming) == 0
    assert second.wait(10)
    assert next(coming) == 1
    assert max(read) <= 2
    assert list(coming) == [2, 3]


def test_an_error_while_reading_ahead_comes_after_the_pieces_before_it():
    def pieces():
        yield 1
        raise OSError("the disk is gone")

    coming = read_ahead(pieces())
    assert next(coming) == 1
    with pytest.raises(OSError, match="the disk is gone"):
        next(coming)


def test_settings_of_the_block_hold_where_pieces_are_read():
    with config(memory="64MB"):
        assert list(read_ahead(settings().memory for _ in range(2))) == [64 * 10**6] * 2


def test_pieces_are_sources_with_the_names_and_kinds_of_the_table():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": np.arange(5.0), "town": list("xyxyx")})
    found = list(source_pieces(open_source(frame), 2))
    assert [first for first, _ in found] == [0, 2, 4]
    assert [column.kind for column in found[0][1].columns] == ["number", "category"]
    assert [column.name for column in found[2][1].columns] == ["a", "town"]
    numbers = list(source_pieces(open_source(frame[["a"]]), 3))
    assert [len(next(piece.chunks()).X) for _, piece in numbers] == [3, 2]


def test_matrices_made_ahead_are_the_chunks_of_the_files(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    for number, kind in enumerate((np.float32, np.float64)):
        X = np.arange(14.0).reshape(7, 2) + number
        columns = {"a": X[:, 0].astype(kind), "b": X[:, 1].astype(np.int16)}
        pq.write_table(pa.table(columns), tmp_path / f"{number}.parquet", row_group_size=4)
    for source in (
        open_source(str(tmp_path)),
        open_source(str(tmp_path / "0.parquet"), target="b"),
    ):
        ahead, plain = list(chunks_ahead(source, 3)), list(source.chunks(3))
        assert [chunk.offset for chunk in ahead] == [chunk.offset for chunk in plain]
        for one, other in zip(ahead, plain, strict=True):
            assert one.X.dtype == other.X.dtype == source.dtype
            assert np.array_equal(one.X, other.X)
            assert np.array_equal(one.y, other.y)
