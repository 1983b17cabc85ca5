"""The reader of a file, chosen by its suffix and by its first bytes."""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from lookalike.data.chunk import Dialect, TableChoice
from lookalike.data.formats.byte_streams import StreamContent, TextInput, read_content
from lookalike.data.formats.file_names import (
    ARROW_SUFFIXES,
    TEXT_FORMATS,
    FileName,
    Format,
    binary_format,
    known_suffixes,
    read_name,
    text_format,
)
from lookalike.data.formats.table_choice import require_no_choice
from lookalike.data.source import Source
from lookalike.decisions import Decisions
from lookalike.errors import ParameterError, SourceError, SourceMissingError

CELL_OPTIONS = ("decimal", "thousands", "missing", "header")  # of sheets, as for csv files
FORMAT_OPTIONS = {"csv": Dialect._fields, "tsv": Dialect._fields, "spreadsheet": CELL_OPTIONS}
FORMAT_OPTIONS |= {"sqlite": ("decimal", "thousands", "missing")}
SEVERAL_TABLES = ("spreadsheet", "sqlite", "json")


def open_file(
    data: Any,
    y: object = None,
    *,
    array: str | None = None,
    table: str | None = None,
    dialect: Dialect,
    **choice: Unpack[TableChoice],
) -> Source:
    """Return the rows of a file as a Source.

    ``"-"``, which is standard input, an open binary file, and a pipe without a known suffix are
    recognized by their first bytes. What is compressed is known by these in any case.
    """
    path = None if hasattr(data, "read") else os.fspath(data)
    if isinstance(path, str) and (elsewhere := _elsewhere(path)):
        if elsewhere == "many":
            return _open_many(path, y, array or table or dialect != Dialect(), **choice)
        path = elsewhere
    if path is not None and os.path.isdir(path):
        return _open_folder(path, y, array or table or dialect != Dialect(), **choice)
    name = FileName(None, "", False) if path in (None, "-") else require_known(str(path))
    if path is not None and _is_plain_binary(str(path), name):
        content: Any = str(path)
        format_, suffix = name.format, name.suffix
        require_dialect(dialect, format_, suffix, repr(path))
        text = None
    else:
        text = TextInput(data if path is None else path, table)
        format_, suffix = _recognize_format(text, name)
        require_dialect(dialect, format_, suffix, text.name)
        content = text if format_ in TEXT_FORMATS else text.path or read_content(text)
    if array is not None and format_ != "npz":
        raise ParameterError(f"array={array!r} names an array of an .npz file, not of {suffix}.")
    if text is not None:
        table = text.table  # None if a member of an archive was chosen by it
    if format_ not in SEVERAL_TABLES:
        require_no_choice(table, text.name if text else repr(path), f"a {suffix or 'csv'} file")
    source = _open_format(
        content, y, format_, suffix, array=array, table=table, dialect=dialect, **choice
    )
    _record_format(source, name, format_, text)
    return source


def _open_format(
    data: Any,
    y: object,
    format_: Format | None,
    suffix: str,
    *,
    array: str | None,
    table: str | None,
    dialect: Dialect,
    **choice: Unpack[TableChoice],
) -> Source:
    """Return the rows of a file of a known format: a path, a text, or the content of a stream."""
    if format_ in ("csv", "tsv"):
        from lookalike.data.formats.csv import CsvSource

        if format_ == "tsv" and dialect.delimiter is None:
            dialect = dialect._replace(delimiter="\t")
        return CsvSource(data, y, dialect=dialect, **choice)
    if format_ == "jsonl":
        from lookalike.data.formats.jsonl import open_jsonl

        return open_jsonl(data, y, **choice)
    if format_ == "json":
        from lookalike.data.formats.json_array import open_json

        return open_json(data, y, table=table, **choice)
    if format_ in ("spreadsheet", "sqlite"):
        from lookalike.data.formats.spreadsheet import open_spreadsheet
        from lookalike.data.formats.sqlite import open_sqlite

        opener = open_spreadsheet if format_ == "spreadsheet" else open_sqlite
        return opener(data, y, table=table, dialect=dialect, **choice)
    if format_ == "statistics":
        from lookalike.data.formats.statistics_files import open_statistics

        return open_statistics(data, suffix, y, **choice)
    return _open_arrays(data, y, format_, array=array, **choice)


def _open_arrays(
    data: str | StreamContent,
    y: object,
    format_: Format | None,
    *,
    array: str | None,
    **choice: Unpack[TableChoice],
) -> Source:
    if format_ in ("npy", "npz"):
        from lookalike.data.formats.npy import open_npy, open_npz

        if format_ == "npz":
            return open_npz(data, y, array=array, **choice)
        return open_npy(data, y, **choice)
    from lookalike.data.formats.arrow import ArrowSource, ParquetSource

    return (ParquetSource if format_ == "parquet" else ArrowSource)(data, y, **choice)


def _open_folder(path: str, y: object, options: object, **choice: Unpack[TableChoice]) -> Source:
    if options:
        raise ParameterError(
            f"{path!r} is a folder, which takes no array=, table= and csv options. Leave them out."
        )
    from lookalike.data.formats.folders import open_folder
    from lookalike.data.formats.many_files import open_table_files, table_files

    if tables := table_files(path, ARROW_SUFFIXES):
        return open_table_files(tables, y, **choice)
    return open_folder(path, y, **choice)


def _is_plain_binary(path: str, name: FileName) -> bool:
    """Return whether a file is opened by its path: not compressed, no text, no pipe."""
    binary = name.format is not None and name.format not in TEXT_FORMATS
    return binary and not name.compressed and stat.S_ISREG(os.stat(path).st_mode)


def _recognize_format(text: TextInput, name: FileName) -> tuple[Format, str]:
    """Return the format and the suffix that the content says, or else the name."""
    head = text.look()
    if text.member is not None:
        name = read_name(text.member)
    if text.container is not None:
        return text.container, ".npz" if text.container == "npz" else ".xlsx"
    if content := binary_format(head):
        return content if name.format != content[0] else (content[0], name.suffix)
    if name.format is not None and name.format not in TEXT_FORMATS:
        return name.format, name.suffix
    format_ = text_format(head, name.format)
    return format_, name.suffix or f".{format_}"


def _record_format(
    source: Any, name: FileName, format_: Format | None, text: TextInput | None
) -> None:
    """Record that a file is something else than its name says."""
    reason = f"its first bytes say so, although its name ends in {name.suffix}"
    decisions = Decisions(getattr(source, "decisions", ()))
    if name.format is not None and name.format != format_:
        decisions.add("format", format_, reason)
    if name.compressed and text is not None and text.packed is None:
        decisions.add("compression", "none", reason)
    if len(decisions) > len(getattr(source, "decisions", ())):
        source.decisions = decisions


def require_dialect(dialect: Dialect, format_: Format | None, suffix: str, name: str) -> None:
    """Raise if options are given that files of a format do not have."""
    default = Dialect()
    given = [
        option for option in Dialect._fields if getattr(dialect, option) != getattr(default, option)
    ]
    if unused := [option for option in given if option not in FORMAT_OPTIONS.get(str(format_), ())]:
        raise ParameterError(
            f"{', '.join(unused)}: these are options of csv files, and {name} is a {suffix} file. "
            "Leave them out."
        )


def _elsewhere(path: str) -> str | None:
    """Return "many" of a table of many files, a local copy of a remote file, else None."""
    from lookalike.data.formats.datasets import is_partitioned, is_pattern
    from lookalike.data.sources.remote import fetched, gives_parts, is_remote

    if is_remote(path):
        name = read_name(path.rstrip("/").rsplit("/", 1)[-1].split("?")[0])
        single = (name.known and name.suffix not in ARROW_SUFFIXES) or not gives_parts(path)
        return fetched(path) if single else "many"
    if not any(sign in path for sign in "*?[") and not os.path.isdir(path):
        return None
    return "many" if is_pattern(path) or (os.path.isdir(path) and is_partitioned(path)) else None


def is_table_folder(path: str) -> bool:
    """Return whether a folder holds a table: Parquet or Arrow files, or folders of them."""
    from lookalike.data.formats.many_files import table_files

    return bool(table_files(path, ARROW_SUFFIXES)) or _elsewhere(path) == "many"


def _open_many(path: str, y: object, options: object, **choice: Unpack[TableChoice]) -> Source:
    from lookalike.data.formats.datasets import open_dataset, require_no_options

    require_no_options(path, bool(options))
    return open_dataset(path, y, **choice)


def require_known(path: str) -> FileName:
    """Return what the name of a file says that exists; raise unless it is known, or is a pipe."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        from lookalike.data.samples import BUNDLED_SAMPLES

        raise SourceMissingError(
            f"{path!r} cannot be opened: {why}. {nearest_name(path, BUNDLED_SAMPLES)}"
            "Give an existing file."
        ) from None
    name = read_name(path)
    if not stat.S_ISREG(mode) and not stat.S_ISFIFO(mode):
        what = "a socket" if stat.S_ISSOCK(mode) else "a device"
        raise SourceError(f"{path!r} is {what}. Give a file, a pipe, or - for standard input.")
    if not name.known and not stat.S_ISFIFO(mode):
        if path.lower().endswith(".lookalike"):
            raise SourceError(f"{path!r} is a model file, and rows are needed here. Give a table.")
        raise SourceError(
            f"{path!r} has a suffix that is not known. The known ones are {known_suffixes()}. "
            "Rename the file, or give it as a stream: lookalike … - < FILE."
        )
    return name


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
