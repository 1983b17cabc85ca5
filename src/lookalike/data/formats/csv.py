"""Rows of a csv or tsv file, read in batches and strictly: what is ambiguous is an error."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import closing, suppress
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.csv

from lookalike.data.chunk import Column, Dialect, Kind
from lookalike.data.column_names import type_advice
from lookalike.data.column_types import SAMPLE_ROWS, looks_like_number
from lookalike.data.formats.byte_streams import TextInput
from lookalike.data.formats.csv_dialect import sniff_dialect
from lookalike.data.formats.csv_layout import ROW_NAMES, find_table, name_columns, read_rows
from lookalike.data.formats.csv_spaces import (
    spaces_follow_delimiters,
    strip_cells,
    strip_names,
)
from lookalike.data.formats.parse_cells import ColumnForm, convert, odd_cells, recognize
from lookalike.data.odd_cells import OddCells
from lookalike.data.tables import (
    TableSource,
    check_column_types,
    given_date_orders,
    resolve_roles,
)
from lookalike.decisions import Decisions
from lookalike.errors import ColumnError, SourceError
from lookalike.typing import AnyArray

MIN_PARSED_BYTES = 1 << 18  # at a time
MAX_PARSED_BYTES = 1 << 22  # unless rows are wide
WIDE_FILE_ROWS = 64
WEB_PAGE = re.compile(r"\ufeff?\s*<(!doctype\s+html|html)\b", re.IGNORECASE)


class CsvSource(TableSource):
    """The rows of a csv file, whose column kinds are recognized in its first rows."""

    repeatable: bool

    _first_line = 1  # of the table
    _header_skipped = False
    _padded = False  # a space follows every delimiter
    _left_out: frozenset[int] = frozenset()  # columns that have neither name nor cells

    def __init__(
        self,
        data: object,
        y: object = None,
        *,
        dialect: Dialect,
        weight: object = None,
        target: object = None,
        columns: object = None,
        drop: object = None,
        types: Mapping[str, Kind] | None = None,
    ) -> None:
        self.decisions: Decisions = Decisions()
        self._input = data if isinstance(data, TextInput) else TextInput(data)
        self.n_rows, self.repeatable = None, self._input.repeatable
        self._names = self._read_names(dialect.checked())
        self.packed: str | None = self._input.packed
        roles = resolve_roles(
            self._named_columns(), columns=columns, target=target, drop=drop, y=y, weight=weight
        )
        self._require_distinct({*roles.needed})
        self._needed = roles.needed
        self._opened: Generator[Any] | None = None
        fixed = dialect.decimal is not None or dialect.thousands is not None
        given = self._given = check_column_types(types, self._names)
        self._date_orders = given_date_orders(types)
        self._forms = self._recognize(given, labels=roles.target, fixed=fixed)
        known = [Column(n, f.kind, date_order=f.date_order) for n, f in self._forms.items()]
        numbers = [column.name for column in known if column.kind in ("number", "boolean")]
        super().__init__(known, dict.fromkeys(numbers, np.dtype(np.float64)), roles)

    @property
    def file_columns(self) -> list[str]:
        """The names of all columns of the file, also of those that are not read."""
        return self._named_columns()

    @property
    def dialect(self) -> Dialect:
        """The dialect of the file, as given and recognized."""
        return self._dialect

    @property
    def encoding(self) -> str:
        """The encoding of the file."""
        return self._codec

    @property
    def header_row(self) -> list[str] | None:
        """The names of the columns where `open_text` begins below them."""
        return None if self._header_in_stream or self._dialect.header is False else self._names

    def open_text(self) -> io.TextIOWrapper:
        """Return the text of the table, without lines above it."""
        return io.TextIOWrapper(io.BufferedReader(self._input.open()), self._codec, newline="")

    def _read(self, rows: int) -> Iterator[dict[str, AnyArray]]:
        batches, self._opened = self._opened or self._batches(rows), None
        offset = 0
        odd = {name: OddCells(self._forms[name].kind) for name in self._needed}
        with closing(batches):
            for batch in batches:
                yield {n: self._values(batch.column(n), n, odd[n], offset) for n in self._needed}
                offset += batch.num_rows
        self._record(odd, offset)

    def _values(self, cells: pa.Array, name: str, odd: OddCells, offset: int) -> AnyArray:
        """Return the cells of a column as an array; those that are not of its type are counted."""
        form = self._forms[name]
        values = convert(cells, form)
        places = odd_cells(cells, values, form, self._dialect)
        if places is not None:
            odd.add(cells.take(pa.array(places)).to_pylist(), (offset + places).tolist())
        return values

    def _record(self, odd: Mapping[str, OddCells], n_rows: int, *, first: bool = False) -> None:
        """Record which cells are missing because they are not of the type of their column.

        What the first rows did not show is a warning as well.
        """
        for name, cells in odd.items():
            if not cells.total or cells.total == self._n_odd.get(name):
                continue
            form = self._forms[name]
            text = cells.describe(n_rows, self._place)
            advice = f"{type_advice(name, 'category')} keeps them as categories"
            advice = "" if name in self._given else advice
            reason = "; ".join(part for part in (form.reason, text, advice) if part)
            self.decisions.put(f"column {name!r}", form.choice, reason)
            self._n_odd[name], self.odd_cells[name] = cells.total, text
            if not first:
                warnings.warn(f"column {name!r} of {self._input.name}: {text}.", stacklevel=4)

    def _named_columns(self) -> list[str]:
        """Return the columns without the empty ones that delimiters at the end of lines make."""
        return [name for j, name in enumerate(self._names) if j not in self._left_out]

    def _recognize(
        self, types: dict[str, Kind], *, labels: Collection[str], fixed: bool
    ) -> dict[str, ColumnForm]:
        """Return the forms of the columns by their first cells, and record what is not plain."""
        batches = self._batches(SAMPLE_ROWS)
        first = next(batches, None)
        if first is None or not first.num_rows:
            raise self._no_rows()
        if self.repeatable:
            batches.close()
        else:
            self._opened = _chain(first, batches)
        self._forms, odd = {}, {}
        self._n_odd: dict[str, int] = {}
        self.odd_cells: dict[str, str] = {}
        for name in self._needed:
            cells = first.column(name)[:SAMPLE_ROWS]
            kind, label = types.get(name), name in labels
            order = self._date_orders.get(name)
            form = recognize(
                cells, self._dialect, name, kind=kind, label=label, fixed=fixed, order=order
            )
            self._forms[name] = form
            if form.reason:
                reason = form.reason if kind else _with_advice(name, form)
                self.decisions.add(f"column {name!r}", form.choice, reason)
            if not form.clean:
                odd[name] = OddCells(form.kind)
                self._values(cells, name, odd[name], 0)
        self._record(odd, min(first.num_rows, SAMPLE_ROWS), first=True)
        return self._forms

    def _read_names(self, dialect: Dialect) -> list[str]:
        """Return the names of the columns, after the dialect of the file is recognized."""
        name, head = self._input.name, self._input.look()
        self._encoding = dialect.encoding or self._input.sniff_encoding(head, self.decisions)
        self._input.read_as(self._encoding, head)
        text = head.decode(self._codec, errors="replace")
        if WEB_PAGE.match(text):
            raise SourceError(
                f"{name} is a web page, not a table: it begins with {text.split()[0][:20]!r}. "
                "Download the file that the page leads to."
            )
        layout = find_table(text, dialect, self.decisions)
        text = self._skip(layout.lines, head, text)
        given = dialect._replace(delimiter=layout.delimiter or dialect.delimiter)
        self._dialect = sniff_dialect(text, name, given, self.decisions).checked()
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
        rows_seen = read_rows(text, self._dialect.delimiter or ",")
        self._padded = spaces_follow_delimiters(rows_seen[1:], self.decisions)
        if self._dialect.header is False:
            return [f"x{j}" for j in range(len(names))]
        self._check_header(names, split=given.delimiter is None)
        renamed = strip_names(names, self.decisions)
        renamed = [ROW_NAMES, *renamed] if layout.extra == "before" else renamed
        renamed, self._left_out = name_columns(renamed, text, self._dialect, self.decisions)
        if layout.extra == "after":
            self._left_out |= {len(names)}
            renamed = [*renamed, ""]
        if renamed != names:  # the header is given to the reader, not in the stream
            self._skip(layout.lines + rows.line_num, head, text)
            self._header_skipped = True
        return renamed

    def _skip(self, lines: int, head: bytes, text: str) -> str:
        """Leave out lines before the table; return the text of the first lines from there on."""
        if not lines:
            return text
        self._encoding = self._input.skip_lines(lines, head, self._encoding)
        self._first_line = lines + 1
        return text.split("\n", lines)[-1]

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

    def _batches(self, rows: int) -> Generator[Any]:
        dialect = self._dialect
        skipped: list[str] = []

        def skip(row: Any) -> str:
            skipped.append(row.text[:40])
            return "skip"

        line = self._line_bytes
        read = pyarrow.csv.ReadOptions(
            use_threads=False,  # or else a ragged row comes without its number
            block_size=min(
                max(MIN_PARSED_BYTES, rows * line), max(MAX_PARSED_BYTES, WIDE_FILE_ROWS * line)
            ),
            column_names=None if self._header_in_stream else self._names,
            encoding=self._encoding,
        )
        parse = pyarrow.csv.ParseOptions(
            delimiter=dialect.delimiter,
            newlines_in_values=True,
            ignore_empty_lines=len(self._names) > 1,
            invalid_row_handler=skip if dialect.ragged == "skip" else None,
        )
        conversion = pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(self._names, pa.string()),
            null_values=list(dialect.missing),
            strings_can_be_null=True,
            include_columns=list(self._needed),
        )
        with self._input.open() as stream:
            try:
                batches = pyarrow.csv.open_csv(stream, read, parse, conversion)
                yield from map(self._stripped, batches)
                if skipped:
                    why = f"they have other than {len(self._names)} cells, as {skipped[0]!r}"
                    self.decisions.put("lines", f"{len(skipped):,} left out", why)
            except UnicodeError:
                raise self._undecodable("some row") from None
            except (pa.ArrowInvalid, KeyError) as error:
                self._explain(str(error))

    def _stripped(self, batch: Any) -> object:
        """Return the batch without spaces around its cells, if delimiters are followed by some."""
        if not self._padded:
            return batch
        columns = [strip_cells(column, self._dialect.missing) for column in batch.columns]
        return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)

    def _is_row(self, cells: list[str]) -> bool:
        """Return whether a line is one of the rows that are read."""
        skips = self._dialect.ragged == "skip" and len(cells) != len(self._names)
        return (bool(cells) or len(self._names) == 1) and not skips

    def _require_distinct(self, needed: Collection[str]) -> None:
        """Raise where two columns that are read have one name."""
        numbers: dict[str, int] = {}
        for number, name in enumerate(self._names, start=1):
            if name in numbers and name in needed:
                raise ColumnError(
                    f"{self._input.name} has two columns named {name!r}, number {numbers[name]} "
                    f"and {number}, in line {self._first_line - self._header_skipped}. Rename one "
                    f"of them there, or leave both out with drop=[{name!r}]."
                )
            numbers[name] = number

    def _explain(self, error: str) -> NoReturn:
        number = re.search(r"Row #(\d+)", error)
        before = 1 + self._header_in_stream  # pyarrow counts from 1, with the header
        where = self._place(int(number[1]) - before) if number else "some row"
        if ragged := re.search(r"Expected (\d+) columns, got (\d+): (.*)", error):
            raise SourceError(
                f"{self._input.name} has {ragged[2]} cells in {where}, the first line has "
                f"{ragged[1]}: {ragged[3][:60]!r}. Correct that line, or give ragged='skip' to "
                "leave out such lines."
            ) from None
        if "invalid UTF8" in error:
            raise self._undecodable(where) from None
        if "Empty CSV file" in error:
            raise self._no_rows() from None
        if "straddling" in error:
            error = "a row is longer than what is read at a time, or a quote is never closed"
        raise SourceError(
            f"{self._input.name} cannot be read: {error.rstrip('.')}. Close the quotes of its "
            "cells, or give another delimiter, for example delimiter=';'."
        ) from None

    def _undecodable(self, where: str) -> SourceError:
        return SourceError(
            f"{self._input.name} is not in {self._encoding}: {where} holds other bytes. "
            "Save it in utf-8, or give its encoding, for example encoding='latin-1'."
        )

    def _no_rows(self) -> SourceError:
        return SourceError(f"{self._input.name} has a header and no rows. Give at least one row.")

    def _place(self, row: int) -> str:
        """Return the row and, where the file can be read again, the line on which it starts."""
        if not self._input.repeatable:
            return f"row {row}"
        number, line = -int(self._header_in_stream), self._first_line
        with self.open_text() as text:
            text.reconfigure(errors="replace")
            rows = csv.reader(text, delimiter=self._dialect.delimiter or ",")
            with suppress(csv.Error):  # a cell too long for it: the row is named without its line
                for cells in rows:
                    if self._is_row(cells):
                        if number == row:
                            return f"row {row} (line {line})"
                        number += 1
                    line = rows.line_num + self._first_line
        return f"row {row}"

    @property
    def _header_in_stream(self) -> bool:
        """Whether the reader meets the header: there is one, and it fits the rows below."""
        return self._dialect.header is not False and not self._header_skipped

    @property
    def _codec(self) -> str:
        return "utf-8-sig" if self._encoding == "utf-8" else self._encoding


def _with_advice(name: str, form: ColumnForm) -> str:
    """Return why a column is of its type, and how to give another where that is likely."""
    if form.kind == "date":
        return form.reason
    other = "category" if form.kind == "number" else "number"
    if "identifier" in form.reason:
        return f"{form.reason}; {type_advice(name, 'id')} leaves it out of models"
    return f"{form.reason}; {type_advice(name, other)} reads it otherwise"


def _chain(first: object, rest: Generator[object]) -> Generator[object]:
    yield first
    yield from rest
