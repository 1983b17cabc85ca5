"""Which reader takes which file, told by its suffix."""

from __future__ import annotations

import importlib.util
import os
from typing import Any

from lookalike.data.chunk import Dialect
from lookalike.data.source import Source
from lookalike.errors import ExtraMissingError, ParameterError, SourceError, SourceMissingError

DELIMITED = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
NUMPY = (".npy", ".npz")
LINES = (".jsonl", ".ndjson", ".jsonl.gz")
ARROW = (".parquet", ".pq", ".arrow", ".feather", ".ipc")


def open_file(
    data: Any, y: Any = None, *, array: str | None = None, dialect: Dialect, **choice: Any
) -> Source:
    """Return the rows of a file as a Source; ``"-"`` and an open binary file are read as csv."""
    path = os.fspath(data) if isinstance(data, (str, os.PathLike)) else None
    if path is not None and os.path.isdir(path):
        if array is not None or dialect != Dialect():
            raise ParameterError(f"{path!r} is a folder, of which array and others say nothing.")
        from lookalike.data.folders import open_folder

        return open_folder(path, y, **choice)
    suffix = ".csv" if path is None or path == "-" else known_suffix(path)
    if array is not None and suffix != ".npz":
        raise ParameterError(f"array={array!r} names an array of an .npz file, not of {suffix}.")
    if suffix not in (*NUMPY, *LINES) and importlib.util.find_spec("pyarrow") is None:
        raise ExtraMissingError.of(f"pyarrow, which reads {suffix} files,", "files")
    if suffix in DELIMITED:
        from lookalike.data.delimited import DelimitedSource

        return DelimitedSource(data if path is None else path, y, dialect=dialect, **choice)
    if dialect != Dialect():
        raise ParameterError(
            "delimiter, decimal, thousands, missing, header and encoding say how a csv is read, "
            f"and {path} is a {suffix} file. Leave them out."
        )
    assert path is not None
    if suffix in LINES:
        from lookalike.data.jsonl import open_jsonl

        return open_jsonl(path, y, **choice)
    if suffix in NUMPY:
        from lookalike.data.npy import open_npy, open_npz

        if suffix == ".npz":
            return open_npz(path, y, array=array, **choice)
        return open_npy(path, y, **choice)
    from lookalike.data.arrow import ArrowSource, ParquetSource

    reader = ParquetSource if suffix in (".parquet", ".pq") else ArrowSource
    return reader(path, y, **choice)


def known_suffix(path: str) -> str:
    """Return the suffix of a file that exists and whose kind is known."""
    known = (*DELIMITED, *NUMPY, *LINES, *ARROW)
    try:
        os.stat(path)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise SourceMissingError(
            f"{path!r} cannot be opened: {why}. Give an existing file."
        ) from None
    suffix = next((known for known in known if path.lower().endswith(known)), None)
    if suffix is None:
        raise SourceError(
            f"{path!r} has a suffix that is not known. The known ones are {', '.join(known)}."
        )
    return suffix
