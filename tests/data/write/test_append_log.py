"""A log grows line by line, and keeps what it accepted."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from lookalike.data.write.append_log import AppendLog, LogBusyError
from lookalike.errors import LookalikeError, WriteError


def add(log, *entries):
    with log.writing() as append:
        for entry in entries:
            append(entry)


def test_entries_are_there_when_the_log_is_opened_again(tmp_path):
    path = tmp_path / "deep" / "log"
    log = AppendLog(path, {"about": 1})
    assert not path.exists()
    add(log, {"row": 1}, {"row": 2})
    again = AppendLog(path, {"about": 1})
    assert again.entries == [{"row": 1}, {"row": 2}]
    add(again, {"row": 3})
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"about": 1}, {"row": 1}, {"row": 2}, {"row": 3},
    ]  # fmt: skip


def test_a_line_that_was_cut_off_is_not_there(tmp_path):
    path = tmp_path / "log"
    log = AppendLog(path, {"about": 1})
    add(log, {"row": 1})
    whole = path.read_bytes()
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        log = AppendLog(path, {"about": 1})
        assert log.entries == ([{"row": 1}] if length == len(whole) else [])
        add(log, {"row": 2})
        assert json.loads(path.read_text().splitlines()[-1]) == {"row": 2}


def test_a_log_about_something_else_or_no_log_is_refused(tmp_path):
    path = tmp_path / "log"
    path.write_text('{"about": 2}\n')
    with pytest.raises(LookalikeError, match="log of other data"):
        AppendLog(path, {"about": 1})
    path.write_text('{"about": 1}\nno json\n')
    with pytest.raises(LookalikeError, match="not an entry of a log: 'no json'"):
        AppendLog(path, {"about": 1})


def test_what_could_not_be_written_is_not_there(tmp_path, monkeypatch):
    log = AppendLog(tmp_path / "log", {"about": 1})
    add(log, {"row": 1})

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match="No space left"):
        add(log, {"row": 2})
    monkeypatch.undo()
    assert log.entries == [{"row": 1}]
    add(log, {"row": 3})
    assert AppendLog(tmp_path / "log", {"about": 1}).entries == [{"row": 1}, {"row": 3}]


def test_what_others_added_is_read_before_the_next_entry(tmp_path):
    ours, theirs = (AppendLog(tmp_path / "log", {"about": 1}) for _ in range(2))
    add(ours, {"row": 1})
    assert theirs.entries == []
    with theirs.writing() as append:
        assert theirs.read_new() == [{"row": 1}]
        append({"row": 2})
    assert ours.read_new() == [{"row": 2}]
    assert ours.entries == theirs.entries == [{"row": 1}, {"row": 2}]


def test_processes_that_write_at_once_lose_no_entry(tmp_path):
    program = (
        "import sys; from pathlib import Path\n"
        "from lookalike.data.write.append_log import AppendLog\n"
        "log = AppendLog(Path(sys.argv[1]), {'about': 1})\n"
        "for number in range(30):\n"
        "    with log.writing() as append:\n"
        "        log.read_new()\n"
        "        append({'writer': sys.argv[2], 'known': len(log.entries)})\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "log")]
    children = [subprocess.Popen([*command, name]) for name in "abc"]
    assert [child.wait(60) for child in children] == [0, 0, 0]
    entries = AppendLog(tmp_path / "log", {"about": 1}).entries
    assert [entry["known"] for entry in entries] == list(range(90))
    assert {entry["writer"] for entry in entries} == {"a", "b", "c"}


def test_a_log_that_another_process_holds_is_busy(tmp_path, monkeypatch):
    monkeypatch.setattr("lookalike.data.write.append_log.LOCK_SECONDS", 0.05)
    ours, theirs = (AppendLog(tmp_path / "log", {"about": 1}) for _ in range(2))
    with ours.writing(), pytest.raises(LogBusyError, match="Nothing was kept"):
        add(theirs, {"row": 1})
    add(theirs, {"row": 1})


def test_a_log_that_became_shorter_or_was_removed_is_an_error(tmp_path):
    log = AppendLog(tmp_path / "log", {"about": 1})
    add(log, {"row": 1}, {"row": 2})
    whole = (tmp_path / "log").read_bytes()
    (tmp_path / "log").write_bytes(whole[:-12])
    with pytest.raises(LookalikeError, match="has become shorter"):
        log.read_new()
    (tmp_path / "log").unlink()
    with pytest.raises(LookalikeError, match="was removed"):
        log.read_new()


@pytest.mark.skipif(os.name != "posix", reason="limits of files are of POSIX")
@pytest.mark.parametrize("room", [0, 1, 10, 30])
def test_a_disk_that_is_full_leaves_the_log_as_it_was(tmp_path, room):
    """A limit on the size of files ends a write where a full disk would."""
    add(AppendLog(tmp_path / "log", {"about": 1}), {"row": 1})
    before = (tmp_path / "log").read_bytes()
    program = (
        "import resource, sys; from pathlib import Path\n"
        "from lookalike.data.write.append_log import AppendLog\n"
        "from lookalike.errors import WriteError\n"
        "log, size = AppendLog(Path(sys.argv[1]), {'about': 1}), int(sys.argv[2])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))\n"
        "try:\n"
        "    with log.writing() as append:\n"
        "        append({'row': 2, 'text': 'a' * 100})\n"
        "except WriteError as error:\n"
        "    assert 'Nothing was kept' in str(error), error\n"
        "    assert log.read_new() == []\n"
        "    sys.exit(7)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "log"), str(len(before) + room)]
    assert subprocess.run(command, timeout=60, check=False).returncode == 7
    assert (tmp_path / "log").read_bytes() == before
