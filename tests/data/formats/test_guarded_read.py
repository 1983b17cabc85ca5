"""A reader that hangs, crashes or raises gives one sentence; the file is named in it."""

from __future__ import annotations

import sys

import pytest
import work_functions

from lookalike.data.formats import guarded_read as module
from lookalike.data.formats.guarded_read import guarded_read
from lookalike.errors import MemoryBudgetError, SourceError
from lookalike.settings import config

ADVICE = "Export it as csv."


def test_what_the_reader_returns_comes_back_of_paths_and_of_streams():
    assert guarded_read(work_functions.echo, "t.x", 1, advice=ADVICE) == ("t.x", 1, "'t.x'")
    stream = ("standard input", b"abc")
    assert guarded_read(work_functions.echo, stream, advice=ADVICE) == (b"abc", "standard input")


def test_a_reader_that_crashes_or_hangs_is_one_sentence(monkeypatch):
    with pytest.raises(SourceError, match=r"'t\.x' is damaged: its reader crashed .*code 4.*csv"):
        guarded_read(work_functions.crash_reading, "t.x", advice=ADVICE)
    monkeypatch.setattr(module, "SHORTEST_LIMIT_SECONDS", 0.3)
    with pytest.raises(SourceError, match=r"Reading 't\.x' was stopped after 0\.3 s\. Export"):
        guarded_read(work_functions.hang_reading, "t.x", advice=ADVICE)


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory")
def test_a_reader_that_takes_memory_without_end_is_one_sentence():
    with config(memory="200MB"), pytest.raises(MemoryBudgetError, match=r"of 0\.2 GB\. Export"):
        guarded_read(work_functions.fill_memory_reading, "t.x", advice=ADVICE)


def test_errors_of_the_reader_keep_their_text():
    with pytest.raises(SourceError, match=r"^2 rows are too few\. Give 3\.$"):
        guarded_read(work_functions.raise_reading, "t.x", advice=ADVICE)
