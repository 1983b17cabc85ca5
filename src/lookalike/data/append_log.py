"""A log of JSON lines that only grows: each is on the disk before `append` returns."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from pathlib import Path

from lookalike.data.atomic_write import sync_folder, try_lock
from lookalike.errors import ParameterError, SourceError, WriteError

FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)


class AppendLog:
    """Lines of a log, those that were there before included.

    The first line holds the header: what the log is about. The file is made with the first entry;
    one that is there is locked as long as the log is open. A last line without its end, as a
    killed process leaves it, was never accepted and is cut off.

    Parameters
    ----------
    path : Path
        The file.
    header : mapping
        What every entry is about, for example the fingerprint of the data. A log of another
        header is an error.
    """

    def __init__(self, path: Path, header: Mapping[str, object]) -> None:
        self.path, self._header = Path(path), dict(header)
        self.entries: list[dict[str, object]] = []
        self._file: int | None = None
        if self.path.exists():
            self._open()

    def append(self, entry: Mapping[str, object]) -> None:
        """Add an entry: when this returns, it is on the disk."""
        if self._file is None:
            self._open()
        self._write(entry)
        self.entries.append(dict(entry))

    def close(self) -> None:
        """Close the file; it may be opened by another process then."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, FLAGS, 0o644)
        except OSError as error:
            raise WriteError(f"{self.path} cannot be written: {error.strerror}.") from None
        if try_lock(self._file) is False:
            self.close()
            raise WriteError(
                f"{self.path} is being written by another process. Close it, or give another file."
            )
        try:
            self._read()
        except BaseException:
            self.close()
            raise

    def _read(self) -> None:
        handle = self._handle()
        content = b""
        while block := os.pread(handle, 2**20, len(content)):
            content += block
        complete = content[: content.rfind(b"\n") + 1]
        if len(complete) < len(content):
            os.ftruncate(handle, len(complete))
        lines = [self._parsed(place, line) for place, line in enumerate(complete.splitlines(), 1)]
        if not lines:
            self._write(self._header)
            sync_folder(self.path.parent)
            return
        if lines[0] != self._header:
            raise ParameterError(
                f"{self.path} is a log of other data or of another study. Move it, or give another "
                "file for corrections."
            )
        self.entries = lines[1:]

    def _parsed(self, number: int, line: bytes) -> dict[str, object]:
        try:
            content = json.loads(line)
        except ValueError:
            content = None
        if not isinstance(content, dict):
            raise SourceError(f"{self.path}, line {number} is no entry of a log. Move it.")
        return content

    def _write(self, entry: Mapping[str, object]) -> None:
        line = json.dumps(entry, ensure_ascii=True, allow_nan=False).encode() + b"\n"
        handle = self._handle()
        before = os.fstat(handle).st_size
        try:
            if os.write(handle, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(handle)
        except OSError as error:
            os.ftruncate(handle, before)  # what was not accepted is not there
            raise WriteError(f"{self.path} cannot be written: {error.strerror}.") from None

    def _handle(self) -> int:
        assert self._file is not None
        return self._file
