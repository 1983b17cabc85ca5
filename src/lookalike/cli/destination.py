"""Where a command writes: checked before the work, and ``-`` is standard output."""

from __future__ import annotations

import sys
from pathlib import Path

from lookalike.data.atomic_write import Place, descriptor_of, require_writable
from lookalike.errors import ParameterError


def is_standard_output(path: Path) -> bool:
    """Return whether a path is ``-`` or the device of standard output."""
    return str(path) == "-" or descriptor_of(path) == 1


def destination(path: Path) -> Place:
    """Return what is written to: the path, or standard output."""
    if not is_standard_output(path):
        return path
    sys.stdout.flush()
    return sys.stdout.buffer


def check_destinations(*paths: Path | None, json: bool) -> bool:
    """Return whether a file goes to standard output; raise where one cannot be written."""
    given = [path for path in paths if path is not None]
    streamed = [path for path in given if is_standard_output(path)]
    if len(streamed) + json > 1:
        other = "--json" if json else "another file"
        raise ParameterError(
            f"{streamed[0]} and {other} would both go to standard output. Give a file for one."
        )
    for path in given:
        if path not in streamed:
            require_writable(path)
    return bool(streamed)
