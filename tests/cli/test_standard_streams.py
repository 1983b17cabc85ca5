"""Closed streams and readers that go away: a clean exit code, and no traceback."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
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
        ("lookalike plan rows.csv 2>&-", 0),
        ("lookalike plan rows.csv <&- >&- 2>&-", 0),
        ("lookalike cluster rows.csv -k 2 -o out.csv <&- >&- 2>&-", 0),
        ("lookalike plan --nothing >&- 2>&-", 2),
        ("lookalike neighbors rows.csv -k 50 | head -1; exit ${PIPESTATUS[0]}", 0),
        ("lookalike reduce rows.csv -o - | true; exit ${PIPESTATUS[0]}", 0),
        ("lookalike plan none.csv 2> >(true); exit", 2),
        ("lookalike plan rows.csv >/dev/full", 2),
    ],
)
def test_closed_streams_end_in_a_clean_exit_code(command, code, tmp_path):
    if "/dev/full" in command and not os.path.exists("/dev/full"):
        pytest.skip("there is no device that is full")
    rows = np.random.default_rng(0).normal(size=(150, 4))
    np.savetxt(tmp_path / "rows.csv", rows, delimiter=",", header="a,b,c,d", comments="")
    ended = shell(command, tmp_path)
    assert ended.returncode == code, ended.stderr
    assert "Traceback" not in ended.stderr
    assert "Exception ignored" not in ended.stderr
    if "head" in command:
        note = "lookalike: preprocessing: z-scores (the default for such columns).\n"
        assert (ended.stdout, ended.stderr) == ("row,rank,neighbor,distance\n", note)
    if "-o out.csv" in command:  # the file is what it should be: no stream took its place
        assert (tmp_path / "out.csv").read_text().count("\n") == 151
    written = ["out.csv"] if "out.csv" in command else []
    assert sorted(os.listdir(tmp_path)) == [*written, "rows.csv"]
