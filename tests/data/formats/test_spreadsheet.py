"""Sheets of workbooks: titles, empty rows and columns, names, errors (case 184)."""

from __future__ import annotations

import datetime as dt
import io
import zipfile

import pytest
from table_files import (
    expected,
    read_values,
    sheet_rows,
    write_ods,
    write_xls,
    write_xlsb,
    write_xlsx,
    write_zip,
)

from lookalike.data import open_source
from lookalike.errors import ColumnError, MemoryBudgetError, ParameterError, SourceError
from lookalike.settings import config

WRITERS = {"t.xlsx": write_xlsx}


@pytest.fixture(params=WRITERS)
def book(request, write):
    return lambda **sheets: write(WRITERS[request.param](sheets), request.param)


def test_a_title_and_empty_rows_above_the_header_are_left_out(book):
    source = open_source(book(Data=[[], ["Report 2020"], [None, "by N. N."], [], *sheet_rows()]))
    assert read_values(source) == expected()
    (decision,) = source.decisions.about("header")
    assert decision.choice == "row 5 of the sheet"
    assert "'Report 2020'" in decision.reason


def test_a_table_may_begin_anywhere_and_has_empty_rows_between(book):
    first, *rest = sheet_rows()
    rows = [[], [], [None, None, *first], [None, None, *rest[0]], []]
    rows += [[None, None, *row] for row in rest[1:]]
    assert read_values(open_source(book(Data=rows))) == expected()


def test_the_only_sheet_with_cells_is_taken_and_said(book):
    source = open_source(book(Empty=[], Data=sheet_rows()))
    assert read_values(source) == expected()
    assert [decision.choice for decision in source.decisions.about("table")] == ["sheet Data"]


def test_a_column_without_a_name_has_its_letter(book):
    source = open_source(book(Data=[["a", None, "c"], [1.0, 2.0, "x"], [3.0, 4.0, "y"]]))
    assert list(read_values(source)) == ["a", "B", "c"]
    assert [decision.choice for decision in source.decisions.about("column")] == ["B"]


def test_a_sheet_without_a_header_has_numbered_columns(book):
    rows = [[5.1, 3.5, "setosa"], [4.9, 3.0, "setosa"], [6.2, 2.9, "other"]]
    source = open_source(book(Data=rows))
    assert list(read_values(source)) == ["x0", "x1", "x2"]
    assert source.decisions.about("header")
    assert list(read_values(open_source(book(Data=[[1.0, 2.0], [3.0, 4.0]]), header=True))) == [
        "1", "2"
    ]  # fmt: skip


def test_texts_are_read_as_those_of_a_csv_file_and_errors_of_formulas_are_missing(book):
    rows = [["n", "day", "m"], ["1.5", "2021-03-14", "#DIV/0!"], [2.0, "2021-03-15", 3.0]]
    values = read_values(open_source(book(Data=rows)))
    assert values["n"] == [1.5, 2.0]
    assert values["day"] == [dt.datetime(2021, 3, 14), dt.datetime(2021, 3, 15)]
    assert values["m"] == [None, 3.0]


def test_a_column_that_is_not_needed_is_not_looked_at(book):
    rows = [["a", "b"], [1.0, "1"], [2.0, "x"], [3.0, "2"], [4.0, "3"]]
    assert read_values(open_source(book(Data=rows), columns=["a"])) == {"a": [1.0, 2.0, 3.0, 4.0]}


def test_what_is_wrong_is_one_sentence(book, write):
    with pytest.raises(SourceError, match="holds no sheet with rows"):
        open_source(book(Data=[]))
    with pytest.raises(SourceError, match="has a header and no rows"):
        open_source(book(Data=[["a", "b"]]))
    with pytest.raises(ColumnError, match=r"sheet 'Data' of .* has two columns named 'a'"):
        open_source(book(Data=[["a", "a"], [1.0, 2.0]]))
    with pytest.raises(ParameterError, match=r"has no sheet 'x'; there is 'Data'"):
        open_source(book(Data=sheet_rows()), table="x")
    for content in (b"", b"junk", write_xlsx()[:400]):
        with pytest.raises(SourceError, match=r"bad\.xlsx' is damaged, or not a spreadsheet"):
            open_source(write(content, "bad.xlsx"))


@pytest.mark.parametrize("name", ["t.xls", "t.xlsx"])
def test_an_old_workbook_is_read_whatever_its_suffix_says(write, name):
    assert read_values(open_source(write(write_xls(), name))) == expected()


def test_a_binary_workbook_is_read(write):
    table = [["a", "b"], [1.0, "x"], [2.5, None], [3.0, "z"]]
    values = read_values(open_source(write(write_xlsb(table), "t.xlsb")))
    assert values == {"a": [1.0, 2.5, 3.0], "b": ["x", None, "z"]}


def far_xlsx():
    """A workbook whose last row and column have a cell: 17 billion cells up to there."""
    far = b'<row r="1048576"><c r="XFD1048576"><v>3</v></c></row></sheetData>'
    return changed(write_xlsx({"Data": sheet_rows()}), "xl/worksheets/", b"</sheetData>", far)


def repeated_ods():
    """A sheet that says of one cell that it stands in two million rows and twelve columns."""
    cell = b'table:number-columns-repeated="12" office:value-type="float" office:value="1"'
    row = b'<table:table-row table:number-rows-repeated="2000000"><table:table-cell '
    row += cell + b"/></table:table-row></table:table>"
    return changed(write_ods(), "content.xml", b"</table:table>", row)


def bomb_xlsx():
    """A sheet that is small in the archive and large outside of it."""
    row = b'<row><c t="inlineStr"><is><t>' + b"a" * 10**7 + b"</t></is></c></row>"
    rows = 80 * row + b"</sheetData>"
    return changed(write_xlsx({"Data": sheet_rows()}), "xl/worksheets/", b"</sheetData>", rows)


def changed(book, member, old, new):
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    (found,) = [name for name in content if name.startswith(member)]
    assert old in content[found]
    content[found] = content[found].replace(old, new)
    return write_zip(content)


HOSTILE = {
    "far.xlsx": far_xlsx,
    "far.xlsb": lambda: write_xlsb([["a"], [1.0]], far=(1_048_575, 16_383)),
    "repeated.ods": repeated_ods,
    "bomb.xlsx": bomb_xlsx,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_book_that_would_take_all_memory_is_one_sentence(write, name):
    path = write(HOSTILE[name](), name)
    message = r"memory budget of 0\.3 GB\. Delete cells far"
    with config(memory="300MB"), pytest.raises(MemoryBudgetError, match=message):
        open_source(path)


def test_a_cell_so_far_that_its_reader_refuses_is_one_sentence(write):
    row = b'<table:table-row table:number-rows-repeated="1000000"><table:table-cell '
    row += b'table:number-columns-repeated="16000" office:value-type="float" office:value="1"'
    row += b"/></table:table-row></table:table>"
    path = write(changed(write_ods(), "content.xml", b"</table:table>", row), "t.ods")
    with pytest.raises((MemoryBudgetError, SourceError), match="export the sheet as csv"):
        open_source(path)
