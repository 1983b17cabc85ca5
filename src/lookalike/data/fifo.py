"""Named pipes opened without waiting for ever: the other program must come within seconds."""

from __future__ import annotations

import errno
import io
import os
import select
import sys
import time
from typing import Any, BinaryIO

from lookalike.errors import SourceError, WriteError

PIPE_OPEN_SECONDS = 5.0  # seconds in which the other program must open the pipe
PIPE_POLL_SECONDS = 0.02
PIPE_WAITS_FOR_WRITER = (
    sys.platform == "linux"
)  # whether a pipe is ready only after a writer was there


def open_reader(path: str) -> BinaryIO:
    """Return a named pipe to read from; a program must write to it."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        head = _first_bytes(handle, path)
        os.set_blocking(handle, True)
        return io.BufferedReader(_PipeFrom(handle, head, path))
    except BaseException:
        os.close(handle)
        raise


class _PipeFrom(io.RawIOBase):
    """A pipe of which the first bytes have been read already."""

    def __init__(self, handle: int, head: bytes, name: str) -> None:
        super().__init__()
        self._handle, self._head, self.name = handle, head, name

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._handle

    def readinto(self, buffer: Any) -> int:
        if self._head:
            size = min(len(buffer), len(self._head))
            buffer[:size], self._head = self._head[:size], self._head[size:]
            return size
        return os.readv(self._handle, [buffer])

    def close(self) -> None:
        if not self.closed:
            os.close(self._handle)
        super().close()


def _first_bytes(handle: int, path: str) -> bytes:
    """Return what is in the pipe, none where its writer has not written or ended without a byte."""
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    end = time.monotonic() + PIPE_OPEN_SECONDS
    while True:
        ready = waiting.poll(PIPE_POLL_SECONDS * 1000)
        try:
            if (head := os.read(handle, 8)) or (ready and PIPE_WAITS_FOR_WRITER):
                return head
        except BlockingIOError:  # a writer is there, and has not written yet
            return b""
        if ready:
            time.sleep(PIPE_POLL_SECONDS)
        if time.monotonic() > end:
            raise SourceError(
                f"{path!r} is a pipe that no program writes to (waited {PIPE_OPEN_SECONDS:g} s). "
                "Start the program that writes to it, or give a file."
            )


def open_writer(path: str) -> BinaryIO:
    """Return a named pipe to write to; a program must read from it."""
    end = time.monotonic() + PIPE_OPEN_SECONDS
    while True:
        try:
            handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
        else:
            os.set_blocking(handle, True)
            return os.fdopen(handle, "wb")
        if time.monotonic() > end:
            raise WriteError(
                f"{path} is a pipe that no program reads from (waited {PIPE_OPEN_SECONDS:g} s). "
                "Start the program that reads from it, or give a file."
            )
        time.sleep(PIPE_POLL_SECONDS)
