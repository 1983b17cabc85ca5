"""A segment: rows that were added together, with their codes and a few rows in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from lookalike.data.predicate import Where, rows_where
from lookalike.index.disk.array_file import Wanted, read_arrays, require_arrays
from lookalike.index.disk.build import EmbeddedRows
from lookalike.index.disk.code_blocks import CodeBlock, CodeFile, CodeLayout
from lookalike.index.disk.column_file import BlockColumns, ColumnFile
from lookalike.index.disk.folder import IndexFolder
from lookalike.index.disk.row_file import BytesRead, RowFile, RowPlace
from lookalike.kernels.exact import BLOCK_DIRECTIONS, CodeMap
from lookalike.kernels.metrics.base import Embedded
from lookalike.typing import AnyArray, Rows

CONDITION_ROWS = 1 << 16  # of which a condition is computed at once


class Segment:
    """The files of one segment, open for reading.

    Attributes
    ----------
    first : int
        The number of its first row among all rows that were ever added.
    rows : EmbeddedRows
        Its rows as the metric compares them, times `scale`.
    columns : dict
        The columns that are kept for conditions.
    """

    scale: float
    largest: float
    columns: dict[str, ColumnFile]

    def __init__(
        self,
        folder: IndexFolder,
        listed: dict[str, Any],
        first: int,
        metric: Embedded,
        read: BytesRead,
    ) -> None:
        self.first = first
        self.scale, self.largest = float(listed["scale"]), float(listed["largest"])
        self.blocks: list[CodeBlock] = [CodeBlock(*block) for block in listed["blocks"]]
        self._starts = np.cumsum([0, *(block.n_rows for block in self.blocks)])
        folder.require_size(listed["codes"], listed["codes_size"])
        arrays = read_arrays(folder, listed["arrays"], listed["arrays_checksum"])
        self.file: RowFile = RowFile(_place_of(folder, listed["rows"]), read)
        self.n_rows: int = len(self.file)
        self.rows: EmbeddedRows = EmbeddedRows(self.file, metric)
        self._check_arrays(folder, listed, arrays)
        self.seed_row: Rows = arrays["seed_row"] + first
        self.seed: AnyArray = arrays["seed"]
        self.codes: CodeFile | None = self._open_codes(folder, listed, arrays, read)
        self.columns = {
            column["name"]: ColumnFile(
                folder, column, self.n_rows, arrays[f"text.{number}"] if column["text"] else None
            )
            for number, column in enumerate(listed["columns"])
        }

    def _check_arrays(
        self, folder: IndexFolder, listed: dict[str, Any], arrays: dict[str, AnyArray]
    ) -> None:
        """Raise unless the arrays of the segment are those of its rows, codes and columns."""
        wanted: dict[str, Wanted] = {
            "seed_row": ("<i8", (None,)),
            "seed": (self.file.dtype.str, (None, self.file.shape[1])),
        }
        if listed["layout"] is not None:
            width, blocks = self.rows.shape[1], listed["layout"]["map"]["blocks"]
            wanted["mean"] = ("<f8", (width,))
            wanted["directions"] = ("<f4", (blocks * width * BLOCK_DIRECTIONS,))
        for number, column in enumerate(listed["columns"]):
            if column["text"]:
                wanted[f"text.{number}"] = ("|u1", (None,))
        require_arrays(folder, listed["arrays"], arrays, wanted)
        row = arrays["seed_row"]
        rising = len(row) > 0 and (row[1:] > row[:-1]).all()
        if not rising or row[0] < 0 or row[-1] >= self.n_rows or len(arrays["seed"]) != len(row):
            raise folder.damaged("the array 'seed_row' does not name rows in their order")

    def _open_codes(
        self,
        folder: IndexFolder,
        listed: dict[str, Any],
        arrays: dict[str, AnyArray],
        read: BytesRead,
    ) -> CodeFile | None:
        if listed["layout"] is None:
            return None
        layout = CodeLayout(
            CodeMap(**listed["layout"]["map"]),
            arrays["mean"],
            arrays["directions"],
            listed["layout"]["extra"],
        )
        for number, block in enumerate(self.blocks):
            if block.length != layout.size_of(block):
                raise folder.damaged(
                    f"block {number} of its codes has {block.length} bytes, and "
                    f"{layout.size_of(block)} are needed"
                )
        return CodeFile(str(folder.file(listed["codes"])), layout, self.blocks, read)

    def range_of(self, number: int) -> tuple[int, int]:
        """Return from which to before which row of the segment a block reaches."""
        return int(self._starts[number]), int(self._starts[number + 1])

    def rows_where(self, where: Where, features: Sequence[str]) -> AnyArray:
        """Return for each row whether it satisfies a condition on the columns.

        `features` are the names of the columns that are compared, which are read from the rows.
        """
        readers = {name: column.reader() for name, column in self.columns.items()}
        masks = []
        for start in range(0, self.n_rows, CONDITION_ROWS):
            stop = min(start + CONDITION_ROWS, self.n_rows)
            rows = _RowColumns(self.file, features)
            block = BlockColumns({**readers, **rows.readers()}, start, stop)
            masks.append(rows_where(where, block, n_rows=stop - start))
        return np.concatenate(masks)

    @property
    def nbytes(self) -> int:
        """Bytes of the codes."""
        return sum(block.length for block in self.blocks)

    def close(self) -> None:
        """Close the files."""
        self.file.close()
        if self.codes is not None:
            self.codes.close()
        for column in self.columns.values():
            column.close()


class _RowColumns:
    """The columns of some rows of a file, which are read where the first of them is asked for."""

    def __init__(self, file: RowFile, names: Sequence[str]) -> None:
        self._file, self._names = file, names
        self._rows: AnyArray | None = None

    def readers(self) -> dict[str, Callable[[int, int], AnyArray]]:
        """Return what reads each column."""
        return {name: partial(self._column, number) for number, name in enumerate(self._names)}

    def _column(self, number: int, start: int, stop: int) -> AnyArray:
        if self._rows is None:
            self._rows = self._file.slice(start, stop)
        return self._rows[:, number]


def _place_of(folder: IndexFolder, listed: dict[str, Any]) -> RowPlace:
    """Return where the rows of a segment lie: in the folder, or where they were indexed."""
    given = dict(listed)
    is_copy = given.pop("own")
    row_place = RowPlace(**given)
    if not is_copy:
        return row_place
    folder.require_size(row_place.path, row_place.size)
    return row_place._replace(path=str(folder.file(row_place.path)))
