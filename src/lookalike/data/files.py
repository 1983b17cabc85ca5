"""The reader of a file, chosen by its suffix, or by the first bytes of a stream."""

from __future__ import annotations

import difflib
import importlib.util
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from lookalike.data.byte_streams import read_whole
from lookalike.data.chunk import Dialect, TableChoice
from lookalike.data.fifo import open_reader
from lookalike.data.source import Source
from lookalike.errors import ExtraMissingError, ParameterError, SourceError, SourceMissingError

DELIMITED = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
NUMPY = (".npy", ".npz")
LINES = (".jsonl", ".ndjson", ".jsonl.gz")
ARROW = (".parquet", ".pq", ".arrow", ".feather", ".ipc")


STREAMED = {  # how the content of a stream begins
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"\x93NUMPY": ".npy",
    b"PK\x03\x04": ".npz",
    b"{": ".jsonl",
}


def open_file(
    data: Any,
    y: object = None,
    *,
    array: str | None = None,
    dialect: Dialect,
    **choice: Unpack[TableChoice],
) -> Source:
    """Return the rows of a file as a Source.

    ``"-"``, which is standard input, an open binary file, and a pipe without a known suffix are
    recognized by their first bytes: Parquet, Arrow, lines of JSON, else csv.
    """
    path = None if hasattr(data, "read") else os.fspath(data)
    if isinstance(path, str) and (found := _elsewhere(path)):
        if found == "many":
            return _open_many(path, y, array is not None or dialect != Dialect(), **choice)
        data = path = found
    if path is not None and os.path.isdir(path):
        if array is not None or dialect != Dialect():
            raise ParameterError(
                f"{path!r} is a folder, which takes no array= and no csv options. Leave them out."
            )
        from lookalike.data.folders import open_folder
        from lookalike.data.many_files import open_table_files, table_files

        if tables := table_files(path, ARROW):
            return open_table_files(tables, y, **choice)
        return open_folder(path, y, **choice)
    stream = sys.stdin.buffer if path == "-" else data if path is None else None
    suffix = known_suffix(str(path)) if stream is None else None
    if stream is None and _is_pipe(str(path)) and suffix not in DELIMITED:
        stream = data = open_reader(str(path))
        path = None
    suffix = suffix or _suffix_of_stream(stream)
    if array is not None and suffix != ".npz":
        raise ParameterError(f"array={array!r} names an array of an .npz file, not of {suffix}.")
    if suffix not in (*NUMPY, *LINES) and importlib.util.find_spec("pyarrow") is None:
        raise ExtraMissingError.of(f"pyarrow, which reads {suffix} files,", "files")
    if suffix in DELIMITED:
        from lookalike.data.csv import CsvSource

        return CsvSource(data if path is None else path, y, dialect=dialect, **choice)
    if dialect != Dialect():
        raise ParameterError(
            "delimiter, decimal, thousands, missing, header and encoding are options of csv files, "
            f"and {path or 'the open file'} is a {suffix} file. Leave them out."
        )
    content = path if stream is None else read_whole(stream)
    return _open_other(content, suffix, y, array=array, **choice)


def _open_other(
    data: Any, suffix: str, y: object, *, array: str | None, **choice: Unpack[TableChoice]
) -> Source:
    """Return the rows of a file other than csv: of a path, or of the content of a stream."""
    if suffix in LINES:
        from lookalike.data.jsonl import open_jsonl

        return open_jsonl(data, y, **choice)
    if suffix in NUMPY:
        from lookalike.data.npy import open_npy, open_npz

        if suffix == ".npz":
            return open_npz(data, y, array=array, **choice)
        return open_npy(data, y, **choice)
    from lookalike.data.arrow import ArrowSource, ParquetSource

    reader = ParquetSource if suffix in (".parquet", ".pq") else ArrowSource
    return reader(data, y, **choice)


def _elsewhere(path: str) -> str | None:
    """Return "many" of a table of many files, a local copy of a remote file, else None."""
    from lookalike.data.remote import fetched, gives_parts, is_remote

    if is_remote(path):
        last = path.rstrip("/").rsplit("/", 1)[-1].split("?")[0].lower()
        single = last.endswith((*DELIMITED, *NUMPY, *LINES)) or not gives_parts(path)
        return fetched(path) if single else "many"
    if not any(sign in path for sign in "*?[") and not os.path.isdir(path):
        return None
    if importlib.util.find_spec("pyarrow") is None:
        return None
    from lookalike.data.datasets import is_partitioned, is_pattern

    return "many" if is_pattern(path) or (os.path.isdir(path) and is_partitioned(path)) else None


def is_table_folder(path: str) -> bool:
    """Return whether a folder holds a table: Parquet or Arrow files, or folders of them."""
    from lookalike.data.many_files import table_files

    return bool(table_files(path, ARROW)) or _elsewhere(path) == "many"


def _open_many(path: str, y: object, options: bool, **choice: Unpack[TableChoice]) -> Source:
    if importlib.util.find_spec("pyarrow") is None:
        raise ExtraMissingError.of("pyarrow, which reads tables of many files,", "files")
    from lookalike.data.datasets import open_dataset, require_no_options

    require_no_options(path, options)
    return open_dataset(path, y, **choice)


def _suffix_of_stream(stream: Any) -> str:
    start = b""
    if hasattr(stream, "peek"):
        start = stream.peek(8)
    elif hasattr(stream, "seekable") and stream.seekable() and isinstance(stream.read(0), bytes):
        place = stream.tell()
        start = stream.read(8)
        stream.seek(place)
    known = (suffix for begin, suffix in STREAMED.items() if start.startswith(begin))
    return next(known, ".csv")


def _is_pipe(path: str) -> bool:
    return stat.S_ISFIFO(os.stat(path).st_mode)


def known_suffix(path: str) -> str | None:
    """Return the suffix of a file that exists and whose kind is known; None of a pipe."""
    known = (*DELIMITED, *NUMPY, *LINES, *ARROW)
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        from lookalike.data.samples import BUNDLED

        raise SourceMissingError(
            f"{path!r} cannot be opened: {why}. {nearest_name(path, BUNDLED)}Give an existing file."
        ) from None
    suffix = next((known for known in known if path.lower().endswith(known)), None)
    if not stat.S_ISREG(mode) and not stat.S_ISFIFO(mode):
        what = "a socket" if stat.S_ISSOCK(mode) else "a device"
        raise SourceError(f"{path!r} is {what}. Give a file, a pipe, or - for standard input.")
    if suffix is None and not stat.S_ISFIFO(mode):
        if path.lower().endswith(".lookalike"):
            raise SourceError(f"{path!r} is a model file, and rows are needed here. Give a table.")
        raise SourceError(
            f"{path!r} has a suffix that is not known. The known ones are {', '.join(known)}."
        )
    return suffix


def nearest_name(path: str | os.PathLike[str], samples: Sequence[str] = ()) -> str:
    """Return a sentence that names a file or a sample of almost that name, or nothing."""
    try:
        there = [entry.name for entry in os.scandir(Path(path).parent)]
    except (OSError, ValueError):
        there = []
    for kind, names in (("file", there), ("sample", samples)):
        if near := difflib.get_close_matches(Path(path).name, names, n=1):
            return f"There is the {kind} {near[0]!r}. "
    return ""
