"""The bytes of a text file, of standard input or of a pipe, read from the start."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
from typing import Any, BinaryIO, TypeAlias

from lookalike.data.fifo import open_reader
from lookalike.errors import ParameterTypeError, RepeatError, SourceError
from lookalike.settings import require_memory

GZIPPED = b"\x1f\x8b"
HEAD = 1 << 22  # bytes in which the header and the first row must be


StreamContent: TypeAlias = tuple[str, bytes]  # what a stream is called, and all that it held


def read_whole(stream: Any) -> StreamContent:
    """Return all bytes of a stream."""
    return _name_of(stream), stream.read()


def called(data: str | StreamContent) -> str:
    """Return what a path or a stream is called in a sentence."""
    return repr(data) if isinstance(data, str) else data[0]


def opened(data: str | StreamContent) -> Any:
    """Return what libraries open: the path, or the content as a file."""
    return data if isinstance(data, str) else io.BytesIO(data[1])


def _name_of(stream: object) -> str:
    if stream is getattr(sys.stdin, "buffer", None):
        return "standard input"
    return repr(getattr(stream, "name", "the open file"))


def require_budget(name: str, size: int) -> None:
    """Raise where what a compressed file expands to does not fit the memory budget."""
    advice = "Raise the budget: lookalike.config(memory=…), or give it uncompressed."
    require_memory(size, f"{name} is compressed and expands to at least", advice)


class Expanded(io.RawIOBase):
    """What a compressed file expands to, as much of it as the memory budget holds."""

    def __init__(self, raw: BinaryIO, name: str) -> None:
        super().__init__()
        self._raw, self._name, self._size = raw, name, 0

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill `buffer` and return how many bytes were there."""
        data = self._raw.read(len(buffer))
        self._size += len(data)
        require_budget(self._name, self._size)
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the file below."""
        self._raw.close()
        super().close()


class TextInput:
    """A file that may be opened again, or a stream that is read once.

    Only the bytes that a regular file has when it is first seen are read, so that a file which
    is still being written gives the same rows in every pass. `packed` is the name of the input
    where that is compressed.
    """

    packed: str | None = None

    def __init__(self, data: Any) -> None:
        self._wide = True  # until the encoding is known
        self._stream: BinaryIO | None = None
        self._path: str | None = None
        self._limit: int | None = None
        if data == "-":
            self.name, self._stream = _name_of(sys.stdin.buffer), sys.stdin.buffer
        elif isinstance(data, str):
            self.name, self._path = repr(data), data
            status = os.stat(data)
            if not stat.S_ISREG(status.st_mode):
                self._stream = open_reader(data)
            elif not data.lower().endswith(".gz"):
                self._limit = status.st_size
            else:
                self.packed = self.name
        else:
            self.name, self._stream = _name_of(data), data
        self.repeatable = self._stream is None
        self._head = b""

    def look(self) -> bytes:
        """Return the first bytes, which `open` gives again."""
        if self.repeatable:
            with self._open_path() as stream:
                return stream.read(HEAD)
        assert self._stream is not None
        head = self._stream.read(HEAD)
        if not isinstance(head, bytes):
            raise ParameterTypeError(f"{self.name} is open as text. Open it with mode 'rb'.")
        if head.startswith(GZIPPED):
            self.packed = self.name
            packed = TextBytes(self._stream, self.name, head=head, wide=True, owned=False)
            unpacked: Any = gzip.GzipFile(fileobj=io.BufferedReader(packed))
            head = TextBytes(unpacked, self.name, wide=True, owned=False).read(HEAD)
            self._stream = unpacked
        self._head = head
        return head

    def read_as(self, encoding: str, head: bytes) -> None:
        """Take a NUL byte, in the head and later, as an error, unless letters have them."""
        self._wide = encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32"))
        TextBytes(io.BytesIO(head), self.name, wide=self._wide).read(len(head))

    def open(self) -> TextBytes:
        """Return the bytes from the start."""
        if self.repeatable:
            return self._open_path()
        if self._stream is None:
            raise RepeatError(
                f"{self.name} was read already, and its rows are needed again. Give a file."
            )
        stream, self._stream = self._stream, None
        head, self._head = self._head, b""
        return TextBytes(
            stream, self.name, head=head, wide=self._wide, owned=self._path is not None
        )

    def _open_path(self) -> TextBytes:
        assert self._path is not None
        opener: Any = gzip.open if self._path.lower().endswith(".gz") else open
        try:
            raw = opener(self._path, "rb")
        except OSError as error:
            raise SourceError(f"{self.name} cannot be read: {error.strerror}.") from None
        return TextBytes(raw, self.name, limit=self._limit, wide=self._wide)


class TextBytes(io.RawIOBase):
    """A stream that starts with `head`, ends at `limit`, and refuses what is no text."""

    def __init__(
        self,
        raw: BinaryIO,
        name: str,
        *,
        head: bytes = b"",
        limit: int | None = None,
        wide: bool = False,
        owned: bool = True,
    ) -> None:
        super().__init__()
        self._raw, self._name, self._head, self._left = raw, name, head, limit
        self._wide, self._owned, self._seen = wide, owned, 0

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Return up to `size` bytes, none at the end."""
        size = sys.maxsize if size is None or size < 0 else size
        if self._head:
            data, self._head = self._head[:size], self._head[size:]
        else:
            size = size if self._left is None else min(size, self._left)
            data = self._read_raw(size)
            self._left = None if self._left is None else self._left - len(data)
        if not self._wide and (place := data.find(b"\0")) >= 0:
            raise SourceError(
                f"{self._name} has a NUL byte at byte {self._seen + place}, which no text has. "
                "Give a csv file, or its encoding, for example encoding='utf-16'."
            )
        self._seen += len(data)
        return data

    def readinto(self, buffer: Any) -> int:
        """Fill `buffer` and return how many bytes were there."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the stream below, unless it is the user's."""
        if self._owned:
            self._raw.close()
        super().close()

    def _read_raw(self, size: int) -> bytes:
        try:
            return self._raw.read(size)
        except (EOFError, OSError) as error:
            raise SourceError(f"{self._name} is damaged or truncated: {error}.") from None
