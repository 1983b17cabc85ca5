"""A log grows line by line, and keeps what it accepted."""

from __future__ import annotations

import json
import os

import pytest

from lookalike.data.append_log import AppendLog
from lookalike.errors import LookalikeError, WriteError


def test_entries_are_there_when_the_log_is_opened_again(tmp_path):
    path = tmp_path / "deep" / "log"
    log = AppendLog(path, {"about": 1})
    assert not path.exists()
    log.append({"row": 1})
    log.append({"row": 2})
    log.close()
    again = AppendLog(path, {"about": 1})
    assert again.entries == [{"row": 1}, {"row": 2}]
    again.append({"row": 3})
    again.close()
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"about": 1}, {"row": 1}, {"row": 2}, {"row": 3},
    ]  # fmt: skip


def test_a_line_that_was_cut_off_is_not_there(tmp_path):
    path = tmp_path / "log"
    log = AppendLog(path, {"about": 1})
    log.append({"row": 1})
    log.close()
    whole = path.read_bytes()
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        log = AppendLog(path, {"about": 1})
        assert log.entries == ([{"row": 1}] if length == len(whole) else [])
        log.append({"row": 2})
        log.close()
        assert json.loads(path.read_text().splitlines()[-1]) == {"row": 2}


def test_a_log_about_something_else_or_no_log_is_refused(tmp_path):
    path = tmp_path / "log"
    path.write_text('{"about": 2}\n')
    with pytest.raises(LookalikeError, match="log of other data"):
        AppendLog(path, {"about": 1})
    path.write_text('{"about": 1}\nno json\n')
    with pytest.raises(LookalikeError, match="line 2 is no entry"):
        AppendLog(path, {"about": 1})


def test_what_could_not_be_written_is_not_there(tmp_path, monkeypatch):
    log = AppendLog(tmp_path / "log", {"about": 1})
    log.append({"row": 1})

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match="No space left"):
        log.append({"row": 2})
    monkeypatch.undo()
    assert log.entries == [{"row": 1}]
    log.append({"row": 3})
    log.close()
    assert AppendLog(tmp_path / "log", {"about": 1}).entries == [{"row": 1}, {"row": 3}]
