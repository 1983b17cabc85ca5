"""The table of a csv file is found below comments, titles and the line of Excel."""

from __future__ import annotations

import pytest
from table_files import read_values

from lookalike.data import open_source
from lookalike.data.write.corrections import Correction, write_corrected
from lookalike.errors import LookalikeError, SourceError

TABLE = {"a": [1.5, 3.0], "b": ["x", "y"], "c": [2.0, 4.0]}
ABOVE = {
    "sep=": ("sep=;\n", "delimiter", "semicolon"),
    "sep= of Excel": ('"sep=;"\r\n', "delimiter", "semicolon"),
    "comments": ("# by a program\n# of 2020, with; signs\n", "header", "line 3"),
    "a comment and a blank line": ("# by a program\n\n", "header", "line 3"),
    "a title": ("Report of 2020\n\n", "header", "line 3"),
    "a title as wide as the table": ("Report of 2020;;\n;;\n", "header", "line 3"),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("above", ABOVE)
def test_lines_above_the_table_are_left_out_and_said(write, above, encoding):
    lines, about, choice = ABOVE[above]
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    letter = "ü" if encoding == "cp1252" else ""
    lines = lines.replace("program", f"program{letter}")
    source = open_source(write(f"{mark}{lines}a;b;c\n1.5;x;2\n3;y;4\n".encode(encoding)))
    assert read_values(source) == TABLE
    assert [decision.choice for decision in source.decisions.about(about)] == [choice]


def test_a_line_is_counted_from_the_top_of_the_file(write):
    path = write("# one\n# two\na,b\n1,2\n3,4\n5,6,7\n")
    with pytest.raises(SourceError, match=r"row 2 \(line 6\)"):
        list(open_source(path).chunks())


def test_a_header_may_begin_with_a_number_sign(write):
    assert list(read_values(open_source(write("#a,b\n1,2\n3,4\n")))) == ["#a", "b"]


@pytest.mark.parametrize("content", ["a,b,c,\n1.5,x,2,\n3,y,4,\n", "a,b,c\n1.5,x,2,\n3,y,4,\n"])
def test_a_delimiter_at_the_end_of_lines_makes_no_column(write, content):
    source = open_source(write(content))
    assert read_values(source) == TABLE
    assert [decision.choice for decision in source.decisions.about("column 4")] == ["left out"]


def test_row_names_have_no_name_in_the_header(write):
    source = open_source(write('"a"\t"b"\t"c"\n"r1"\t1.5\t"x"\t2\n"r2"\t3\t"y"\t4\n', "t.tsv"))
    assert read_values(source) == {"row_name": ["r1", "r2"], **TABLE}
    assert source.decisions.about("column 'row_name'")


@pytest.mark.parametrize(
    "content",
    ["a,b\n1,2\n3,4,5\n", "Title\na,b\n1,2\n3,4\n5,6,7\n", "a,b\n1,2,3\n1,4,5\n"],
)
def test_uneven_lines_stay_an_error(write, content):
    with pytest.raises(SourceError, match=r"cells in row \d \(line \d\)"):
        list(open_source(write(content)).chunks())


def test_rows_below_a_title_are_corrected(write):
    path = write("Report of 2020\na,b,c\n1.5,x,2\n3,y,4\n")
    written = write_corrected(str(path), "b", [Correction(1, "relabel", "z")], {})
    assert written.read_text() == "a,b,c\n1.5,x,2\n3,z,4\n"
    names = write("a,c\nr1,1.5,2\nr2,3,4\n", "n.csv")
    written = write_corrected(str(names), "c", [Correction(0, "drop")], {})
    assert written.read_text() == "row_name,a,c\nr2,3,4\n"


@pytest.mark.parametrize("first", [',,\r,,"a', ",,\r,,"])
def test_a_first_line_with_a_lone_carriage_return_is_refused_in_a_sentence(write, first):
    with pytest.raises(LookalikeError):
        read_values(open_source(write(f"{first}\n1,2,3\n4,5,6\n7,8,9\n")))


def test_columns_without_name_and_cells_are_left_out_wherever_they_are(write):
    source = open_source(write("a,,b,c,,\n1.5,,x,2,,\n3,,y,4,,\n"))
    assert read_values(source) == TABLE
    for number in (2, 5, 6):
        (decision,) = source.decisions.about(f"column {number}")
        assert "left out (its name and its first cells are empty)" in str(decision)


def test_several_filled_columns_without_a_name_are_called_as_in_spreadsheets(write):
    source = open_source(write(",a,,b,\n7,1.5,u,x,\n8,3,v,y,\n"))
    assert read_values(source) == {"A": [7, 8], "a": [1.5, 3], "C": ["u", "v"], "b": ["x", "y"]}
    assert "its cell in the header is empty" in str(source.decisions)
    with pytest.raises(SourceError, match=r"row 1 \(line 3\)"):
        list(open_source(write(",a,,\n7,1.5,u,\n8,3,v\n")).tables())
