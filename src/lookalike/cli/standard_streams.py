"""Standard streams that are closed from the start, or whose reader goes away."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any


def open_closed_streams() -> None:
    """Let closed streams lead nowhere, so that no file that is opened later takes their place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        mode = "w" if number else "r"
        try:
            os.fstat(number)
        except OSError:
            os.dup2(_nowhere(), number)
        if getattr(sys, name) is None:
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - it stays
            setattr(sys, name, stream)


def flush_streams() -> None:
    """Write out what is left; what cannot be written is dropped."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            drop(stream)


def drop(stream: Any) -> None:
    """Let a stream that cannot be written lead nowhere from now on."""
    with contextlib.suppress(OSError, ValueError):  # a stream without a number
        os.dup2(_nowhere(), stream.fileno())


def _nowhere() -> int:
    return os.open(os.devnull, os.O_RDWR)
