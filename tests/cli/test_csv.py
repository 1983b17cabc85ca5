"""Whatever csv file a user brings: it is read rightly, or refused in one line that says where."""

from __future__ import annotations

import json
import os
import threading

import pytest
from table_files import COMPRESSIONS

GOOD = "a,b\n1,2\n3,4\n6,8\n"
NEAREST = {0: 1, 1: 0, 2: 1}  # of the rows of GOOD


def nearest(run_cli, path, *options):
    code, out, stderr = run_cli("neighbors", path, "-k", "1", "--json", *options)
    assert code == 0, stderr
    result = [json.loads(line) for line in out.splitlines()]
    return {line["row"]: line["neighbor"] for line in result}


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (b"\xef\xbb\xbf" + GOOD.encode(), ()),  # (a) byte order mark
        ('"a","b"\n"1","2"\n3,4\n6,8', ()),  # (b) quotes; (i) no newline at the end
        ('"a\nx","b, ""c"""\n1,2\n3,4\n6,8\n', ()),  # (b) newline, comma and quotes in a name
        (GOOD.replace("\n", "\r\n"), ()),  # (i)
        (GOOD.replace("\n", "\r"), ()),  # (i) lone CR
        (GOOD.replace(",", ";"), ("--delimiter", ";")),  # (g)
        (GOOD.replace(",", ";"), ()),
        ("a;b\n1,5;2,5\n3,5;4,5\n6,5;8,5\n", ()),
        ("a;b\n1,0;2,0\n3,0;4,0\n6,0;8,0\n", ("--delimiter", ";", "--decimal", ",")),
        ("a;b\n1.000;2\n1.003;4\n1.006;8\n", ("--delimiter", ";", "--decimal", ",",
                                             "--thousands", ".")),
        (GOOD.encode("utf-16"), ("--encoding", "utf-16")),  # (i)
        (GOOD.encode("utf-16"), ()),
        (GOOD.replace("a,b", "ä,b").encode("latin-1"), ()),
        (GOOD.replace("a,b", "ä,b").encode("latin-1"), ("--encoding", "latin-1")),
        (GOOD.split("\n", 1)[1], ("--no-header",)),  # (l)
        ("1.5,2\n3,4\n6,8\n", ()),
        ("1,2\n1,2\n3,4\n6,8\n", ("--header",)),
    ],
)  # fmt: skip
def test_a_csv_is_read_as_it_is_meant(content, options, run_cli, table):
    assert nearest(run_cli, table(content), *options) == NEAREST


def test_the_inferred_dialect_is_printed(run_cli, table):
    code, out, stderr = run_cli("neighbors", table("1,5;2\n3,0;4\n6,5;8\n"), "-k", "1", "--json")
    assert code == 0
    assert [json.loads(line)["neighbor"] for line in out.splitlines()] == [1, 0, 1]
    for words in ("delimiter: semicolon", "decimal: comma", "header: none"):
        assert f"lookalike: {words}" in stderr


def test_other_suffixes_and_standard_input_are_read(run_cli, table, stdin):
    assert nearest(run_cli, table(GOOD.replace(",", "\t"), "a.tsv")) == NEAREST
    for end, pack in COMPRESSIONS.items():
        assert nearest(run_cli, table(pack(GOOD.encode(), "a.csv"), f"a.csv{end}")) == NEAREST
        stdin(pack(GOOD.encode(), "a.csv"))
        assert nearest(run_cli, "-") == NEAREST
    stdin(GOOD.encode())
    assert nearest(run_cli, "-") == NEAREST


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_read(run_cli, tmp_path):
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(GOOD,))
    writer.start()
    assert nearest(run_cli, path) == NEAREST
    writer.join()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a,b\n1,2\n3\n", "line 3"),  # (c) ragged
        ("a,b\n1,2\n3,4,5\n", "line 3"),
        ("a,a\n1,2\n3,4\n", "'a'"),  # (e) doubled names
        ("a;b\n1;2\n3\n", "--delimiter ';'"),  # (g)
        ("", "empty"),  # (i)
        ("a,b\n", "no rows"),
        (b"a,b\n1,\x002\n", "NUL byte"),
        ("1,2\n3,4\n", "header"),  # (l)
        (b"a,b\n1,2\n\x1f\x8b\x08", "is not text"),
        (b"\x89PNG\r\n\x1a\n\0\0", "is not text"),
    ],
)
def test_a_csv_that_is_doubtful_is_refused_in_one_line(content, words, refused, table):
    path = table(content)
    stderr = refused("neighbors", path, "-k", "1")
    assert words in stderr
    assert "table.csv" in stderr or "column" in stderr


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a,b\n1,2\n3,4\nx,5\n6,7\n", "3 of 4 cells are numbers, and 'x' for example is not"),
        ("a,b\n1,2\n-999,x\n3,4\n", "column 'b': category"),
        ('a,b\n"1,5",2\n"2,5",3\n', "column 'a': number (decimal comma"),
        ("a,b\n1,1e400\n2,3\n4,5\n", "'1e400'"),
        ("a,b\n1,0x10\n2,3\n4,5\n", "'0x10'"),
        ("a,b\n1,1_000\n2,3\n4,5\n", "'1_000'"),
        ("a,b\n1,inf\n2,3\n4,5\n", "1 of 3 cells is not a number and becomes missing: 'inf'"),
        ("a,b\n1,007\n2,07\n4,7\n", "column 'b': category (digits with leading zeros are codes"),
    ],
)
def test_what_is_not_plain_of_a_column_is_printed(content, words, run_cli, table):  # (d), (j)
    code, _, stderr = run_cli("neighbors", table(content), "-k", "1")
    assert code == 0, stderr
    assert words in stderr
    assert "--types " in stderr


def test_missing_value_markers_are_known_or_declared(run_cli, table):  # (f)
    path = table("a,b\n1,\nNA,2\nNaN,null\n?,5\n4,-999\n")
    code, _, stderr = run_cli("neighbors", path, "-k", "1")
    assert code == 0
    assert "missing values: imputed with the mean" in stderr
    code, out, _ = run_cli("audit", path, "-k", "2", "--json", "--missing", "-999")
    assert code == 0
    assert json.loads(out)["rows"] == 5


def test_ten_thousand_columns_are_read(run_cli, table):  # (h)
    names = ",".join(f"c{i}" for i in range(10_000))
    rows = "\n".join(",".join(str(i % (7 + r)) for i in range(10_000)) for r in range(4))
    assert set(nearest(run_cli, table(f"{names}\n{rows}\n"))) == {0, 1, 2, 3}


def test_a_file_that_grows_while_it_is_read_is_read_as_it_was(tmp_path):  # (k)
    from lookalike.data import open_source

    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "1,2\n" * 1000)
    source = open_source(str(path))
    with path.open("a") as file:
        file.write("3,4\n" * 1000)
    assert sum(len(chunk.X) for chunk in source.chunks()) == 1000


@pytest.mark.parametrize("name", ["absent.csv", ".", "a.xyz", "a\0b.csv"])
def test_a_missing_file_is_an_error_of_one_line(name, refused, tmp_path):  # (k)
    (tmp_path / "a.xyz").write_text("1")
    assert "lookalike: " in refused("neighbors", tmp_path / name)


def test_unused_columns_are_listed_and_missing_ones_refused(run_cli, refused, model, table):  # (m)
    more = table("id,long,wide\n7,1,2\n8,3,4\n")
    code, out, stderr = run_cli("predict", model, more)
    assert code == 0
    assert "columns not used by the model: id" in stderr
    assert out.splitlines()[0] == "row,prediction"
    stderr = refused("predict", model, table("wide,length\n1,2\n"))
    assert "lacks 1 of the 2 columns of the model: long" in stderr
    stderr = refused("predict", model, table("wide,long\nx,1\ny,2\n"))
    assert "wide" in stderr


def test_types_of_columns_are_given_by_name(run_cli, table):
    path = table("a,code,note\n1,7,x\n3,8,y\n6,7,z\n4,7,v\n")
    code, out, stderr = run_cli("plan", path, "--types", "code=category", "--types", "note=id")
    assert code == 0, stderr
    assert "categories: one-hot encoded (1 column: code)" in out
    assert "column 'note': dropped (identifier column: a distinct value in every row)" in out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("code", "--types code does not name a column and its type. Give COL=TYPE"),
        ("kode=category", "--types names 'kode'"),
        ("code=color", "'color', which is not known. Give one of number, category, text, date, id"),
    ],
)
def test_a_type_that_cannot_be_is_refused(given, message, run_cli, table):
    code, _, stderr = run_cli("plan", table("a,code\n1,7\n3,8\n"), "--types", given)
    assert code == 2
    assert message in stderr


@pytest.mark.parametrize(
    ("content", "advice"),
    [
        ("a,b\n1,2\n3,4,5\n6,8\n7,9\n", ("--ragged", "skip")),
        ("a,b,b,c\n1,2,3,1\n3,4,5,2\n6,8,7,4\n", ("--drop", "b")),
        ("1,2\n3,4\n6,8\n", ("--no-header",)),
        ("1,2\n3,4\n6,8\n", ("--header",)),
    ],
)
def test_the_advice_of_an_error_works_when_it_is_copied(content, advice, refused, run_cli, table):
    path = table(content)
    stderr = refused("neighbors", path, "-k", "1").replace("'", "")
    assert " ".join(advice) in stderr
    assert "table.csv" in stderr
    code, _, stderr = run_cli("neighbors", path, "-k", "1", *advice)
    assert code == 0, stderr
