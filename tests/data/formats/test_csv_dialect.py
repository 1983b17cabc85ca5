"""How a csv is written is told by its first lines, and what is doubtful is not guessed."""

from __future__ import annotations

import codecs

import pytest

from lookalike.data import open_source
from lookalike.errors import LookalikeError


def read(path, **options):
    """Return the columns, and what was decided about which part of the dialect."""
    source = open_source(path, **options)
    (table,) = source.tables()
    settled = {decision.about: decision.choice for decision in source.decisions}
    return {name: values.tolist() for name, values in table.values.items()}, settled


def test_a_plain_csv_needs_no_decision(write):
    assert read(write("a,b\n1,2\n")) == ({"a": [1], "b": [2]}, {})
    assert read(write("a\tb\n1\t2\n", "t.tsv")) == ({"a": [1], "b": [2]}, {})


@pytest.mark.parametrize(("sign", "name"), [(";", "semicolon"), ("\t", "tab"), ("|", "bar")])
def test_the_only_sign_that_parts_all_lines_alike_is_the_delimiter(write, sign, name):
    path = write(f'a{sign}b\n"x{sign}, y"{sign}2\nz, u{sign}4\n')
    values, settled = read(path)
    assert values == {"a": [f"x{sign}, y", "z, u"], "b": [2, 4]}
    assert settled == {"delimiter": name}


def test_a_comma_that_parts_all_lines_alike_goes_before_other_signs(write):
    assert read(write("a;x,b;y\n1,2\n"))[0] == {"a;x": [1], "b;y": [2]}


def test_two_signs_that_part_all_lines_alike_are_an_error(write):
    with pytest.raises(LookalikeError, match=r"2 with ';' and 2 with '\|'"):
        open_source(write("a;b|c\n1;2|3\n"))


def test_lines_of_uneven_cells_are_not_parted(write):
    with pytest.raises(LookalikeError, match="Give delimiter=';'"):
        open_source(write("a;b\n1;2\n3\n"))


def test_a_decimal_comma_is_seen_between_other_signs(write):
    values, settled = read(write("a;b\n1,5;2\n-,5;3,25e1\n"))
    assert values == {"a": [1.5, -0.5], "b": [2, 32.5]}
    assert settled == {"delimiter": "semicolon", "decimal": "comma"}


def test_points_between_thousands_are_seen_beside_a_decimal_comma(write):
    values, settled = read(write("a;b\n1.234.567,5;2\n12,25;3\n"))
    assert values["a"] == [1234567.5, 12.25]
    assert settled["thousands"] == "point"
    assert read(write("a;b\n1.234;2\n12,25;3\n"), thousands=".")[0]["a"] == [1234, 12.25]


@pytest.mark.parametrize(
    ("content", "numbers"),
    [("a;b\n1,234;x\n5,678;y\n", [1.234, 5.678]), ("a;b\n1,5;2.5\n2,5;3.5\n", [1.5, 2.5])],
)
def test_a_comma_between_semicolons_is_a_decimal_comma_and_said(write, content, numbers):
    source = open_source(write(content))
    assert next(source.tables()).values["a"].tolist() == numbers
    assert "decimal comma" in str(source.decisions)


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", [[5.1, 4.9], [3.5, 3.0], ["setosa", "setosa"]]),
        ("T,2,8\nI,5,12\nT,4,11\n", [["T", "I", "T"], [2, 5, 4], [8, 12, 11]]),
        ("7,0,0,0\n2,1,1,3\n", [[7, 2], [0, 1], [0, 1], [0, 3]]),
        ("-3,4\n2,\n", [[-3, 2], [4, None]]),
        ("1,5;2\n2,5;3\n4,5;1\n", [[1.5, 2.5, 4.5], [2, 3, 1]]),
    ],
)
def test_a_first_line_of_values_is_no_header(write, content, columns):
    values, settled = read(write(content))
    assert list(values) == [f"x{j}" for j in range(len(columns))]
    result = [[None if cell != cell else cell for cell in column] for column in values.values()]
    assert result == columns
    assert settled["header"].startswith("none")


@pytest.mark.parametrize(
    "content", ["town,code,2019,2020\nGraz,x,1,2\n", "id,x.5\n1,2\n", "x,y\nx,y\nz,x\n"]
)
def test_names_that_are_partly_numbers_stay_names(write, content):
    values, settled = read(write(content))
    assert ",".join(values) == content.split("\n")[0]
    assert settled == {}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_letters_are_known_by_their_mark(write, encoding):
    mark = {"utf-16": codecs.BOM_UTF16_LE, "utf-32": codecs.BOM_UTF32_LE}[encoding[:6]]
    mark = mark if encoding.endswith("le") else mark[::-1]
    values, settled = read(write(mark + "ä,b\n1,Łódź\n2,Graz\n".encode(encoding)))
    assert values == {"ä": [1, 2], "b": ["Łódź", "Graz"]}
    assert settled == {"encoding": encoding[:6]}


@pytest.mark.parametrize(
    ("content", "encoding", "word"),
    [
        ("ä,b\n1,Köln\n".encode("latin-1"), "cp1252", "Köln"),
        ("ä,b\n1,x €\n".encode("cp1252"), "cp1252", "x €"),
        (b"\xe4,b\n1,\x81x\n", "latin-1", "\x81x"),
    ],
)
def test_letters_that_are_not_utf_8_are_western(write, content, encoding, word):
    values, settled = read(write(content))
    assert values == {"ä": [1], "b": [word]}
    assert settled == {"encoding": encoding}


@pytest.mark.parametrize("content", [b"\x80\x04\x95\x01\x02", b"\xff\xd8\xff\xe0\0\x10JFIF\0"])
def test_what_is_no_text_is_refused(write, content):
    with pytest.raises(LookalikeError, match="is not text"):
        open_source(write(content))


def test_what_the_user_says_is_not_looked_for(write):
    path = write("1;2\n1,5;x\n")
    values, settled = read(path, delimiter=";", decimal=",", header=True, encoding="latin-1")
    assert (values, settled) == ({"1": [1.5], "2": ["x"]}, {})


NUMBERS = {
    "point": (["1234.5", "-2.25"], None),
    "decimal comma": (["1234,5", "-2,25"], "comma"),
    "thousands point": (["1.234,5", "-2,25"], "comma"),
    "thousands comma": (["1,234.5", "-2.25"], "point"),
    "thousands blank": (["1 234,5", "-2,25"], "comma"),
    "thousands no-break space": (["1\u00a0234,5", "-2,25"], "comma"),
    "thousands narrow space": (["1\u202f234,5", "-2,25"], "comma"),
    "thousands apostrophe": (["1'234.5", "-2.25"], "point"),
    "thousands typographic apostrophe": (["1\u2019234.5", "-2.25"], "point"),
}


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
@pytest.mark.parametrize("other", ["point", "decimal comma"])
@pytest.mark.parametrize("form", NUMBERS)
def test_numbers_are_read_as_their_column_writes_them_and_it_is_said(write, form, other, sign):
    (cells, mark), (others, _) = NUMBERS[form], NUMBERS[other]
    lines = [f'"{cell}"{sign}"{more}"{sign}x' for cell, more in zip(cells, others, strict=True)]
    source = open_source(write("\n".join([f"a{sign}b{sign}c", *lines, ""])))
    (table,) = source.tables()
    assert table.values["a"].tolist() == table.values["b"].tolist() == [1234.5, -2.25]
    if mark is not None:
        said = [str(one) for one in source.decisions if one.about in ("decimal", "column 'a'")]
        assert any(mark in one for one in said)


def test_a_point_between_thousands_is_known_by_the_decimal_commas_of_other_columns(write):
    values, _ = read(write("a;b\n1.234;0,5\n5.678;1,5\n"))
    assert values == {"a": [1234, 5678], "b": [0.5, 1.5]}
    values, _ = read(write("a;b\n0.234;0,5\n0.678;1,5\n"))
    assert values == {"a": [0.234, 0.678], "b": [0.5, 1.5]}
