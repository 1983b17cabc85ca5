"""Chunks: how many rows they take."""

import pytest

from lookalike.data import default_chunk_rows, open_source
from lookalike.data.chunk import Dialect
from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.settings import config


def test_a_chunk_takes_about_32_megabytes():
    assert default_chunk_rows(100, 8) == 40_000
    assert default_chunk_rows(1, 1) == 32_000_000


def test_a_chunk_has_at_least_256_rows_however_wide():
    assert default_chunk_rows(20_000, 8) == 256


def test_a_small_budget_shrinks_chunks_to_a_32nd_of_it():
    with config(memory="32MB"):
        assert default_chunk_rows(100, 8) == 1250
        assert default_chunk_rows(10_000, 8) == 12
    with config(memory=32):
        assert default_chunk_rows(10_000, 8) == 1


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_number_of_threads_does_not_enter(threads):
    with config(threads=threads):
        assert default_chunk_rows(784, 4) == 10204


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        (0, ParameterError),
        (-1, ParameterError),
        (1.5, ParameterTypeError),
        (True, ParameterTypeError),
    ],
)
def test_rows_that_are_no_count_are_an_error(rows, error):
    with pytest.raises(error, match=f"rows={rows}"):
        next(open_source([[1.0]]).chunks(rows))


@pytest.mark.parametrize(
    "dialect",
    [
        Dialect(delimiter=""),
        Dialect(delimiter="\0"),
        Dialect(decimal=".."),
        Dialect(thousands="ab"),
        Dialect(decimal="0"),
        Dialect(decimal="e"),
        Dialect(thousands="-"),
        Dialect(delimiter=",", decimal=","),
        Dialect(decimal=".", thousands="."),
    ],
)
def test_a_dialect_needs_single_and_different_signs(dialect):
    with pytest.raises(ParameterError):
        dialect.checked()
