"""Results that take a while do not keep a program from ending, nor end it with an error."""

from __future__ import annotations

import subprocess
import sys

import pytest

from lookalike.web.explorer.pending import NotReadyError, Pending

ENDLESS = """
import time
from lookalike.progress import progress
from lookalike.web.explorer.pending import Pending

def compute():
    with progress("steps", None) as advance:
        while True:
            time.sleep(0.01)
            advance(1)

Pending(compute, "steps").start()
print("ended")
"""


def test_a_program_that_ends_stops_what_it_was_computing():
    done = subprocess.run(
        [sys.executable, "-c", ENDLESS], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")


def test_a_result_is_computed_once_and_an_error_is_raised_where_it_is_wanted():
    calls = []
    pending = Pending(lambda: calls.append(1) or len(calls), "counting")
    assert [pending.get(), pending.get()] == [1, 1]
    assert pending.ready
    failing = Pending(lambda: 1 / 0, "dividing")
    with pytest.raises(ZeroDivisionError):
        failing.get()
    with pytest.raises(NotReadyError, match="counting"):
        Pending(lambda: __import__("time").sleep(0.5), "counting").get(patience=0.01)
