"""Rows of Parquet and Arrow files, a batch at a time, only the columns that are needed."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet

from lookalike.data.chunk import Kind, RoleChoice
from lookalike.data.column_types import SAMPLE_ROWS
from lookalike.data.formats.arrow_blocks import expanded_size
from lookalike.data.formats.arrow_values import quick_values
from lookalike.data.formats.byte_streams import StreamContent, called, opened, require_budget
from lookalike.data.sources.frames import column_of, inexact, values_of
from lookalike.data.sources.page_release import MappedFile, as_it_is, require_whole
from lookalike.data.tables import (
    ColumnRoles,
    TableSource,
    check_column_types,
    given_date_orders,
    require_distinct,
    resolve_roles,
)
from lookalike.decisions import Decisions
from lookalike.errors import LookalikeError, ShapeError, SourceError, SourceMissingError
from lookalike.inexact import warn_inexact
from lookalike.typing import AnyArray


class BatchSource(TableSource):
    """What both formats share: a schema, and batches of the needed columns."""

    n_rows: int | None

    repeatable = True

    def __init__(
        self,
        data: str | StreamContent,
        y: object = None,
        *,
        types: Mapping[str, Kind] | None = None,
        **roles_given: Unpack[RoleChoice],
    ) -> None:
        self._data, self._warned = data, False
        self.packed: str = called(data)
        self.packed_size: int = os.path.getsize(data) if isinstance(data, str) else len(data[1])
        try:
            schema, self.n_rows, gaps = self._look()
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise self._unreadable(error) from None
        if not self.n_rows:
            raise ShapeError(f"{called(data)} has columns and no rows. Give at least one row.")
        require_distinct(schema.names, called(data))
        roles = resolve_roles(schema.names, y=y, n_rows=self.n_rows, **roles_given)
        self._needed = roles.needed
        sample = next(self._whole_batches(SAMPLE_ROWS), None)
        if sample is None:
            raise self._unreadable(ValueError("it holds none of the rows that it counts"))
        given, orders = check_column_types(types, schema.names), given_date_orders(types)
        self.decisions: Decisions = Decisions()
        known = [
            column_of(
                n,
                _series(sample.column(n)),
                given.get(n),
                label=n in roles.target,
                decisions=self.decisions,
                order=orders.get(n),
            )
            for n in self._needed
        ]
        self._kinds = {column.name: column.kind for column in known}
        self._date_orders = {column.name: column.date_order for column in known}
        self._dtypes = {
            name: _dtype(schema.field(name).type, name in gaps)
            for name, kind in self._kinds.items()
            if kind in ("number", "boolean")
        }
        super().__init__(known, self._dtypes, roles)

    @property
    def roles(self) -> ColumnRoles:
        """Which columns are features, target and weight."""
        return self._roles

    def _read(self, rows: int) -> Iterator[dict[str, AnyArray]]:
        offset = 0
        for batch in self._whole_batches(rows):
            self._warn_inexact(batch, offset)
            columns = dict(zip(batch.schema.names, batch.columns, strict=True))
            piece = {n: self._values(n, columns[n], offset) for n in self._kinds}
            for name, dtype in self._dtypes.items():
                piece[name] = piece[name].astype(dtype, copy=False)
            yield piece
            offset += batch.num_rows

    def _values(self, name: str, column: pa.ChunkedArray, offset: int) -> AnyArray:
        kind = self._kinds[name]
        values = quick_values(column, kind)
        if values is not None:
            return values
        return values_of(_series(column), name, kind, offset, self._date_orders[name])

    def _warn_inexact(self, batch: pa.RecordBatch, offset: int) -> None:
        for name in self._roles.features if not self._warned else ():
            if pa.types.is_floating(batch.schema.field(name).type):
                continue
            if first := inexact(_series(batch.column(name))):
                self._warned = True
                warn_inexact(first[1], offset + first[0], name)
                return

    def _whole_batches(self, rows: int) -> Iterator[Any]:
        """Give the batches that have rows, each checked to be undamaged."""
        try:
            for batch in self._batches(rows, self._needed):
                batch.validate(full=True)  # or else a damaged offset is followed anywhere
                if batch.num_rows:
                    yield batch
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: Exception) -> LookalikeError:
        if isinstance(error, FileNotFoundError):
            return SourceMissingError(
                f"{called(self._data)} is gone: it was removed or renamed while its rows were "
                "needed. Put it back and start again."
            )
        reason = " ".join(str(error).split()).rstrip(".")
        return SourceError(
            f"{called(self._data)} is damaged or truncated: {reason}. Write it again."
        )

    @abstractmethod
    def _look(self) -> tuple[Any, int, set[str]]:
        """Return the schema, the number of rows, and the columns that may have missing values."""

    @abstractmethod
    def _batches(self, rows: int, names: Sequence[str]) -> Iterator[Any]:
        """Give record batches of the columns `names`."""


class ParquetSource(BatchSource):
    """The rows of a Parquet file, read row group by row group.

    A column of whole numbers that the file declares nullable is given as exact
    floats. The counts of nulls in the file are not read: pyarrow ends the process where a
    damaged file gives false ones.
    """

    def _look(self) -> tuple[pa.Schema, int, set[str]]:
        with pyarrow.parquet.ParquetFile(opened(self._data)) as file:
            schema = file.schema_arrow
            return schema, file.metadata.num_rows, {f.name for f in schema if f.nullable}

    def _batches(self, rows: int, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        with pyarrow.parquet.ParquetFile(opened(self._data)) as file:
            for group in range(file.num_row_groups):  # one by one: all at once keep what they read
                yield from file.iter_batches(
                    rows, row_groups=[group], columns=list(names), use_threads=False
                )


class ArrowSource(BatchSource):
    """The rows of an Arrow or Feather file, mapped into memory."""

    _file: MappedFile | None = None

    def _look(self) -> tuple[pa.Schema, int, set[str]]:
        with self._mapped() as memory:
            require_budget(f"a batch of {called(self._data)}", expanded_size(_bytes_of(memory)))
        with self._mapped() as memory, pa.ipc.open_file(memory) as file:
            n_rows = 0
            gaps: set[str] = set()
            for number in range(file.num_record_batches):
                batch = file.get_batch(number)
                batch.validate()
                n_rows += batch.num_rows
                gaps.update(
                    n for n, c in zip(batch.schema.names, batch, strict=True) if c.null_count
                )
            return file.schema, n_rows, gaps

    def _batches(self, rows: int, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        with self._mapped() as memory:
            places = [pa.ipc.open_file(memory).schema.get_field_index(name) for name in names]
            options = pa.ipc.IpcReadOptions(included_fields=places)
            with pa.ipc.open_file(memory, options=options) as file:
                for number in range(file.num_record_batches):
                    require_whole(self._file)
                    batch = file.get_batch(number)
                    for start in range(0, batch.num_rows, rows):
                        require_whole(self._file)
                        yield batch.slice(start, rows)

    def _mapped(self) -> Any:
        if isinstance(self._data, str):
            self._file = self._file or as_it_is(self._data)
            return pa.memory_map(self._data)
        return pa.BufferReader(self._data[1])


def _series(column: pa.ChunkedArray) -> nw.Series[Any]:
    return nw.from_native(pa.chunked_array([column]), series_only=True)


def _bytes_of(memory: Any) -> memoryview:
    return memoryview(memory.read_buffer())


def _dtype(kind: pa.DataType, gaps: bool) -> np.dtype:
    if not (pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_floating(kind)):
        return np.dtype(np.float64)
    dtype: np.dtype = np.dtype(kind.to_pandas_dtype())
    return np.result_type(dtype, np.float32) if gaps and dtype.kind != "f" else dtype
