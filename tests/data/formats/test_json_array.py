"""JSON files: lists of objects, columns, and lists inside objects (case 184)."""

from __future__ import annotations

import json

import pytest
from table_files import read_values

from lookalike.data import open_source
from lookalike.errors import SourceError

ROWS = [{"a": 1, "b": "x"}, {"a": None, "b": "y"}]
VALUES = {"a": [1.0, None], "b": ["x", "y"]}
SHAPES = {
    "rows": ROWS,
    "columns": {"a": [1, None], "b": ["x", "y"]},
    "columns of pandas": {"a": {"0": 1, "1": None}, "b": {"0": "x", "1": "y"}},
    "rows under a name": {"data": ROWS, "count": 2},
    "rows beside a note": {"meta": {"by": "N. N."}, "rows": ROWS},
    "rows two levels down": {"result": {"rows": ROWS}, "ok": True},
    "columns under a name": {"table": {"a": [1, None], "b": ["x", "y"]}},
}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_are_found_in_every_common_shape(write, shape, indent):
    path = write(json.dumps(SHAPES[shape], indent=indent), "t.json")
    assert read_values(open_source(path)) == VALUES


def test_a_name_that_an_object_lacks_is_a_missing_value(write):
    path = write('[{"a": 1}, {"b": "y"}]', "t.json")
    assert read_values(open_source(path)) == {"a": [1.0, None], "b": [None, "y"]}


@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
def test_a_column_of_lists_is_left_out_as_the_error_says(write, name):
    path = write('[{"a": 1, "b": [[2]]}, {"a": 3, "b": {}}]', name)
    with pytest.raises(SourceError, match=r"a list under 'b' in row 0.*drop='b'"):
        open_source(path)
    assert read_values(open_source(path, drop="b")) == {"a": [1.0, 3.0]}


def test_objects_and_lists_of_numbers_are_columns_and_lists_of_texts_are_text(write):
    rows = [{"a": {"b": 1}, "at": [0.5, 2], "tags": ["x", "y"]}, {"a": {}, "at": [], "tags": []}]
    source = open_source(write(json.dumps(rows), "t.json"))
    values = {"a.b": [1.0, None], "at.0": [0.5, None], "at.1": [2.0, None], "tags": ["x, y", None]}
    assert {name: read_values(source)[name] for name in values} == values
    assert "lists as text" in str(source.decisions)


@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
def test_lines_and_lists_are_known_whatever_the_suffix_says(write, name):
    for content in (json.dumps(ROWS), "\n".join(map(json.dumps, ROWS))):
        assert read_values(open_source(write(content, name))) == VALUES


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not JSON"),
        ("[]", "has no rows. Give a list of objects"),
        ("3", "holds a JSON int, not rows"),
        ("[1, 2]", r"has no object in row 0: 1\. Give"),
        ('[{"a": 1},\n {"a": }]', "is not JSON: Expecting value: line 2 column 8"),
        ('[{"a": 1}, {"a": [{"b": 1}]}]', "has a list under 'a' in row 1"),
        ('[{"a": 1e999}]', "is not JSON"),
        ('[{"a": 1, "a": 2}]', "'a' comes twice"),
        ('{"a": {"b": {"c": {"d": 1}}}}', "without a list of rows"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_what_is_wrong_is_one_sentence_with_the_file(write, content, message):
    with pytest.raises(SourceError, match=message) as caught:
        open_source(write(content, "t.json"))
    assert "t.json" in str(caught.value)
    assert "\n" not in str(caught.value)
