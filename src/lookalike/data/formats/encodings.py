"""The encoding of a text file, recognized from its bytes and recorded with an example."""

from __future__ import annotations

import codecs
import io
import re
from typing import Any, NamedTuple

from lookalike.decisions import Decisions
from lookalike.errors import SourceError

BYTE_ORDER_MARKS = {  # the longer ones first, as one begins like another
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
CONTROL_BYTES = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")
MIN_SHARE_OF_NULS = 0.3  # of the upper bytes, in text of two bytes a letter
EXAMPLE_BYTES = 40  # before and after a letter
NEWLINE_BYTE = b"\n"
UNDEFINED_IN_CP1252 = (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d")
INVALID_BYTE = re.compile("[\udc80-\udcff]")  # as Python keeps it
VALID_LETTER = re.compile("[^\x00-\x7f\udc80-\udcff]")
WESTERN_LETTERS = {
    0xDC00 + byte: bytes([byte]).decode(
        "latin-1" if bytes([byte]) in UNDEFINED_IN_CP1252 else "cp1252"
    )
    for byte in range(0x80, 0x100)
}
MIXED_ENCODING = "utf-8, and single letters of cp1252"


class LetterCount(NamedTuple):
    """How many letters beyond ASCII are valid in utf-8, and the bytes that are not."""

    valid: int
    invalid: int
    first: int  # position of the first invalid byte, -1 if there is none


def sniff_encoding(head: bytes, name: str, decisions: Decisions) -> tuple[str, bool]:
    """Return the encoding of a file, and whether single bytes of it are not in that encoding.

    It is that of its byte order mark, utf-8, utf-16 if every second byte is NUL, else Western
    European.
    """
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if head.startswith(mark):
            decisions.add("encoding", encoding, "the file begins with its byte order mark")
            return encoding, False
    if wide := _two_bytes_a_letter(head):
        reason = "every second byte is NUL, as two bytes make a letter"
        decisions.add("encoding", wide, reason)
        return wide, False
    letters = count_letters(head)
    if letters.first < 0:
        return "utf-8", False
    if b"\0" in head or CONTROL_BYTES.search(head):
        raise SourceError(
            f"{name} is not text: byte {letters.first} is not in utf-8, and there are bytes that "
            "no text has. Give a file of a known format, or its encoding, for example "
            "encoding='utf-16'."
        )
    return choose_encoding(head, letters, decisions)


def choose_encoding(
    part: bytes, letters: LetterCount, decisions: Decisions, *, start: int = 0, line: int = 1
) -> tuple[str, bool]:
    """Return and record the encoding of a file with bytes that are not in utf-8.

    `part` holds the first of them and begins at byte `start`, in line `line` of the file. If more
    letters are in utf-8 than are not, single bytes are read as letters of cp1252.
    """
    western = _western(part)
    index = max(0, letters.first - start)
    example = _example(part, index, western)
    reason = (
        f"byte {letters.first} in line {line + part.count(NEWLINE_BYTE, 0, index)} is not in "
        f"utf-8; read as {example!r}"
    )
    mixed = letters.valid > letters.invalid
    decisions.put("encoding", MIXED_ENCODING if mixed else western, reason)
    return ("utf-8", True) if mixed else (western, False)


def count_letters(data: bytes) -> LetterCount:
    """Return how many letters beyond ASCII are in utf-8; an incomplete one at the end counts.

    Examples
    --------
    >>> count_letters("für".encode()), count_letters("für".encode("latin-1"))
    (LetterCount(valid=1, invalid=0, first=-1), LetterCount(valid=0, invalid=1, first=1))
    """
    if data.isascii():
        return LetterCount(0, 0, -1)
    repair = Utf8Repair()
    repair.feed(data)
    return LetterCount(repair.valid, repair.invalid, repair.first)


class Utf8Repair:
    """Bytes of utf-8 as they come; a byte that is not in utf-8 is taken as a letter of cp1252."""

    valid: int
    invalid: int
    first: int

    def __init__(self) -> None:
        self.valid, self.invalid, self.first = 0, 0, -1
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._seen = 0

    def feed(self, data: bytes, *, final: bool = False) -> bytes:
        """Return valid utf-8; an incomplete letter waits for the next bytes unless `final`."""
        waiting = len(self._decoder.getstate()[0])
        if data.isascii() and not waiting:
            self._seen += len(data)
            return data
        text = self._decoder.decode(data, final)
        if match := INVALID_BYTE.search(text):
            if not self.invalid:
                self.first = self._seen - waiting + len(text[: match.start()].encode())
            self.invalid += len(INVALID_BYTE.findall(text))
        self.valid += len(VALID_LETTER.findall(text))
        self._seen += len(data)
        return (text.translate(WESTERN_LETTERS) if match else text).encode()


class RepairedBytes(io.RawIOBase):
    """Valid utf-8 of a stream in which single bytes are letters of cp1252.

    The first of these is recorded in `decisions`, if they are given.
    """

    def __init__(self, raw: io.RawIOBase, decisions: Decisions | None) -> None:
        super().__init__()
        self._raw, self._decisions = raw, decisions
        self._repair, self._ready = Utf8Repair(), b""
        self._start, self._line, self._ended = 0, 1, False

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill `buffer` and return how many bytes were there."""
        while not self._ready and not self._ended:
            data = self._raw.read(len(buffer)) or b""
            self._ended = not data
            self._ready = self._repair.feed(data, final=self._ended)
            self._record(data)
        part, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        """Close the stream below."""
        self._raw.close()
        super().close()

    def _record(self, data: bytes) -> None:
        if self._decisions is None:
            return
        if self._repair.invalid:
            letters = LetterCount(2, 1, self._repair.first)  # the encoding stays utf-8
            choose_encoding(data, letters, self._decisions, start=self._start, line=self._line)
            self._decisions = None
        self._start, self._line = self._start + len(data), self._line + data.count(NEWLINE_BYTE)


def _two_bytes_a_letter(head: bytes) -> str | None:
    """Return utf-16-le or utf-16-be if the NUL bytes say so, and the letters are text."""
    pairs = len(head) // 2
    upper = {"utf-16-be": head[0::2].count(0), "utf-16-le": head[1::2].count(0)}
    encoding, other = sorted(upper, key=lambda name: -upper[name])
    if len(head) % 2 or upper[encoding] <= MIN_SHARE_OF_NULS * pairs or upper[other]:
        return None
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return None
    return encoding if "\n" in text or '"' in text else None


def _western(data: bytes) -> str:
    return "latin-1" if any(byte in data for byte in UNDEFINED_IN_CP1252) else "cp1252"


def _example(data: bytes, position: int, encoding: str) -> str:
    """Return the word around a byte, as it is read."""
    before = data[max(0, position - EXAMPLE_BYTES) : position].decode(encoding)
    after = data[position : position + EXAMPLE_BYTES].decode(encoding)
    left = re.split(r"""[\s,;|"]""", before)[-1]
    return left + re.split(r"""[\s,;|"]""", after)[0]
