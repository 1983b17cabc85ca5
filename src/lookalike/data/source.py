"""Any table becomes a Source of Chunks."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol, Unpack

import numpy as np

from lookalike.data.chunk import (
    Chunk,
    Column,
    ColumnChoice,
    Dialect,
    Home,
    Kind,
    Table,
    TableChoice,
    TypeChoice,
    missing_markers,
)
from lookalike.errors import ParameterError, ParameterTypeError


class Source(Protocol):
    """Rows that are read in chunks, in order, as often as `repeatable` allows."""

    n_features: int
    dtype: np.dtype  # of the numbers in X
    repeatable: bool  # whether the rows can be read again
    home: Home  # the engine that suits them
    named: bool  # whether the columns brought names of their own

    @property
    def n_rows(self) -> int | None:
        """How many rows there are; None when unknown before reading."""
        ...

    @property
    def columns(self) -> tuple[Column, ...]:
        """Names and kinds of the features."""
        ...

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Give the rows as matrices of at most `rows` rows; every column must be numeric."""
        ...

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Give the rows column by column, of whatever kind the columns are."""
        ...


def open_source(
    data: object,
    y: object = None,
    *,
    weight: object = None,
    target: object = None,
    columns: object = None,
    drop: object = None,
    types: Mapping[str, Kind] | None = None,
    array: str | None = None,
    table: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    missing: Sequence[str] = (),
    default_missing: bool = True,
    header: bool | None = None,
    encoding: str | None = None,
    ragged: str = "error",
) -> Source:
    """Return the rows of `data` as a Source.

    Parameters
    ----------
    data : array, sparse matrix, data frame, path, file, iterator, function, Dask collection, Source
        An array or tensor on a CUDA GPU (torch, CuPy, DLPack) is read where it lies.
        A path ends in .csv, .tsv, .jsonl, .json, .parquet, .feather, .xlsx, .ods, .sqlite, .npy,
        .npz, .dta, .sav or .sas7bdat (each also .gz, .bz2, .xz, .zst or .zip), or is a folder of
        images or text files, whose sub-folders are classes; a pattern (``rows/*.parquet``), a
        folder with folders ``column=value``, and a URL (s3://, gs://, az://, https://) name one
        table of Parquet or Arrow files, a URL also other files; ``"-"`` is standard input, known
        by its first bytes, as an open binary file is. An iterator gives chunks once; a function
        without arguments that returns one gives them again.
    y, weight : array, optional
        One entry per row; `weight` may also name the column of the weights.
    target : str, int or list, optional
        The column or columns of `data` that become y; in an .npz file the array that does.
    columns : list of str or int, optional
        The columns that become features; all but target and weight where absent.
    drop : list of str or int, optional
        Columns to leave out; files are read without them.
    types : mapping, optional
        Types of columns, instead of those recognized: ``{"zip": "category"}``. A type is
        "number", "category", "text", "date" or "id"; an identifier is in the source, and models
        leave it out.
    array : str, optional
        The array of an .npz file that becomes X.
    table : str, optional
        The sheet of a workbook, the table of a database, the member of a zip archive or the list
        in a JSON file, if there are several.
    delimiter, decimal, thousands, encoding : str, optional
        The dialect of a csv: ``delimiter=";", decimal=","`` reads 1,5. Where absent, recognized
        from its first lines and recorded in ``decisions`` of the source; an error where that is
        ambiguous.
    missing : sequence of str
        Missing-value markers of a csv, in addition to the default ones: an empty cell, NA, N/A,
        NaN, nan, null, NULL and ?.
    default_missing : bool, default=True
        Whether the default markers are missing values; an empty cell of numbers always is.
    header : bool, optional
        Whether a csv names its columns first. Where absent it does, unless its first line is
        certainly data; then columns are named x0, x1 and so on.
    ragged : {"error", "skip"}, default="error"
        What becomes of lines of a csv that have more or fewer cells than the header; those left
        out are counted in ``decisions``.

    Examples
    --------
    >>> source = open_source([[1.0, 2.0], [3.0, 4.0]], target=1)
    >>> source.columns, next(source.chunks()).y
    ((Column(name='x0', kind='number', categories=None, date_order=None),), array([2., 4.]))
    """
    choice: TableChoice = {
        "weight": weight, "target": target, "columns": columns, "drop": drop, "types": types
    }  # fmt: skip
    markers = missing_markers(missing, default=default_missing)
    dialect = Dialect(delimiter, decimal, thousands, markers, header, encoding, ragged)
    if isinstance(data, (str, os.PathLike)) or hasattr(data, "read"):
        from lookalike.data.formats.files import open_file

        source = open_file(data, y, array=array, table=table, dialect=dialect, **choice)
        return _with_given(source, types)
    if array is not None or table is not None or dialect.checked() != Dialect():
        raise ParameterError(
            "array, table, delimiter, decimal, thousands, missing, header and encoding are options "
            f"of files, and data is a {type(data).__name__}. Leave them out."
        )
    return _with_given(_open_object(data, y, choice), types)


def _with_given(source: Source, types: Mapping[str, Kind] | None) -> Source:
    """Return the source, which knows the columns whose types were given."""
    if types:
        source.given_types = tuple(types)  # type: ignore[attr-defined]
    return source


def open_features(
    data: object,
    y: object = None,
    *,
    weight: object = None,
    categories: Collection[str] = (),
) -> Source:
    """Return the rows of `data` as models take them: columns of identifiers are left out.

    Columns that were `categories` in fit are so again, whatever their cells are by themselves:
    10001 is a number, and a code where 00501 is one of its column.
    """
    source = open_source(data, y, weight=weight)
    if isinstance(data, np.ndarray):  # whose columns are all numbers
        return source
    from lookalike.data.select import NamedColumns
    from lookalike.data.sources.arrays import kinds_of
    from lookalike.data.tables import TableSource

    if categories and isinstance(source, TableSource) and source.repeatable:
        types: dict[str, Kind] = {
            column.name: "category"
            for column in source.columns
            if column.kind != "category" and column.name in categories
        }
        if types and not is_source(data):
            source = open_source(data, y, weight=weight, types=types)
    kinds = kinds_of(source.columns)
    if "id" not in kinds or kinds == {"id"}:
        return source
    names = [column.name for column in source.columns if column.kind != "id"]
    return NamedColumns(source, names, source.dtype)


def is_source(data: object) -> bool:
    """Return whether `data` is a Source already."""
    return all(hasattr(data, name) for name in ("chunks", "tables", "n_features"))


def open_rows(
    data: Any, y: object = None, *, weight: object = None, **choice: Unpack[TypeChoice]
) -> Source:
    """Return rows in memory or on a GPU as a Source: an array, a sparse matrix, a frame.

    `weight` and `choice`, which are target, columns, drop and types, are those of `open_source`.
    """
    if is_source(data):
        if any(given is not None for given in (y, weight, *choice.values())):
            raise ParameterError(
                "data is a Source already, which has its features, y and weight. "
                "Choose them where it is opened."
            )
        source: Source = data
        return source
    if choice.get("target") is not None and y is not None:
        raise ParameterError("Both y and target are given. Give one of them.")
    given = None if isinstance(weight, str) else weight
    from lookalike.data.sources.arrays import ArraySource

    if isinstance(data, np.ndarray):  # most often, and the other questions take longer
        return _select(ArraySource(data, y, weight=given), weight, **choice)
    import narwhals.stable.v2 as nw
    from scipy.sparse import issparse

    data = nw.to_native(data, pass_through=True)
    if issparse(data):
        from lookalike.data.sources.sparse import SparseSource

        return _select(SparseSource(data, y, weight=given), weight, **choice)
    if type(data).__module__.startswith("pyarrow") and type(data).__name__ == "RecordBatch":
        from pyarrow import Table as ArrowTable

        data = ArrowTable.from_batches([data])
    if nw.dependencies.is_into_dataframe(data):
        from lookalike.data.sources.frames import FrameSource

        return FrameSource(data, y, weight=weight, **choice)
    if hasattr(data, "collect_schema"):
        raise ParameterTypeError("data is a lazy frame, not read yet. Give data.collect().")
    from lookalike.data.sources.tensors import TensorSource, lies_on_gpu

    if lies_on_gpu(data):
        return _select(TensorSource(data, y, weight=given), weight, **choice)
    return _select(ArraySource(data, y, weight=given), weight, **choice)


def _select(
    source: Source,
    weight: object,
    *,
    types: Mapping[str, Kind] | None = None,
    **choice: Unpack[ColumnChoice],
) -> Source:
    from lookalike.data.select import select
    from lookalike.data.tables import require_no_types

    require_no_types(types)
    return select(source, weight=weight, **choice)


def _open_arrow_stream(data: object, y: object, choice: TableChoice) -> Source | None:
    """Return rows that come from a query or as Arrow batches; None of frames and other things."""
    streams = ("__arrow_c_stream__", "fetchmany", "get_fragments")
    if hasattr(data, "dtype") or not any(hasattr(data, name) for name in streams):
        return None  # arrays, and columns that are not tables
    import narwhals.stable.v2 as nw

    if nw.dependencies.is_into_dataframe(data) or is_source(data):
        return None
    from lookalike.data.sources.queries import open_query

    return open_query(data, y, choice)


def _open_object(data: Any, y: object, choice: TableChoice) -> Source:
    if type(data).__module__.partition(".")[0] in ("dask", "dask_expr"):
        from lookalike.data.sources.dask import DaskSource

        return DaskSource(data, y, **choice)
    if source := _open_arrow_stream(data, y, choice):
        return source
    if hasattr(data, "__next__") or (callable(data) and not hasattr(data, "__array__")):
        from lookalike.data.sources.generators import GeneratorSource

        return GeneratorSource(data, y, **choice)
    return open_rows(data, y, **choice)
