"""A pass over a mapped file keeps only the pages at work."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from test_import import run

from lookalike.data import open_source

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
