"""How the time of a parser grows with its input, and what a call takes of memory, for tests."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

NOISE_SECONDS = 0.004  # below which times are not compared
MOST_GROWTH = 3.0  # of the time with each doubling, on average: 2 is linear, 4 is quadratic


def fastest_seconds(call, repeats=3):
    """Return the processor time of the fastest of several calls.

    It does not count what other programs take meanwhile.
    """
    seconds = []
    for _ in range(repeats):
        begun = time.process_time()
        call()
        seconds.append(time.process_time() - begun)
    return min(seconds)


def require_linear(parse, make_input, size, doublings=4):
    """Raise where an input that doubles takes much more than twice the time to parse.

    `parse` may raise errors of the package: a refusal has to be as quick as a result.
    """
    inputs = [make_input(size * 2**step) for step in range(doublings)]
    seconds = [fastest_seconds(lambda content=content: parse(content)) for content in inputs]
    assert seconds[-1] < MOST_GROWTH ** (doublings - 1) * max(seconds[0], NOISE_SECONDS), seconds


def peak_bytes(pid):
    """Return the most memory that a process has had."""
    require_proc()
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(file.read().split("VmHWM:")[1].split()[0]) * 1024


def peak_growth(program, *arguments):
    """Run a program that defines `prepare` and `call`; return bytes that `call` adds at its peak.

    `call` gets what `prepare` returns, which is not counted.
    """
    require_proc()
    measured = program + MEASURE
    done = subprocess.run(
        [sys.executable, "-c", measured, *map(str, arguments)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return int(done.stdout.splitlines()[-1])


def require_proc():
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("the peak of memory is read from /proc, which this system does not have")


MEASURE = """
import resource, sys
def peak():
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) * 1024
content = prepare(*sys.argv[1:])
open("/proc/self/clear_refs", "w").write("5")  # the peak is counted from here on
before = peak()
call(content)
print(peak() - before)
"""
