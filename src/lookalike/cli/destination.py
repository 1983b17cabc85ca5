"""Where a command writes: checked before the work, and ``-`` is standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from lookalike.data.write.atomic_write import Place, descriptor_of, is_stream, require_writable
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


def check_destinations(
    *paths: Path | None, json: bool, inputs: Iterable[Path | str | None]
) -> bool:
    """Return whether a file goes to standard output; raise where one cannot be written.

    A file that is read, by whatever name, is not written; nor are two outputs to one file.
    """
    given = [path for path in paths if path is not None]
    streamed = [path for path in given if is_standard_output(path)]
    if len(streamed) + json > 1:
        other = "--json" if json else "another file"
        raise ParameterError(
            f"{streamed[0]} and {other} would both go to standard output. Give a file for one."
        )
    written = [path for path in given if path not in streamed]
    require_other_files(written, inputs)
    for position, path in enumerate(written):
        if any(_is_same(path, other) for other in written[:position]):
            raise ParameterError(f"Two outputs would go to {path}. Give each a file of its own.")
        require_writable(path)
    return bool(streamed)


def require_other_files(outputs: Iterable[Path], inputs: Iterable[Path | str | None]) -> None:
    """Raise where an output would replace a file that is read, or one inside a folder that is."""
    read = [Path(path) for path in inputs if path is not None and str(path) != "-"]
    for output in outputs:
        if is_stream(output):
            continue
        for path in read:
            inside = _is_inside(output, path)
            if inside or (_exists(path) and _is_same(output, path)):
                raise ParameterError(
                    f"The output {output} would replace {'part of ' if inside else ''}{path}, "
                    "which is read. Give another file for the output."
                )


def _is_same(path: Path, other: Path) -> bool:
    """Return whether two paths lead to one file: by links, hard links, or another spelling."""
    try:
        if path.exists() and other.exists():
            return path.samefile(other)
        return os.path.realpath(path) == os.path.realpath(other)  # also of links in a circle
    except (OSError, ValueError):  # a path that none can have
        return False


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _is_inside(path: Path, folder: Path) -> bool:
    """Return whether a path is that of a file inside a folder."""
    try:
        inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
        return inside and folder.is_dir() and path.is_file()
    except (OSError, ValueError):
        return False
