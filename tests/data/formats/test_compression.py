"""Compressed files: damage is named with what to do, and what expands too far is refused."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from contextlib import suppress

import pytest
from table_files import COMPRESSIONS, write_zip

from lookalike.data import gather, open_source
from lookalike.data.formats.compression import compression_of
from lookalike.errors import LookalikeError, MemoryBudgetError, SourceError
from lookalike.settings import config

PACKED = {end: pack for end, pack in COMPRESSIONS.items() if end}
CSV = b"a,b\n" + b"1,2\n" * 1000
CHECKS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd", ".zip": "unzip"}


@pytest.mark.parametrize("end", PACKED)
@pytest.mark.parametrize("name", ["t.csv", "t.json", "t.jsonl", "t.parquet", "t"])
def test_a_truncated_file_is_an_error_that_says_what_to_do(write, end, name):
    content = PACKED[end](CSV, "t.csv")
    for size in (len(content) - 1, len(content) // 2, 12):
        with pytest.raises(SourceError, match=r"is damaged or truncated: .*") as caught:
            gather(open_source(write(content[:size], f"{name}{end}")))
        assert f"t{end}" in str(caught.value) or name in str(caught.value)
        assert f"({CHECKS[end]} -t checks it)" in str(caught.value)
        assert "give it uncompressed" in str(caught.value)


@pytest.mark.parametrize("end", PACKED)
def test_a_flipped_bit_is_read_or_refused(write, end):
    content = bytearray(PACKED[end](CSV, "t.csv"))
    for position in range(8, len(content), max(1, len(content) // 23)):
        damaged = bytes([*content[:position], content[position] ^ 64, *content[position + 1 :]])
        with suppress(LookalikeError):  # any other error fails
            gather(open_source(write(damaged, f"t.csv{end}")))


@pytest.mark.parametrize("end", [".gz", ".bz2", ".xz", ".zst"])
def test_two_parts_of_a_compressed_file_are_one(write, end):
    content = PACKED[end](b"a,b\n1,2\n", "") + PACKED[end](b"3,4\n", "")
    assert gather(open_source(write(content, f"t.csv{end}"))).X.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("end", PACKED)
@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.json"])
def test_what_expands_beyond_the_budget_is_refused_before_it_is_read(write, end, name):
    row = {"t.csv": b"1,2\n", "t.jsonl": b'{"a": 1}\n', "t.json": b'{"a": 1},\n'}[name]
    start, stop = {"t.csv": (b"a,b\n", b""), "t.jsonl": (b"", b"")}.get(name, (b"[", b'{"a": 2}]'))
    path = write(PACKED[end](start + row * 400_000 + stop, name), f"{name}{end}")
    assert path.stat().st_size < 1_000_000
    with config(memory="1MB"), pytest.raises(MemoryBudgetError, match="is compressed and expands"):
        gather(open_source(path))


def test_a_csv_larger_than_the_budget_is_read_in_pieces(write):
    path = write(lzma.compress(b"a,b\n" + b"1,2\n" * 400_000), "t.csv.xz")
    with config(memory="1MB"):
        assert sum(len(chunk.X) for chunk in open_source(path).chunks()) == 400_000


def test_an_encrypted_archive_is_refused_in_a_sentence(write):
    content = bytearray(write_zip({"t.csv": CSV}))
    content[6] |= 1  # the flag of the member, here and in the list at the end
    content[content.rfind(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(SourceError, match=r"is encrypted: 't\.csv' needs a password"):
        open_source(write(bytes(content), "t.zip"))


def test_an_archive_without_files_says_so(write):
    with pytest.raises(SourceError, match="holds no file with rows"):
        open_source(write(write_zip({}), "t.zip"))
    with pytest.raises(SourceError, match="holds no file with rows"):
        open_source(write(write_zip({"folder/": b"", ".hidden": b"x"}), "t.zip"))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_file_in_an_archive_is_read(write, pack):
    path = write(write_zip({"t.csv": pack(CSV)}), "t.zip")
    assert len(gather(open_source(path)).X) == 1000


def test_an_archive_from_a_pipe_is_read_from_memory():
    class Pipe(io.RawIOBase):
        def __init__(self, content):
            self._file = io.BytesIO(content)

        def readable(self):
            return True

        def readinto(self, buffer):
            return self._file.readinto(buffer)

    content = write_zip({"t.csv": CSV})
    assert len(gather(open_source(io.BufferedReader(Pipe(content)))).X) == 1000


def test_words_that_begin_like_a_compressed_file_are_text(write):
    assert compression_of(b"BZh9,b\n1,2\n3,4\n") is None
    assert gather(open_source(write("BZh9,b\n1,2\n"))).X.tolist() == [[1, 2]]
