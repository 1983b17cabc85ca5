"""The bytes of a text file, of standard input or of a pipe, read from the start."""

from __future__ import annotations

import codecs
import io
import os
import stat
import sys
from typing import Any, BinaryIO, TypeAlias

from lookalike.data.fifo import open_reader
from lookalike.data.formats.compression import compression_of, expand
from lookalike.data.formats.encodings import (
    LetterCount,
    RepairedBytes,
    Utf8Repair,
    choose_encoding,
    sniff_encoding,
)
from lookalike.data.formats.file_names import Format
from lookalike.data.formats.zip_members import container_format, open_member, seekable_bytes
from lookalike.decisions import Decisions
from lookalike.errors import ParameterTypeError, RepeatError, SourceError
from lookalike.settings import require_memory

HEAD_BYTES = 1 << 22  # bytes in which the header and the first row must be
MAX_COMPRESSION_LAYERS = 2  # a compressed file in an archive
MAGIC_BYTES = 16  # in which the format of a file is written


StreamContent: TypeAlias = tuple[str, bytes]  # what a stream is called, and all that it held


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


class TextInput:
    """A file that may be opened again, or a stream that is read once; what it expands to.

    Compression is known by the first bytes. Only the bytes that a regular file has when it is
    first seen are read, so that a file which is still being written gives the same rows in every
    pass. `packed` is the name of the input if that is compressed, `member` that of the file in a
    zip archive, `table` what is left to choose inside, `container` the format of a file that is
    an archive inside, such as a workbook.
    """

    name: str

    packed: str | None = None
    member: str | None = None
    container: Format | None = None

    def __init__(self, data: Any, table: str | None = None) -> None:
        self._wide = True  # until the encoding is known
        self._mixed = False  # whether single bytes are not in the encoding
        self._decisions: Decisions | None = None
        self._table = self.table = table
        self._stream: BinaryIO | None = None
        self._path: str | None = None
        self._content: bytes | None = None
        self._limit: int | None = None
        self._skipped = 0  # bytes before the first line of the table
        if data == "-":
            self.name, self._stream = _name_of(sys.stdin.buffer), sys.stdin.buffer
        elif isinstance(data, str):
            self.name, self._path = repr(data), data
            status = os.stat(data)
            if stat.S_ISREG(status.st_mode):
                self._limit = status.st_size
            else:
                self._stream = open_reader(data)
        elif isinstance(data, tuple):
            self.name, self._content = data
        else:
            self.name, self._stream = _name_of(data), data
        self.repeatable: bool = self._stream is None
        self._head: bytes | None = None

    @property
    def path(self) -> str | None:
        """The path of a file that can be opened again and is not compressed."""
        return self._path if self.repeatable and self.packed is None else None

    def look(self) -> bytes:
        """Return the first bytes, which `open` gives again."""
        if self._head is None and self.repeatable:
            with self._open_again() as stream:
                self._head = _read_up_to(stream, HEAD_BYTES)
        if self._head is None:
            assert self._stream is not None
            head = self._stream.read(HEAD_BYTES)
            if not isinstance(head, bytes):
                raise ParameterTypeError(f"{self.name} is open as text. Open it with mode 'rb'.")
            start = TextBytes(self._stream, self.name, head=head, wide=True, owned=False)
            expanded = self._expand(io.BufferedReader(start))
            if self.packed:
                head = _read_up_to(expanded, HEAD_BYTES)
                self._stream = expanded
            self._head = head
        return self._head

    def sniff_encoding(self, head: bytes, decisions: Decisions) -> str:
        """Return the encoding of the file, which is recorded unless it is plain utf-8.

        The whole file decides if it can be read again. In a stream, a byte that is not in the
        encoding of the first bytes is taken as a letter of cp1252 when it comes.
        """
        encoding, self._mixed = sniff_encoding(head, self.name, decisions)
        if encoding == "utf-8" and not self._mixed and len(head) == HEAD_BYTES:
            if self.repeatable:
                encoding, self._mixed = self._encoding_of_all(decisions)
            else:
                self._mixed, self._decisions = True, decisions
        return encoding

    def read_as(self, encoding: str, head: bytes) -> None:
        """Take a NUL byte, in the head and later, as an error, unless letters have them."""
        self._wide = encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32"))
        TextBytes(io.BytesIO(head), self.name, wide=self._wide).read(len(head))

    def skip_lines(self, lines: int, head: bytes, encoding: str) -> str:
        """Leave out the first lines from now on; return the encoding of what follows them."""
        if encoding in ("utf-16", "utf-32"):  # of which the mark is left out as well
            little = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF32_LE))
            encoding = f"{encoding}-{'le' if little else 'be'}"
        rest = head.split("\n".encode(encoding), lines)[-1]
        self._skipped = len(head) - len(rest)
        return encoding

    def open(self, *, whole: bool = False) -> TextBytes | RepairedBytes:
        """Return the bytes from the start; all at once must fit the memory budget if `whole`."""
        if self.repeatable:
            self._head = None
            bytes_ = self._open_again()
        elif self._stream is None:
            raise RepeatError(
                f"{self.name} was read already, and its rows are needed again. Give a file."
            )
        else:
            stream, self._stream = self._stream, None
            head, self._head = self._head or b"", None
            owned = self._path is not None
            bytes_ = TextBytes(stream, self.name, head=head, wide=self._wide, owned=owned)
        bytes_.budgeted = whole and self.packed is not None
        _read_up_to(bytes_, self._skipped)
        return RepairedBytes(bytes_, self._decisions) if self._mixed else bytes_

    def _open_again(self) -> TextBytes:
        if self._content is not None:
            raw: Any = io.BytesIO(self._content)
        else:
            try:
                raw = open(str(self._path), "rb")  # noqa: SIM115 - closed with what reads it
            except OSError as error:
                raise SourceError(
                    f"{self.name} cannot be read: {error.strerror}. Check that it exists and that "
                    "you may read it, or give another file."
                ) from None
        try:
            expanded = self._expand(raw)
        except BaseException:
            raw.close()
            raise
        limit = None if self.packed else self._limit
        return TextBytes(expanded, self.name, limit=limit, wide=self._wide)

    def _expand(self, raw: Any) -> Any:
        """Return what a stream expands to, through an archive and a compression inside it."""
        for _ in range(MAX_COMPRESSION_LAYERS):
            start = _first_bytes(raw)
            if (compression := compression_of(start)) is None:
                break
            if compression == "zip":
                raw = seekable_bytes(raw)
                self.container = container_format(raw, self.name)
                raw.seek(0)
                if self.container:
                    break
                self.member, expanded, self.table = open_member(raw, self.name, self._table)
            else:
                expanded = expand(raw, compression, self.name)
            self.packed = self.name
            raw = io.BufferedReader(expanded)
        return raw

    def _encoding_of_all(self, decisions: Decisions) -> tuple[str, bool]:
        """Return the encoding that all bytes of a file say."""
        repair, start, line = Utf8Repair(), 0, 1
        with self._open_again() as stream:
            while data := _read_up_to(stream, HEAD_BYTES):
                repair.feed(data)
                if repair.invalid:
                    letters = LetterCount(repair.valid, repair.invalid, repair.first)
                    return choose_encoding(data, letters, decisions, start=start, line=line)
                start, line = start + len(data), line + data.count(b"\n")
        return "utf-8", False


class TextBytes(io.RawIOBase):
    """A stream that starts with `head`, ends at `limit`, and refuses what is not a text."""

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
        self.budgeted = False  # whether all bytes must fit the memory budget

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
        if not self._wide and (position := data.find(b"\0")) >= 0:
            raise SourceError(
                f"{self._name} has a NUL byte at byte {self._seen + position}, which no text has. "
                "Give its encoding, for example encoding='utf-16', or take the NUL bytes out: "
                "tr -d '\\0' < FILE > clean.csv."
            )
        self._seen += len(data)
        if self.budgeted:
            require_budget(self._name, self._seen)
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


def open_text(data: TextInput, decisions: Decisions) -> io.TextIOWrapper:
    """Return the text of a file that is read into memory as a whole, in its encoding."""
    head = data.look()
    encoding = data.sniff_encoding(head, decisions)
    data.read_as(encoding, head)
    codec = "utf-8-sig" if encoding == "utf-8" else encoding
    return io.TextIOWrapper(io.BufferedReader(data.open(whole=True)), encoding=codec)


def read_content(data: TextInput) -> StreamContent:
    """Return all bytes of a file or stream, expanded, as far as they fit the memory budget."""
    with data.open(whole=True) as stream:
        pieces = iter(lambda: stream.read(HEAD_BYTES), b"")
        return data.name, b"".join(pieces)


def _read_up_to(stream: Any, size: int) -> bytes:
    """Return `size` bytes, or all there are; a stream may give fewer at a time."""
    pieces = []
    while size and (piece := stream.read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _first_bytes(raw: Any) -> bytes:
    if hasattr(raw, "peek"):
        start: bytes = raw.peek(MAGIC_BYTES)[:MAGIC_BYTES]
        return start
    start = raw.read(MAGIC_BYTES)
    raw.seek(0)
    return start
