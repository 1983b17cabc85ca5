"""Spaces around cells are left out where one follows every delimiter, and nowhere else."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lookalike.data import open_source
from lookalike.data.formats.csv_spaces import spaces_follow_delimiters, strip_cells, strip_names
from lookalike.decisions import Decisions

ADULT = 'age, work , "income"\n39, State-gov, <=50K\n50, ?, >50K\n38, Private, "<=50K"\n31,, >50K\n'


@pytest.fixture
def read(tmp_path):
    """Write a csv file and return its source and columns."""

    def read_text(text, **options):
        path = tmp_path / "table.csv"
        path.write_text(text, encoding="utf-8")
        source = open_source(path, types={}, **options)
        (table,) = source.tables()
        return source, {name: values.tolist() for name, values in table.values.items()}

    return read_text


def test_names_and_cells_are_without_the_spaces_and_quotes_around_them(read):
    source, values = read(ADULT)
    assert values == {
        "age": [39, 50, 38, 31],
        "work": ["State-gov", None, "Private", None],
        "income": ["<=50K", ">50K", "<=50K", ">50K"],
    }
    decided = str(source.decisions)
    assert "spaces around cells: left out (one follows every delimiter" in decided
    assert "header: names without spaces" in decided


def test_a_table_without_a_header_is_stripped_as_well(read):
    _, values = read(ADULT.split("\n", 1)[1], header=False)
    assert values["x1"] == ["State-gov", None, "Private", None]


def test_spaces_of_some_cells_are_theirs(read):
    source, values = read("a, b\n1, x\n2,x\n3,y\n")
    assert values == {"a": [1, 2, 3], "b": [" x", "x", "y"]}
    assert "spaces around cells" not in str(source.decisions)


def test_later_rows_and_other_markers_are_read_in_the_same_way(read):
    lines = "".join(f"{j}, red\n" for j in range(3000))
    _, values = read(f"n, color\n{lines}3000,  blue \n3001, none\n", missing=["none"])
    assert values["color"][-3:] == ["red", "blue", None]


def test_quotes_within_a_cell_stay():
    cells = pa.array(['say "no"', ' "say ""no"""', ' "'])
    assert strip_cells(cells, [""]).to_pylist() == ['say "no"', 'say "no"', '"']
    assert strip_names(['"a"', ' "b" ', " c"], Decisions()) == ['"a"', "b", "c"]
    assert not spaces_follow_delimiters([["1"], ["2"]], Decisions())
