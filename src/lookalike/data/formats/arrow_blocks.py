"""How large the batches of a compressed Arrow file are when expanded, read without expanding them.

The file ends in a footer that lists its batches; each buffer of a compressed batch begins with its
expanded length. Both are flat buffers: tables whose fields are found by offsets.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

ARROW_MAGIC = b"ARROW1"
DICTIONARIES_FIELD, BATCHES_FIELD = 2, 3  # fields of the footer
HEADER_TYPE_FIELD, HEADER_FIELD = 1, 2  # fields of a message
DICTIONARY_BATCH, RECORD_BATCH = 2, 3  # types of a header
DICTIONARY_DATA_FIELD = 1  # field of a dictionary batch
BUFFERS_FIELD, COMPRESSION_FIELD = 2, 3  # fields of a record batch


class FlatTable:
    """A table of a flat buffer: where it begins in the bytes of a file."""

    data: memoryview[int]
    place: int

    def __init__(self, data: memoryview, place: int) -> None:
        self.data, self.place = data, place

    def field(self, number: int) -> int | None:
        """Return where a field of the table lies, None where it is absent."""
        fields = self.place - _integer("<i", self.data, self.place)
        at = fields + 4 + 2 * number
        if at + 2 > fields + _integer("<H", self.data, fields):
            return None
        offset = _integer("<H", self.data, at)
        return self.place + offset if offset else None

    def table(self, number: int) -> FlatTable | None:
        """Return the table that a field points to."""
        at = self.field(number)
        return None if at is None else FlatTable(self.data, at + _integer("<I", self.data, at))

    def structs(self, number: int, size: int) -> Iterator[int]:
        """Give the places of the structures in a vector."""
        vector = self.table(number)
        if vector is not None:
            start = vector.place + 4
            yield from range(start, start + size * _integer("<I", self.data, vector.place), size)


def expanded_size(data: memoryview) -> int:
    """Return the bytes of the largest batch when expanded; 0 where none is compressed.

    What is not an Arrow file, or a damaged one, has 0 too: its reader says so.
    """
    data = data.cast("B")
    try:
        return max((_expand(data, block) for block in _blocks(data)), default=0)
    except (struct.error, ValueError, OverflowError):
        return 0


def _blocks(data: memoryview) -> Iterator[int]:
    """Give the places of the structures that describe the batches: offset, length of the header."""
    end = len(data) - len(ARROW_MAGIC)
    if end < 4 or data[end:] != ARROW_MAGIC:
        return
    start = end - 4 - _integer("<i", data, end - 4)
    footer = FlatTable(data, start + _integer("<I", data, start))
    for number in (DICTIONARIES_FIELD, BATCHES_FIELD):
        yield from footer.structs(number, 24)


def _expand(data: memoryview, block: int) -> int:
    begin, length = _integer("<q", data, block), _integer("<i", data, block + 8)
    head = begin + (8 if _integer("<i", data, begin) == -1 else 4)
    message = FlatTable(data, head + _integer("<I", data, head))
    kind = message.field(HEADER_TYPE_FIELD)
    batch = message.table(HEADER_FIELD)
    if kind is not None and data[kind] == DICTIONARY_BATCH and batch is not None:
        batch = batch.table(DICTIONARY_DATA_FIELD)
    elif kind is None or data[kind] != RECORD_BATCH:
        return 0
    if batch is None or batch.field(COMPRESSION_FIELD) is None:
        return 0
    body, total = begin + length, 0
    for buffer in batch.structs(BUFFERS_FIELD, 16):
        offset, size = struct.unpack_from("<qq", data, buffer)
        if size >= 8:
            total += max(_integer("<q", data, body + offset), size - 8)
    return total


def _integer(kind: str, data: memoryview, position: int) -> int:
    if position < 0:
        raise ValueError("an offset points before the beginning")
    return int(struct.unpack_from(kind, data, position)[0])
