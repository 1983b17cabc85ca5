"""The codes of a segment: blocks of rows, each with its checksum, read in order and ahead."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import IO, NamedTuple

import numpy as np

from lookalike import _core
from lookalike.errors import ModelFileError
from lookalike.index.disk.row_file import BytesRead, OpenedFile, read_into
from lookalike.kernels.exact import (
    BLOCK_DIRECTIONS,
    PANEL_ROWS,
    CodeMap,
    build_filter,
    pack_filter,
)
from lookalike.typing import AnyArray, Array


class CodeBlock(NamedTuple):
    """Where the codes of some rows lie."""

    offset: int  # in the file
    length: int
    n_rows: int
    n_poor: int  # rows whose codes say little, which come last
    checksum: int


class CodeLayout:
    """How the codes of a segment are made and laid out."""

    map: CodeMap
    mean: Array
    extra: int
    directions: AnyArray

    def __init__(self, code_map: CodeMap, mean: Array, directions: AnyArray, extra: int) -> None:
        self.map, self.mean, self.extra = code_map, mean, extra
        self.directions = np.ascontiguousarray(directions, np.float32).reshape(-1)

    @classmethod
    def of_plan(cls, code_map: CodeMap, mean: Array, directions: AnyArray) -> CodeLayout:
        """Return the layout of a plan; directions of zeros at the end are left out."""
        used = 0
        if code_map.blocks > 1:
            flat = directions.transpose(0, 2, 1).reshape(-1, len(mean))
            used = int(np.flatnonzero(np.abs(flat).max(axis=1))[-1]) + 1
        extra = max(used - BLOCK_DIRECTIONS + 1, 0)
        return cls(code_map, np.ascontiguousarray(mean), directions, extra)

    def to_json(self) -> dict[str, object]:
        """Return the numbers of the layout; the arrays are kept elsewhere."""
        return {"map": asdict(self.map), "extra": self.extra}

    def write(self, X: AnyArray, file: IO[bytes], threads: int) -> CodeBlock:
        """Write the codes of some rows to the end of a file."""
        codes = build_filter(
            X,
            self.map,
            self.mean,
            self.directions,
            centers=np.zeros(1, np.int64),
            threads=threads,
        )
        n_rows = len(X)
        n_poor = n_rows - int(codes.arrays["group_first"][1])
        poor = codes.arrays["row"][n_rows - n_poor :].astype("<u4")
        packed = {**pack_filter(codes, self.extra), "poor": poor}
        parts = [np.ascontiguousarray(packed[name]).view(np.uint8) for name in self._sizes(1, 1)]
        data = np.concatenate(parts)
        offset = file.tell()
        file.write(data.data)
        return CodeBlock(offset, len(data), n_rows, n_poor, _core.checksum(data))

    def size_of(self, block: CodeBlock) -> int:
        """Return the bytes that the codes of a block take."""
        sizes = self._sizes(block.n_rows, block.n_poor).values()
        return sum(count * np.dtype(kind).itemsize for count, kind in sizes)

    def parts(self, block: CodeBlock, data: AnyArray) -> dict[str, AnyArray]:
        """Return the parts of a block: views of its bytes."""
        parts, at = {}, 0
        for name, (count, kind) in self._sizes(block.n_rows, block.n_poor).items():
            end = at + count * np.dtype(kind).itemsize
            parts[name] = data[at:end].view(kind)
            at = end
        return parts

    def _sizes(self, n_rows: int, n_poor: int) -> dict[str, tuple[int, str]]:
        """Return the parts of a block in their order: those of four bytes come first."""
        panels = -(-n_rows // PANEL_ROWS)
        width = -(-len(self.mean) // 4) * 4 if self.map.blocks == 0 else BLOCK_DIRECTIONS
        wide = self.map.blocks > 1
        return {
            "margin": (panels, "<f4"),
            "wide_margin": (panels if wide else 0, "<f4"),
            "poor": (n_poor, "<u4"),
            "code": (panels * PANEL_ROWS * width, "u1"),
            "share": (n_rows if wide else 0, "u1"),
            "more": (n_rows * self.extra if wide else 0, "u1"),
        }


class CodeFile(OpenedFile):
    """The codes of a segment in their file; several processes may read it at once."""

    path: str
    layout: CodeLayout
    blocks: Sequence[CodeBlock]

    def __init__(
        self, path: str, layout: CodeLayout, blocks: Sequence[CodeBlock], read: BytesRead
    ) -> None:
        self.path, self.layout, self.blocks, self._read = path, layout, blocks, read
        self._checked: set[int] = set()
        self._file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(self._file, 0, 0, os.POSIX_FADV_SEQUENTIAL)

    def read(self, numbers: Sequence[int]) -> Iterator[tuple[int, AnyArray]]:
        """Give blocks in order, each read while the one before is worked on.

        The bytes of a block stay as they are until the next is asked for.
        """
        size = max((self.blocks[number].length for number in numbers), default=0)
        room = [np.empty(size, np.uint8) for _ in numbers[:2]]
        with ThreadPoolExecutor(1, thread_name_prefix="lookalike-read") as pool:
            coming = [pool.submit(self._block, number, room[0]) for number in numbers[:1]]
            for index, number in enumerate(numbers):
                data = coming.pop().result()
                if index + 1 < len(numbers):
                    free = room[(index + 1) % 2]
                    coming.append(pool.submit(self._block, numbers[index + 1], free))
                yield number, data

    def _block(self, number: int, room: AnyArray) -> AnyArray:
        block = self.blocks[number]
        data = room[: block.length]
        n_read = read_into(self._file, block.offset, data)
        self._read.codes += n_read
        if n_read < block.length or not self._is_as_written(number, data):
            raise ModelFileError(
                f"{self.path} is damaged: block {number} of its codes was changed or cut. Build "
                "the index again."
            )
        return data

    def _is_as_written(self, number: int, data: AnyArray) -> bool:
        """Return whether the checksum of a block is right, which is looked at once."""
        if number in self._checked:
            return True
        right = bool(_core.checksum(data) == self.blocks[number].checksum)
        if right:
            self._checked.add(number)
        return right
