"""Closed streams and readers that go away: a clean exit code, and no traceback."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="streams are closed by a shell")
PROGRAM = f"{sys.executable} -m lookalike"


def shell(command, folder):
    return subprocess.run(
        ["bash", "-c", command.replace("lookalike", PROGRAM, 1)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("lookalike plan iris 2>&-", 0),
        ("lookalike plan iris <&- >&- 2>&-", 0),
        ("lookalike cluster iris -k 2 -o out.csv <&- >&- 2>&-", 0),
        ("lookalike plan --nothing >&- 2>&-", 2),
        ("lookalike neighbors iris -k 50 | head -1; exit ${PIPESTATUS[0]}", 0),
        ("lookalike reduce iris -o - | true; exit ${PIPESTATUS[0]}", 0),
        ("lookalike plan none.csv 2> >(true); exit", 2),
        ("lookalike plan iris >/dev/full", 2),
    ],
)
def test_closed_streams_end_in_a_clean_exit_code(command, code, tmp_path):
    if "/dev/full" in command and not os.path.exists("/dev/full"):
        pytest.skip("there is no device that is full")
    ended = shell(command, tmp_path)
    assert ended.returncode == code, ended.stderr
    assert "Traceback" not in ended.stderr
    assert "Exception ignored" not in ended.stderr
    if "-o out.csv" in command:  # the file is what it should be: no stream took its place
        assert (tmp_path / "out.csv").read_text().count("\n") == 151
    assert os.listdir(tmp_path) == (["out.csv"] if "out.csv" in command else [])
