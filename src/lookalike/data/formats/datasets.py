"""Rows of many Parquet or Arrow files as one table: datasets, local or remote, in partitions."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import pyarrow as pa
import pyarrow.dataset

from lookalike.data.chunk import TableChoice
from lookalike.data.formats.arrow import BatchSource
from lookalike.data.formats.part_schemas import PartSchema, require_one_table, widest_numbers
from lookalike.data.sources.remote import is_remote, list_files, patiently
from lookalike.errors import ParameterError, SourceError, SourceMissingError

DATASET_FORMATS = {".parquet": "parquet", ".pq": "parquet", ".arrow": "ipc", ".ipc": "ipc"}
DATASET_FORMATS |= {".feather": "ipc"}


class DatasetSource(BatchSource):
    """The rows of a ``pyarrow.dataset.Dataset``, file by file and row group by row group.

    Parameters
    ----------
    dataset : Dataset
        What was opened here, or by the reader of another format: Delta, Iceberg.
    name : str
        What it is called in a sentence.
    """

    def __init__(
        self, dataset: Any, y: object = None, *, name: str, **choice: Unpack[TableChoice]
    ) -> None:
        self._dataset, self._name = dataset, name
        super().__init__((name, b""), y, **choice)
        self.packed: Any = None  # rows are read in pieces, whatever the files expand to

    def _look(self) -> tuple[pa.Schema, int, set[str]]:
        schema = self._dataset.schema
        n_rows = patiently(self._name, self._dataset.count_rows)
        return schema, n_rows, {field.name for field in schema if field.nullable}

    def _batches(self, rows: int, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        for fragment in self._dataset.get_fragments():
            groups = getattr(fragment, "split_by_row_group", None)
            for part in patiently(self._name, groups) if groups else [fragment]:
                table = patiently(
                    self._name,
                    partial(
                        part.to_table,
                        schema=self._dataset.schema,
                        columns=list(names),
                        use_threads=False,
                    ),
                )
                yield from table.to_batches(max_chunksize=rows)

    def _unreadable(self, error: Exception) -> SourceError:
        text = " ".join(str(error).split())[:300]
        return SourceError(
            f"{self._name} could not be read to its end: {text}. A file of it was changed, removed "
            "or is damaged: write it again."
        )


def open_dataset(path: str, y: object = None, **choice: Unpack[TableChoice]) -> DatasetSource:
    """Return the rows of all Parquet or Arrow files that a folder, pattern or URL names.

    Folders called ``column=value`` become columns.
    """
    if is_remote(path):
        system, files = list_files(path)
        root = path.split("://", 1)[1]
    else:
        system, files, root = None, local_files(path), path
    kept = [file for file in files if Path(file).suffix.lower() in DATASET_FORMATS]
    kinds = {DATASET_FORMATS[Path(file).suffix.lower()] for file in kept}
    if len(kinds) != 1:
        state = "no Parquet or Arrow file" if not kinds else "both Parquet and Arrow files"
        raise SourceError(f"{path!r} names {state}. Give files of one kind.")
    partitioned = any("=" in part for part in Path(kept[0]).parent.parts)
    open_all = partial(
        pa.dataset.dataset,
        kept,
        format=kinds.pop(),
        filesystem=system,
        partitioning="hive" if partitioned else None,
        partition_base_dir=root.rstrip("/") if partitioned and "*" not in root else None,
    )
    try:
        dataset = patiently(path, open_all)
        parts = [
            PartSchema(part.path, patiently(path, partial(getattr, part, "physical_schema")))
            for part in dataset.get_fragments()
        ]
        choice = require_one_table(parts, dataset.schema.names, choice)
        schema = widest_numbers(dataset.schema, parts)
        if schema != dataset.schema:
            dataset = patiently(path, partial(open_all, schema=schema))
    except pa.ArrowException as error:
        raise SourceError(f"{path!r} cannot be read as one table: {error}.") from None
    return DatasetSource(dataset, y, name=path, **choice)


def local_files(path: str) -> list[str]:
    """Return the files of a folder with all below it, or of a pattern, in order."""
    if os.path.isdir(path):
        paths = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
    else:
        paths = glob.glob(path, recursive=True)
    files = sorted(file for file in paths if not Path(file).name.startswith((".", "_")))
    if not files:
        raise SourceMissingError(f"{path!r} names no file. Give an existing file or pattern.")
    return files


def is_partitioned(path: str) -> bool:
    """Return whether a folder has folders called ``column=value`` with files of a table."""
    inside = [entry for entry in os.scandir(path) if entry.is_dir() and "=" in entry.name]
    return bool(inside) and any(
        Path(file).suffix.lower() in DATASET_FORMATS for file in local_files(path)
    )


def is_pattern(path: str) -> bool:
    """Return whether a path that does not exist is a pattern such as ``rows/*.parquet``."""
    return any(sign in path for sign in "*?[") and not os.path.exists(path)


def require_no_options(path: str, given: bool) -> None:
    """Raise where options of single files are given with many."""
    if given:
        raise ParameterError(
            f"{path!r} is a table of many files, which takes no array= and no csv options. Leave "
            "them out."
        )
