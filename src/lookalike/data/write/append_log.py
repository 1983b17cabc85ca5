"""A log of JSON lines that only grows, shared by processes: the file is what was accepted."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from lookalike.data.write.atomic_write import sync_folder, try_lock
from lookalike.errors import LookalikeError, ParameterError, SourceError, WriteError

OPEN_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
LOCK_SECONDS = 10.0  # that a writer waits for another one
LOCK_POLL_SECONDS = 0.01


class LogBusyError(LookalikeError, BlockingIOError):
    """Another process holds the lock of a log."""


class AppendLog:
    """Lines of a log, those that were there before and those of other processes included.

    The first line holds the header: what the log is about. The file is made with the first entry.
    It is locked while an entry is added, so that several processes may share it: each reads what
    the others added before it adds its own. A last line without its end, as a killed process
    leaves it, was never accepted and is cut off.

    Parameters
    ----------
    path : Path
        The file.
    header : mapping
        What every entry is about, for example the fingerprint of the data. A log of another
        header is an error.

    Attributes
    ----------
    entries : list of dict
        The entries that were read or added so far.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> ours, theirs = (AppendLog(Path(folder.name) / "log", {"about": 1}) for _ in range(2))
    >>> with ours.writing() as append:
    ...     append({"row": 3})
    >>> theirs.read_new()
    [{'row': 3}]
    >>> folder.cleanup()
    """

    path: Path

    def __init__(self, path: Path, header: Mapping[str, object]) -> None:
        self.path, self._header = Path(path), dict(header)
        self.entries: list[dict[str, object]] = []
        self._position = 0  # bytes of the file that were read
        self.read_new()
        if self.path.exists() and self.path.stat().st_size > self._position:
            with self.writing():  # when another process has written on, or what it left is cut off
                self.read_new()

    def read_new(self) -> list[dict[str, object]]:
        """Return the entries that were added since the last look, by this process or others."""
        try:
            with open(self.path, "rb") as file:
                if os.fstat(file.fileno()).st_size < self._position:
                    raise SourceError(
                        f"{self.path} has become shorter, so accepted entries were removed from "
                        "it. Start again to read it as it is."
                    )
                file.seek(self._position)
                content = file.read()
        except FileNotFoundError:
            if self._position:
                raise SourceError(f"{self.path} was removed. Start again without it.") from None
            return []
        except OSError as error:
            raise SourceError(f"{self.path} cannot be read: {error.strerror}.") from None
        lines = content[: content.rfind(b"\n") + 1]
        new = [self._parse(line) for line in lines.splitlines()]
        if new and not self._position:
            self._require_header(new.pop(0))
        self._position += len(lines)
        self.entries += new
        return new

    @contextmanager
    def writing(self) -> Iterator[_Append]:
        """Lock the log and give the function that adds an entry, on the disk when it returns.

        Call `read_new` inside before an entry is made that depends on others.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, OPEN_FLAGS, 0o644)
        except OSError as error:
            raise WriteError(f"{self.path} cannot be written: {error.strerror}.") from None
        try:
            self._lock(handle)
            self._cut_unfinished(handle)
            yield _Append(self, handle)
        finally:
            os.close(handle)  # which unlocks it

    def add(self, handle: int, entry: Mapping[str, object]) -> None:
        """Add an entry to the file that `writing` opened."""
        if os.fstat(handle).st_size == 0:
            self._write(handle, self._header)
            sync_folder(self.path.parent)
        self._write(handle, entry)
        self.read_new()

    def _lock(self, handle: int) -> None:
        deadline = time.monotonic() + LOCK_SECONDS
        while try_lock(handle) is False:
            if time.monotonic() > deadline:
                raise LogBusyError(
                    f"{self.path} is being written by another process for more than "
                    f"{LOCK_SECONDS:g} seconds. Nothing was kept; try again, or end that process."
                )
            time.sleep(LOCK_POLL_SECONDS)

    def _cut_unfinished(self, handle: int) -> None:
        """Cut off a last line without its end, which was never accepted."""
        size = os.fstat(handle).st_size
        with open(self.path, "rb") as file:
            file.seek(self._position)
            content = file.read()
        complete = self._position + content.rfind(b"\n") + 1
        if complete < size:
            os.ftruncate(handle, complete)

    def _parse(self, line: bytes) -> dict[str, object]:
        try:
            content = json.loads(line)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            start = line[:40].decode("utf-8", "replace")
            raise SourceError(
                f"{self.path} holds a line that is not an entry of a log: {start!r}. Move the file."
            )
        return content

    def _require_header(self, header: Mapping[str, object]) -> None:
        if header != self._header:
            raise ParameterError(
                f"{self.path} is a log of other data or of another study. Move it, or give another "
                "file for corrections."
            )

    def _write(self, handle: int, entry: Mapping[str, object]) -> None:
        line = json.dumps(entry, ensure_ascii=True, allow_nan=False).encode() + b"\n"
        before = os.fstat(handle).st_size
        try:
            if os.write(handle, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(handle)
        except OSError as error:
            self._take_back(handle, before, error)
            raise WriteError(
                f"{self.path} cannot be written: {error.strerror}. Nothing was kept."
            ) from None

    def _take_back(self, handle: int, size: int, cause: OSError) -> None:
        """Cut off what was written in part; where that fails, say what is known of the log."""
        try:
            os.ftruncate(handle, size)
        except OSError:
            raise WriteError(
                f"{self.path} cannot be written: {cause.strerror}. Whether the entry was kept is "
                "known when the log is read again."
            ) from None


class _Append:
    """Adds entries to a log while it is locked."""

    def __init__(self, log: AppendLog, handle: int) -> None:
        self._log, self._handle = log, handle

    def __call__(self, entry: Mapping[str, object]) -> None:
        """Add an entry: when this returns, it is on the disk."""
        self._log.add(self._handle, entry)
