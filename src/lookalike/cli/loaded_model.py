"""A model from a file and its input rows, read in chunks that fit into memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lookalike.cli.load_data import open_argument
from lookalike.cli.options import ColumnOptions
from lookalike.cli.output import print_note
from lookalike.data.files import DELIMITED, is_table_folder
from lookalike.data.folders import open_folder
from lookalike.data.pieces import chunks_ahead, is_numeric, tables_ahead
from lookalike.data.row_slice import RowSlice
from lookalike.data.samples import BUNDLED
from lookalike.data.source import Source
from lookalike.errors import ColumnError, ParameterError, ShapeError
from lookalike.explain.prediction.table_model import TableModel
from lookalike.store.file import load
from lookalike.validation import few


class LoadedModel(TableModel):
    """A model from a file, and a table of the columns that it was fitted on.

    Columns are matched by name where the model has names; a note lists those it does not use.
    """

    def __init__(self, path: Path, data: str, columns: ColumnOptions) -> None:
        super().__init__(load(path))
        self._data = data
        self._drop, self.text = columns
        self.source = self._open()

    def inputs(self, rows: int | None = None) -> Iterator[tuple[int, object]]:
        """Give the number of the first row and the input of the model, chunk by chunk."""
        if not self.reads_documents and is_numeric(self.source):
            for chunk in chunks_ahead(self.source, rows):
                yield chunk.offset, self.matrix_input(chunk.X, self._names)
            return
        for table in tables_ahead(self.source, rows):
            yield table.offset, self.as_input(table.values)

    def row_and_reference(self, row: int) -> tuple[dict[str, object], dict[str, Any]]:
        """Return the columns of one row, and those of the first chunk as a reference."""
        others: dict[str, Any] = {}
        n_rows = 0
        for table in self.source.tables():
            others = others or table.values
            n_rows = table.offset + len(next(iter(table.values.values())))
            if row < n_rows:
                place = row - table.offset
                return {n: v[place : place + 1] for n, v in table.values.items()}, others
        raise ParameterError(f"--row {row}: there are {n_rows} rows, numbered from 0.")

    def as_input(self, values: Mapping[str, object]) -> object:
        """Return columns of the table as input of the model."""
        return self.table_input(values, self.source.columns, named=self.source.named)

    def only(self, row: int) -> object:
        """Return one row as input of the model."""
        self.source = RowSlice(self.source, row, row + 1)
        return next(rows for _, rows in self.inputs())

    @property
    def _names(self) -> list[str] | None:
        return [column.name for column in self.source.columns] if self.source.named else None

    def _open(self) -> Source:
        needed = self.needed_columns()
        if os.path.isdir(self._data) and not is_table_folder(self._data):
            return self._open_folder()
        if needed is not None and not _can_be_reopened(self._data):
            return open_argument(self._data, columns=list(needed), kinds=_known_types(needed))
        source = open_argument(self._data, drop=self._drop)
        if needed is None and self.reads_documents and self._only_text(source) is not None:
            self.text = self._only_text(source)
            return self._open()
        if needed is None or not source.named:
            self._require_width(source)
            return source
        names = [column.name for column in source.columns]
        if missing := [name for name in needed if name not in names]:
            raise ColumnError(
                f"{self._data} lacks {len(missing)} of the {len(needed)} columns of the model: "
                f"{few(missing, text=str)}. It has {few(names, text=str)}. Rename them."
            )
        if unused := [name for name in names if name not in needed]:
            print_note(f"columns not used by the model: {few(unused, text=str)}.")
        if self._data in BUNDLED:
            return source
        typed = not self._data.lower().endswith(DELIMITED)  # parquet for example stores types
        kinds = None if typed else _known_types(needed)
        return open_argument(self._data, columns=list(needed), kinds=kinds)

    def _only_text(self, source: Source) -> str | None:
        """Return the column of documents, where one of several columns is text."""
        texts = [column.name for column in source.columns if column.kind == "text"]
        several = source.named and len(source.columns) > 1 and self.text is None
        return texts[0] if several and len(texts) == 1 else None

    def _open_folder(self) -> Source:
        """Return the texts of a folder, or its images in the size that the model has."""
        if self._drop or self.text not in (None, "text"):
            raise ParameterError(f"{self._data} is a folder, which has no columns to choose from.")
        shape = None if self.reads_documents else self.image_shape
        source = open_folder(self._data, image_shape=shape)
        texts = [column.kind for column in source.columns] == ["text"]
        if texts != self.reads_documents:
            held, reads = ("texts", "columns") if texts else ("images", "documents")
            raise ParameterError(f"{self._data} holds {held}, and the model reads {reads}.")
        if self.reads_documents:
            self.text = "text"
        else:
            self._require_width(source)
        return source

    def _require_width(self, source: Source) -> None:
        if self.reads_documents:
            if len(source.columns) != 1:
                raise ParameterError("The model reads documents. Give --text and their column.")
            return
        expected = getattr(self.model, "n_features_in_", source.n_features)
        if source.n_features != expected:
            raise ShapeError(
                f"{self._data} has {source.n_features} columns, the model {expected}. Give the "
                "columns of the training data; --drop leaves one out."
            )


def _can_be_reopened(data: str) -> bool:
    return data != "-" and (not os.path.exists(data) or os.path.isfile(data) or os.path.isdir(data))


def _known_types(kinds: Mapping[str, object]) -> dict[str, object]:
    """Return the column types that must not be inferred again."""
    return {name: kind for name, kind in kinds.items() if kind not in (None, "number")}
