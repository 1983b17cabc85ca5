"""Rows piece by piece, the next one read while one is worked on."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from lookalike import config
from lookalike.data import open_source
from lookalike.data.pieces import read_ahead, source_pieces
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
