"""Files, pipes and streams of text, in every encoding (case 118 i, k)."""

import gzip
import io
import os
import pickle
import subprocess
import sys
import threading

import pytest

from lookalike.data import gather, open_source
from lookalike.errors import (
    ParameterError,
    ParameterTypeError,
    RepeatError,
    SourceError,
    SourceMissingError,
)
from lookalike.settings import config


def matrix(path, **options):
    return gather(open_source(path, **options)).X.tolist()


def columns(path, **options):
    source = open_source(path, **options)
    (table,) = source.tables()
    kinds = {column.name: column.kind for column in source.columns}
    return kinds, {name: values.tolist() for name, values in table.values.items()}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_read_with_and_without_the_last(write, end):
    assert matrix(write(end.join(["a,b", "1,2", "3,4"]))) == [[1, 2], [3, 4]]
    assert matrix(write(end.join(["a,b", "1,2", "3,4", ""]))) == [[1, 2], [3, 4]]


def test_nul_bytes_are_an_error_with_their_place(write):
    with pytest.raises(SourceError, match="NUL byte at byte 5"):
        open_source(write(b"a,b\n1\x00,2\n"))
    with pytest.raises(SourceError, match="NUL byte at byte 8388612"):
        list(open_source(write(b"a,b\n" + b"1,2\n" * 2**21 + b"\x00")).chunks())


def test_an_encoding_that_is_named_is_taken(write):
    latin = write("a,b\n1,2\n1,é\n".encode("latin-1"))
    with pytest.raises(SourceError, match=r"not in utf-8: row 1 \(line 3\).*latin-1"):
        open_source(latin, encoding="utf-8")
    assert columns(latin, encoding="latin-1", types={"b": "text"})[1]["b"] == ["2", "é"]
    header = write("é,b\n1,2\n".encode("latin-1"), "h.csv")
    with pytest.raises(SourceError, match="not in utf-8: the header"):
        open_source(header, encoding="utf-8")
    wide = write("a,b\n1,é\n".encode("utf-16"), "w.csv")
    with pytest.raises(SourceError, match="encoding='utf-16'"):
        open_source(wide, encoding="utf-8")
    assert columns(wide, encoding="utf-16")[1] == {"a": [1.0], "b": ["é"]}
    with pytest.raises(ParameterError, match="klingon"):
        open_source(wide, encoding="klingon")


def test_a_small_budget_gives_small_chunks_and_the_same_rows(write):
    path = write("a,b\n" + "1,2\n" * 1000)
    with config(memory=16 * 32 * 100):
        sizes = [len(chunk.X) for chunk in open_source(path).chunks()]
    assert sizes == [100] * 10


def test_gz_is_read_and_a_truncated_one_is_an_error(write):
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)
    assert len(matrix(write(packed, "t.csv.gz"))) == 1000
    for end in (-1, -8, -20, 15, 3):
        with pytest.raises(SourceError, match="damaged or truncated"):
            gather(open_source(write(packed[:end], "t.csv.gz")))
    source = open_source(write("a,b\n1,2\n", "f.csv.gz"))
    assert gather(source).X.tolist() == [[1, 2]]
    assert "compression: none (its first bytes say so, although" in str(source.decisions)


def test_a_file_that_grows_while_it_is_read_gives_the_rows_it_had(write):
    path = write("a,b\n" + "1,2\n" * 10)
    source = open_source(path)
    with path.open("a") as file:
        file.write("3,4\nhalf")
    assert len(gather(source).X) == 10


def test_standard_input_is_read_once():
    code = (
        "import lookalike.data as d; s = d.open_source('-');"
        "print(d.gather(s).X.tolist(), s.repeatable)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], input=b"a,b\n1,2\n3,4\n", capture_output=True, check=True
    )
    assert ran.stdout.decode().strip() == "[[1.0, 2.0], [3.0, 4.0]] False"


def test_a_pipe_is_read_once(tmp_path):
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"a,b\n1,2\n" + b"3,4\n" * 5,))
    writer.start()
    source = open_source(path)
    assert len(gather(source).X) == 6
    writer.join()
    with pytest.raises(RepeatError, match="read already"):
        gather(source)


def test_a_header_or_a_row_of_megabytes_is_an_error(write):
    with pytest.raises(SourceError, match="no header that can be read"):
        open_source(write("x" * 200_000 + ",b\n1,2\n"))
    source = open_source(write("a,b\nx,1\n" + "x" * 20_000_000 + ",2\n"))
    with pytest.raises(SourceError, match="a row is longer than what is read at a time"):
        list(source.tables())
    assert columns(write("a,b\n" + "x" * 2_000_000 + ",2\n"))[0] == {"a": "text", "b": "number"}


def test_a_file_that_is_gone_is_told(write):
    path = write("a\n1\n2\n")
    source = open_source(path)
    path.unlink()
    with pytest.raises(SourceError, match="cannot be read: No such file"):
        list(source.chunks())


def test_an_open_file_is_read_once_and_text_mode_is_refused(write):
    stream = io.BytesIO(b"a\n1\n2\n")
    source = open_source(stream)
    assert [chunk.X.tolist() for chunk in source.chunks(1)] == [[[1]], [[2]]]
    assert not stream.closed
    with pytest.raises(RepeatError, match="read already"):
        list(source.chunks())
    with pytest.raises(ParameterTypeError, match="mode 'rb'"):
        open_source(io.StringIO("a\n1\n"))
    with pytest.raises(SourceError, match="2 cells in row 1, the first line"):
        open_source(io.BytesIO(b"a\n1\n3,4\n2\n"))


def test_a_file_is_closed_after_use_and_after_an_error(write, monkeypatch):
    opened = []
    real = open

    def counting(*arguments, **options):
        opened.append(real(*arguments, **options))
        return opened[-1]

    monkeypatch.setattr("builtins.open", counting)
    good, bad = write("a\n1\n2\n"), write("a,b\n1,2\n3\n", "b.csv")
    opened.clear()
    gather(open_source(good))
    next(open_source(good).chunks(1))
    with pytest.raises(SourceError):
        open_source(bad)
    assert len(opened) > 3
    assert all(file.closed for file in opened)


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("none.csv", SourceMissingError, "cannot be opened: No such file or directory"),
        (".", SourceError, "is a directory"),
        ("a\0b.csv", SourceMissingError, "cannot be opened"),
        ("t.xyz", SourceError, r"not known. The known ones are .csv, .tsv"),
    ],
)
def test_what_is_no_file_is_told_in_one_line(tmp_path, monkeypatch, name, error, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.xyz").touch()
    with pytest.raises(error, match=message) as caught:
        open_source(name)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_also_pythons_own_error():
    with pytest.raises(FileNotFoundError):
        open_source("none.csv")


def test_options_of_a_csv_are_refused_elsewhere():
    with pytest.raises(ParameterError, match="are options of files"):
        open_source([[1.0]], delimiter=";")


def test_a_source_of_a_file_travels_to_other_processes(write):
    source = pickle.loads(pickle.dumps(open_source(write("a\n1\n2\n"))))
    assert gather(source).X.tolist() == [[1], [2]]
