"""Rows of a csv or tsv file, read in batches and strictly: what is ambiguous is an error."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, suppress
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.csv

from lookalike.data.byte_streams import TextInput
from lookalike.data.chunk import Column, Dialect, Kind
from lookalike.data.column_types import SAMPLE_ROWS, looks_like_number
from lookalike.data.csv_dialect import sniff_dialect, sniff_encoding
from lookalike.data.parse_cells import BadCellError, convert, recognize
from lookalike.data.tables import TableSource, checked_kinds, require_distinct, resolve_roles
from lookalike.decisions import Decisions
from lookalike.errors import ColumnError, SourceError
from lookalike.typing import AnyArray

LEAST_BLOCK, MOST_BLOCK = 1 << 18, 1 << 22  # bytes parsed at a time, unless rows are wide
WIDE_ROWS = 64


class CsvSource(TableSource):
    """The rows of a csv file, whose column kinds are recognized in its first rows."""

    def __init__(
        self,
        data: object,
        y: object = None,
        *,
        dialect: Dialect,
        weight: object = None,
        target: object = None,
        columns: object = None,
        kinds: Mapping[str, Kind] | None = None,
    ) -> None:
        self.decisions: Decisions = Decisions()
        self._input = TextInput(data)
        self.n_rows, self.repeatable = None, self._input.repeatable
        tabs = isinstance(data, str) and data.lower().endswith((".tsv", ".tsv.gz"))
        if dialect.delimiter is None and tabs:
            dialect = dialect._replace(delimiter="\t")
        self._names = self._read_names(dialect.checked())
        self.packed = self._input.packed
        roles = resolve_roles(self._names, columns=columns, target=target, y=y, weight=weight)
        self._needed = roles.needed
        self._opened: Generator[Any] | None = None
        known = self._recognize(checked_kinds(kinds, self._names))
        self._kinds = {column.name: column.kind for column in known}
        numbers = [column.name for column in known if column.kind in ("number", "boolean")]
        super().__init__(known, dict.fromkeys(numbers, np.dtype(np.float64)), roles)

    @property
    def dialect(self) -> Dialect:
        """The dialect of the file, as given and recognized."""
        return self._dialect

    @property
    def encoding(self) -> str:
        """The encoding of the file."""
        return self._codec

    def _read(self, rows: int) -> Iterator[dict[str, AnyArray]]:
        batches, self._opened = self._opened or self._batches(rows), None
        offset = 0
        with closing(batches):
            for batch in batches:
                yield {name: self._values(batch, name, offset) for name in self._needed}
                offset += batch.num_rows

    def _values(self, batch: pa.RecordBatch, name: str, offset: int) -> AnyArray:
        try:
            return convert(batch.column(name), self._kinds[name], self._dialect)
        except BadCellError as bad:
            raise self._bad_cell(name, self._kinds[name], bad, offset) from None

    def _recognize(self, kinds: dict[str, Kind]) -> list[Column]:
        batches = self._batches(SAMPLE_ROWS)
        first = next(batches, None)
        if first is None or not first.num_rows:
            raise self._no_rows()
        if self.repeatable:
            batches.close()
        else:
            self._opened = _chain(first, batches)
        columns = []
        for name in self._needed:
            try:
                kind = kinds.get(name) or recognize(first.column(name), self._dialect)
            except BadCellError as bad:
                raise self._bad_cell(name, "number", bad) from None
            columns.append(Column(name, kind))
        return columns

    def _read_names(self, dialect: Dialect) -> list[str]:
        """Return the names of the columns, after the dialect of the file is recognized."""
        name, head = self._input.name, self._input.look()
        self._encoding = dialect.encoding or sniff_encoding(head, name, self.decisions)
        self._input.read_as(self._encoding, head)
        text = head.decode(self._codec, errors="replace")
        self._dialect = sniff_dialect(text, name, dialect, self.decisions).checked()
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=self._dialect.delimiter or ",")
        try:
            names = next((row for row in rows if row), None)
        except csv.Error as error:
            raise SourceError(f"{name} has no header that can be read: {error}.") from None
        if names is None:
            raise SourceError(f"{name} is empty. Give a file with a header and rows.")
        if any("\ufffd" in one for one in names):
            raise self._undecodable("the header")
        self._line_bytes = max(map(len, text.split("\n", 2)[:2]))
        if self._dialect.header is False:
            return [f"x{j}" for j in range(len(names))]
        self._check_header(names, split=dialect.delimiter is None)
        return names

    def _check_header(self, names: list[str], *, split: bool) -> None:
        if self._dialect.header is None and 2 * sum(map(looks_like_number, names)) > len(names):
            raise SourceError(
                f"{self._input.name} starts with numbers ({', '.join(names[:4])} …), which may be "
                "data or names. Give header=False if they are data, header=True if they are names."
            )
        other = next((character for character in ";\t|," if character in names[0]), None)
        if split and len(names) == 1 and other:
            raise SourceError(
                f"{self._input.name} has one column, {names[0]!r}. Give delimiter={other!r} if "
                "that is the delimiter, and decimal=',' if numbers are written 1,5."
            )
        require_distinct(names, self._input.name)

    def _batches(self, rows: int) -> Generator[Any]:
        dialect = self._dialect
        line = self._line_bytes
        read = pyarrow.csv.ReadOptions(
            use_threads=False,  # or else a ragged row comes without its number
            block_size=min(max(LEAST_BLOCK, rows * line), max(MOST_BLOCK, WIDE_ROWS * line)),
            column_names=self._names if dialect.header is False else None,
            encoding=self._encoding,
        )
        parse = pyarrow.csv.ParseOptions(
            delimiter=dialect.delimiter,
            newlines_in_values=True,
            ignore_empty_lines=len(self._names) > 1,
        )
        conversion = pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(self._names, pa.string()),
            null_values=list(dialect.missing),
            strings_can_be_null=True,
            include_columns=list(self._needed),
        )
        with self._input.open() as stream:
            try:
                yield from pyarrow.csv.open_csv(stream, read, parse, conversion)
            except UnicodeError:
                raise self._undecodable("some row") from None
            except (pa.ArrowInvalid, KeyError) as error:
                self._explain(str(error))

    def _explain(self, error: str) -> NoReturn:
        number = re.search(r"Row #(\d+)", error)
        before = 1 + (self._dialect.header is not False)  # pyarrow counts from 1, with the header
        where = self._place(int(number[1]) - before) if number else "some row"
        if ragged := re.search(r"Expected (\d+) columns, got (\d+): (.*)", error):
            raise SourceError(
                f"{self._input.name} has {ragged[2]} cells in {where}, the first line has "
                f"{ragged[1]}: {ragged[3][:60]!r}. Correct that line."
            ) from None
        if "invalid UTF8" in error:
            raise self._undecodable(where) from None
        if "Empty CSV file" in error:
            raise self._no_rows() from None
        if "straddling" in error:
            error = "a row is longer than what is read at a time, or a quote is never closed"
        raise SourceError(f"{self._input.name} cannot be read: {error}.") from None

    def _bad_cell(self, name: str, kind: Kind, bad: BadCellError, offset: int = 0) -> ColumnError:
        what = {"number": "a number", "boolean": "true or false", "date": "a date"}[kind]
        hint = " decimal=',' if that is a decimal comma," if "," in bad.value else ""
        return ColumnError(
            f"column {name!r} holds {bad.value!r} in {self._place(offset + bad.place)}, which is "
            f"not {what} as the others are. Correct it, or give{hint} missing=[…] if it is a "
            f"missing-value marker, or kinds={{{name!r}: 'category'}}."
        )

    def _undecodable(self, where: str) -> SourceError:
        return SourceError(
            f"{self._input.name} is not in {self._encoding}: {where} holds other bytes. "
            "Give its encoding, for example encoding='latin-1'."
        )

    def _no_rows(self) -> SourceError:
        return SourceError(f"{self._input.name} has a header and no rows. Give at least one row.")

    def _place(self, row: int) -> str:
        """Return the row and, where the file can be read again, the line on which it starts."""
        if not self._input.repeatable:
            return f"row {row}"
        number, line = -int(self._dialect.header is not False), 1
        bytes_ = io.BufferedReader(self._input.open())
        with io.TextIOWrapper(bytes_, self._codec, errors="replace", newline="") as text:
            rows = csv.reader(text, delimiter=self._dialect.delimiter or ",")
            with suppress(csv.Error):  # a cell too long for it: the row is named without its line
                for cells in rows:
                    if cells or len(self._names) == 1:
                        if number == row:
                            return f"row {row} (line {line})"
                        number += 1
                    line = rows.line_num + 1
        return f"row {row}"

    @property
    def _codec(self) -> str:
        return "utf-8-sig" if self._encoding == "utf-8" else self._encoding


def _chain(first: object, rest: Generator[object]) -> Generator[object]:
    yield first
    yield from rest
