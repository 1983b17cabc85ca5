"""One awkward table, the same values whatever it is written in (case 184)."""

from __future__ import annotations

import codecs
import io
import os
import threading

import numpy as np
import pytest
from table_files import (
    BINARIES,
    COMPRESSIONS,
    TEXTS,
    WESTERN_NAMES,
    expected,
    read_values,
    write_csv,
    write_parquet,
    write_sqlite,
    write_xlsx,
    write_zip,
)

from lookalike.data import open_source
from lookalike.data.formats.file_names import text_format
from lookalike.errors import ParameterError, SourceError

DATES = {"born": "date"}  # which JSON has as texts


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("name", [*TEXTS, *BINARIES])
def test_every_format_is_read_to_the_same_values_in_every_compression(tmp_path, name, compression):
    content = {**TEXTS, **BINARIES}[name]()
    path = tmp_path / f"{name}{compression}"
    path.write_bytes(COMPRESSIONS[compression](content, name))
    types = DATES if "json" in name else None
    assert read_values(open_source(path, types=types)) == expected()


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("name", [*TEXTS, *BINARIES])
def test_a_stream_is_known_by_its_first_bytes(name, compression):
    content = {**TEXTS, **BINARIES}[name]()
    packed = COMPRESSIONS[compression](content, name)
    types = DATES if "json" in name else None
    assert read_values(open_source(io.BytesIO(packed), types=types)) == expected()


@pytest.mark.parametrize("compression", ["", ".xz", ".zip"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252"]
)
def test_delimiter_and_encoding_are_recognized(tmp_path, encoding, delimiter, compression):
    western = encoding in ("latin-1", "cp1252")
    content = write_csv(delimiter, encoding, WESTERN_NAMES if western else None)
    path = tmp_path / f"t.csv{compression}"
    path.write_bytes(COMPRESSIONS[compression](content, "t.csv"))
    assert read_values(open_source(path)) == expected(western)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["t.jsonl", "t.json"])
def test_json_is_read_in_every_encoding(tmp_path, name, encoding):
    path = tmp_path / name
    path.write_bytes(TEXTS[name](encoding))
    assert read_values(open_source(path, types=DATES)) == expected()


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_a_stream_of_json_lines_is_known_in_every_encoding(encoding):
    content = '{"Größe": 3}\n{"Größe": 4}\n'.encode(encoding)
    rows = np.concatenate(
        [np.asarray(chunk.X) for chunk in open_source(io.BytesIO(content)).chunks()]
    )
    assert rows.tolist() == [[3.0], [4.0]]


def test_a_number_of_more_digits_than_python_reads_does_not_hide_json_lines():
    first = b'{"a": 1' + b"0" * 5000 + b"}\n"
    assert text_format(first + b'{"a": 4}\n', None) == "jsonl"


def test_bytes_of_a_torn_byte_order_mark_are_text_and_not_blanks():
    torn = b"\xef{\xbb\xbfa\n3.5\n"
    assert text_format(torn, None) == "csv"
    assert text_format(codecs.BOM_UTF8 + b'{"a": 1}\n', None) == "jsonl"


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl.bz2", "t.xlsx"])
def test_a_named_pipe_is_read(tmp_path, name):
    stem = "t." + name.split(".")[1]
    content = {**TEXTS, **BINARIES}[stem]()
    packed = COMPRESSIONS[".bz2" if name.endswith(".bz2") else ""](content, stem)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(packed,))
    writer.start()
    assert read_values(open_source(path, types=DATES)) == expected()
    writer.join()


@pytest.mark.parametrize("suffix", [".csv", ".txt", ".data"])
def test_a_workbook_that_is_named_as_text_is_read_and_said(tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    path.write_bytes(write_xlsx())
    source = open_source(path)
    assert read_values(source) == expected()
    assert f"although its name ends in {suffix}" in str(source.decisions)


def test_options_of_csv_files_are_refused_where_they_mean_nothing(tmp_path):
    (tmp_path / "t.parquet").write_bytes(write_parquet())
    (tmp_path / "t.xlsx").write_bytes(write_xlsx())
    with pytest.raises(ParameterError, match=r"^delimiter, header: these are options of csv"):
        open_source(tmp_path / "t.parquet", delimiter=";", header=True)
    with pytest.raises(ParameterError, match=r"^encoding: these are options of csv"):
        open_source(tmp_path / "t.xlsx", encoding="latin-1")
    assert open_source(tmp_path / "t.xlsx", header=True, missing=["Graz"]).n_rows == 5


CHOICES = {
    "t.zip": (
        lambda _: write_zip({"a.csv": write_csv(), "b/c.csv": write_csv()}),
        "files",
        "c.csv",
    ),
    "t.xlsx": (
        lambda _: write_xlsx({"2023": [["a"], [1]], "new": [["a"], [2]]}),
        "sheets",
        "new",
    ),
    "t.sqlite": (lambda path: write_sqlite(path, ("old", "new")), "tables", "new"),
    "t.json": (lambda _: b'{"train": [{"a": 1}], "test": [{"a": 2}]}', "lists", "test"),
}


@pytest.mark.parametrize("name", CHOICES)
def test_several_tables_are_named_and_one_is_chosen(tmp_path, name):
    write, word, chosen = CHOICES[name]
    path = tmp_path / name
    path.write_bytes(write(path))
    with pytest.raises(
        SourceError, match=rf"has 2 {word}: .*Choose one: table='.*' or table="
    ) as caught:
        open_source(path)
    advice = str(caught.value).rsplit("table='", 1)[1].split("'")[0]
    for table in (advice, chosen):
        assert sum(len(part.values) for part in open_source(path, table=table).tables())
    with pytest.raises(ParameterError, match=r"has no .* 'none'; there is .*Give table="):
        open_source(path, table="none")


def test_a_table_is_chosen_in_the_only_file_of_an_archive(tmp_path):
    path = tmp_path / "t.zip"
    book = write_xlsx({"a": [["x"], [1.0]], "b": [["x"], [2.0]]})
    path.write_bytes(write_zip({"book.xlsx": book, "__MACOSX/._book.xlsx": b"junk"}))
    with pytest.raises(SourceError, match="has 2 sheets"):
        open_source(path)
    assert read_values(open_source(path, table="b")) == {"x": [2.0]}


def test_a_table_named_in_a_file_of_one_is_refused(tmp_path):
    (tmp_path / "t.csv").write_bytes(write_csv())
    with pytest.raises(ParameterError, match=r"a \.csv file, which has one table\. Leave it out"):
        open_source(tmp_path / "t.csv", table="x")
    with pytest.raises(ParameterError, match="options of files"):
        open_source(np.eye(2), table="x")
