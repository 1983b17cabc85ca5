"""Folders of images and texts, and files of JSON lines, as rows."""

from __future__ import annotations

import gzip
import json
import os
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

import lookalike
from lookalike.data import gather, open_source
from lookalike.errors import MemoryBudgetError, ParameterError, SourceError


def image(path, pixels):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.asarray(pixels, np.uint8)).save(path)


def test_gray_pictures_of_one_size_are_rows_of_their_gray_values_with_folders_as_classes(tmp_path):
    gray = np.arange(12, dtype=np.uint8).reshape(3, 4)
    image(tmp_path / "b" / "2.png", gray + 1)
    image(tmp_path / "a" / "1.png", gray)
    source = open_source(tmp_path)
    chunk = gather(source)
    assert source.image_shape == (3, 4)
    assert source.columns[5].name == "pixel_1_1"
    np.testing.assert_array_equal(chunk.X, [gray.ravel(), gray.ravel() + 1])
    assert chunk.y.tolist() == ["a", "b"]


def test_colors_are_kept_and_pictures_of_other_sizes_are_brought_to_one(tmp_path):
    image(tmp_path / "1.png", np.full((10, 20, 3), 7))
    image(tmp_path / "2.png", np.full((100, 200), 9))
    source = open_source(tmp_path)
    chunk = gather(source)
    assert source.image_shape == (32, 64, 3)
    assert chunk.y is None
    assert np.unique(chunk.X[0]).tolist() == [7]
    assert np.unique(chunk.X[1]).tolist() == [9]


def test_text_files_are_one_column_and_hidden_files_are_not_looked_at(tmp_path):
    for name, words in (("pro/1.txt", "good"), ("con/2.txt", "bad ö"), (".git/3.txt", "no")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(words, encoding="utf-8")
    (tmp_path / "pro" / "notes.xyz").write_text("other")
    source = open_source(tmp_path)
    table = next(source.tables())
    assert table.values["text"].tolist() == ["bad ö", "good"]
    assert table.y.tolist() == ["con", "pro"]
    assert [str(one) for one in source.decisions] == [
        "folder: 1 files are not read (they are of other kinds)"
    ]


def test_what_is_wrong_with_a_folder_is_said_with_the_file(tmp_path):
    with pytest.raises(SourceError, match="without images"):
        open_source(tmp_path)
    (tmp_path / "a.png").write_bytes(b"no image")
    with pytest.raises(SourceError, match=r"a\.png' is not an image"):
        open_source(tmp_path)
    image(tmp_path / "a.png", [[1]])
    image(tmp_path / "sub" / "b.png", [[1]])
    with pytest.raises(SourceError, match="is not in a sub-folder"):
        open_source(tmp_path)
    with pytest.raises(ParameterError, match="target names a column"):
        open_source(tmp_path, target="y")


def test_a_truncated_picture_is_named_when_it_is_read(tmp_path):
    image(tmp_path / "a.png", np.random.default_rng(0).integers(0, 255, (40, 40)))
    whole = (tmp_path / "a.png").read_bytes()
    (tmp_path / "a.png").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SourceError, match=r"a\.png' is not an image"):
        gather(open_source(tmp_path))


def lines(path, rows):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.ndjson", "rows.jsonl.gz"])
def test_json_lines_are_rows_with_missing_names_missing(tmp_path, name):
    lines(tmp_path / name, [{"age": 3, "town": "Graz", "y": "a"}, {"town": "Linz", "y": "b"}])
    table = next(open_source(tmp_path / name, target="y").tables())
    np.testing.assert_array_equal(table.values["age"], [3.0, np.nan])
    assert table.values["town"].tolist() == ["Graz", "Linz"]
    assert table.y.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ('{"a": 1}\n{"a": ', SourceError, "no JSON in line 2"),
        ("[1, 2]\n", SourceError, "no object in line 1"),
        ('{"a": [[1]]}\n', SourceError, "a list under 'a' in line 1"),
        ("\n", SourceError, "is empty"),
        ("[" * 100_000, SourceError, "no JSON in line 1"),
        ('{"a": 1, "b": 2, "a": 3}', SourceError, "'a' comes twice"),
    ],
)
def test_what_is_wrong_with_json_lines_is_said_with_the_line(tmp_path, text, error, said):
    (tmp_path / "rows.jsonl").write_text(text)
    with pytest.raises(error, match=said):
        open_source(tmp_path / "rows.jsonl")


def test_json_lines_are_not_expanded_beyond_the_memory_budget(tmp_path):
    with gzip.open(tmp_path / "rows.jsonl.gz", "wb", 1) as file:
        file.write(b" " * 8_000_000)  # one line without end
    with (
        lookalike.config(memory="3MB"),
        pytest.raises(MemoryBudgetError, match=r"expands to at least 0\.003"),
    ):
        open_source(tmp_path / "rows.jsonl.gz")


def test_a_csv_is_not_expanded_beyond_the_memory_budget(tmp_path):
    with gzip.open(tmp_path / "rows.csv.gz", "wb", 1) as file:
        file.write(b"a,b\n" + b"0,0\n" * 200_000)
    with lookalike.config(memory="1MB"):
        source = open_source(tmp_path / "rows.csv.gz")
        assert sum(len(chunk.X) for chunk in source.chunks()) == 200_000  # in pieces
        with pytest.raises(MemoryBudgetError, match=r"csv\.gz' is compressed"):
            gather(source)
    assert len(gather(source).X) == 200_000


def png(path, width, height):
    """Write an image that claims to be of some size, and has nothing in it."""

    def part(kind, content):
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    content = part(b"IHDR", header) + part(b"IDAT", zlib.compress(b"")) + part(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + content)


@pytest.mark.parametrize(("side", "memory"), [(60_000, "100GB"), (12_000, "200MB"), (800, "1MB")])
def test_a_picture_too_large_for_memory_is_refused_before_it_is_read(side, memory, tmp_path):
    png(tmp_path / "large.png", side, side)
    with (
        lookalike.config(memory=memory),
        pytest.raises((SourceError, MemoryBudgetError), match=r"large\.png' has .*pixels"),
    ):
        open_source(tmp_path)


@pytest.mark.parametrize("place", [20, 40, 60])
def test_damaged_pictures_are_named(place, tmp_path):
    image(tmp_path / "a.png", np.random.default_rng(0).integers(0, 255, (9, 9)))
    whole = bytearray((tmp_path / "a.png").read_bytes())
    whole[place] ^= 0xFF
    (tmp_path / "a.png").write_bytes(whole)
    with pytest.raises(SourceError, match=r"a\.png' is not an image"):
        gather(open_source(tmp_path))


@pytest.mark.parametrize("suffix", [".png", ".txt"])
def test_pipes_in_a_folder_are_counted_and_not_waited_for(suffix, tmp_path):
    if suffix == ".png":
        image(tmp_path / "a.png", [[1]])
    else:
        (tmp_path / "a.txt").write_text("words")
    os.mkfifo(tmp_path / f"b{suffix}")
    (tmp_path / f"c{suffix}").symlink_to(tmp_path / f"b{suffix}")
    source = open_source(tmp_path)
    assert source.n_rows == 1
    assert "2 files are not read" in str(source.decisions)
