"""A pass over a mapped file keeps only the pages at work."""

from __future__ import annotations

import os
import sys

import numpy as np
import pyarrow as pa
import pytest
from test_import import run

from lookalike.data import open_source
from lookalike.errors import SourceError

PASS = """
import sys
import lookalike
from lookalike.data import open_source
lookalike.config(memory="32MB")
def resident():
    return int(next(l for l in open("/proc/self/status") if l.startswith("RssFile")).split()[1])
source = open_source(sys.argv[1])
before = resident()
print(max(chunk.X.sum() * 0 + resident() - before for chunk in source.chunks()))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_a_pass_over_a_mapped_file_hands_its_pages_back(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, np.ones((40_000, 250)))  # 80 MB
    kilobytes = float(run(PASS.replace("sys.argv[1]", repr(str(path)))))
    assert kilobytes < 20_000


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_the_rows_are_what_the_file_holds_in_every_mode(tmp_path, mode):
    path = tmp_path / "rows.npy"
    expected = np.arange(60_000.0).reshape(-1, 6)
    np.save(path, expected)
    rows = np.load(path, mmap_mode=mode)
    if mode != "r":
        rows[7, 3] = expected[7, 3] = -1.0
    for _ in range(2):
        result = np.concatenate([chunk.X for chunk in open_source(rows).chunks(100)])
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("kind", ["npy", "arrow"])
def test_a_file_that_is_truncated_between_chunks_is_an_error_and_not_the_end(kind, tmp_path):
    path, X = tmp_path / f"rows.{kind}", np.ones((50_000, 4))
    if kind == "npy":
        np.save(path, X)
    else:
        table = pa.table({f"c{j}": X[:, j] for j in range(4)})
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=10_000)
    chunks = open_source(path).chunks(1000)
    assert next(chunks).X.sum() == 4000
    os.truncate(path, 1000)
    with pytest.raises(SourceError, match="was truncated while it was read"):
        list(chunks)


def test_rows_of_a_deleted_file_are_read(tmp_path):
    np.save(tmp_path / "rows.npy", np.ones((9, 2)))
    rows = np.load(tmp_path / "rows.npy", mmap_mode="r")
    (tmp_path / "rows.npy").unlink()
    assert next(open_source(rows).chunks()).X.sum() == 18
