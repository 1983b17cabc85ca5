"""Documents in whatever they come."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from lookalike.decisions import Decisions
from lookalike.errors import ColumnError, ParameterError, ParameterTypeError
from lookalike.models.text.documents import read_documents

WORDS = ["a car", "", None, "a rose"]
READ = ["a car", "", "", "a rose"]
LONG = [
    f"document {i} about {i * i} things that are long enough to be taken for text"
    for i in range(30)
]


@pytest.mark.parametrize(
    "kind",
    [
        list,
        tuple,
        lambda words: np.array(words, dtype=object),
        pd.Series,
        pl.Series,
        lambda words: pa.chunked_array([words]),
    ],
)
def test_lists_and_series_of_any_library_are_read(kind):
    decisions = Decisions()
    read = read_documents(kind(WORDS), decisions=decisions)
    assert isinstance(read, list)
    assert read == READ
    assert [(d.about, d.choice, d.reason) for d in decisions] == [
        ("documents", "empty", "1 are missing")
    ]


def test_an_array_of_fixed_width_strings_is_read():
    assert read_documents(np.array(["one", "two"])) == ["one", "two"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_only_text_column_of_a_frame_is_read_and_the_others_named(frame):
    decisions = Decisions()
    read = read_documents(frame({"id": list(range(30)), "text": LONG}), decisions=decisions)
    assert read == LONG
    (noted,) = decisions
    assert (noted.about, noted.choice) == ("columns", "text")
    assert "not read: ('id',)" in noted.reason


def test_a_column_of_few_strings_is_text_where_it_stands_alone():
    assert read_documents(pd.DataFrame({"word": ["a", "b", "a"]})) == ["a", "b", "a"]


def test_one_of_several_text_columns_has_to_be_named():
    frame = pd.DataFrame({"title": LONG, "text": LONG[::-1]})
    with pytest.raises(ColumnError, match=r"'title', 'text'\. Choose one with column"):
        read_documents(frame)
    assert read_documents(frame, "text") == LONG[::-1]


def test_a_csv_file_is_read(tmp_path):
    path = tmp_path / "notes.csv"
    pd.DataFrame({"text": LONG}).to_csv(path, index=False)
    assert read_documents(path) == LONG


def test_numbers_are_rows():
    for numbers in ([[1.0, 2.0]], np.eye(2), pd.DataFrame({"a": [1, 2]})):
        assert not isinstance(read_documents(numbers), list)


def test_what_is_no_text_is_named():
    with pytest.raises(ParameterTypeError, match="Document 1 is 7, a int"):
        read_documents(["a", 7])
    with pytest.raises(ColumnError, match="'age' holds no text"):
        read_documents(pd.DataFrame({"age": [1, 2]}), "age")
    with pytest.raises(ParameterError, match="X is a list of documents"):
        read_documents(["a"], "text")
