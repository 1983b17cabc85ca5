"""A model from a file and its input rows, read in chunks that fit into memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.cli.load_data import open_argument
from lookalike.cli.options import ColumnOptions
from lookalike.cli.output import print_note
from lookalike.data.formats.files import is_table_folder
from lookalike.data.formats.folders import open_folder
from lookalike.data.samples import BUNDLED_SAMPLES
from lookalike.data.source import Source
from lookalike.data.sources.pieces import chunks_ahead, is_numeric, tables_ahead
from lookalike.data.sources.row_slice import RowSlice
from lookalike.errors import ColumnError, ParameterError, ShapeError
from lookalike.explain.prediction.input_notes import InputNotes
from lookalike.explain.prediction.table_model import TableModel
from lookalike.store.file import load, load_companion
from lookalike.validation import few


class LoadedModel(TableModel):
    """A model from a file, and a table of the columns that it was fitted on.

    Columns are matched by name where the model has names. What differs from training rows, such as
    absent columns and unknown categories, is said by `print_notes`.
    """

    def __init__(self, path: Path, data: str, columns: ColumnOptions) -> None:
        super().__init__(load(path), load_companion(path))
        self._data = data
        self._drop, self.text = columns
        self.notes: InputNotes = InputNotes(self)
        self.source = self._open()

    def inputs(self, rows: int | None = None) -> Iterator[tuple[int, object]]:
        """Give the number of the first row and the input of the model, chunk by chunk."""
        if not self.reads_documents and is_numeric(self.source):
            for chunk in chunks_ahead(self.source, rows):
                if isinstance(chunk.X, np.ndarray):
                    self.notes.add_matrix(chunk.X, self._names)
                yield chunk.offset, self.matrix_input(chunk.X, self._names)
            return
        for table in tables_ahead(self.source, rows):
            self._note(table.values)
            yield table.offset, self.as_input(table.values)

    def row_and_reference(self, row: int) -> tuple[dict[str, object], dict[str, Any]]:
        """Return the columns of one row, and those of the first chunk as a reference."""
        others: dict[str, Any] = {}
        n_rows = 0
        for table in self.source.tables():
            others = others or table.values
            n_rows = table.offset + len(next(iter(table.values.values())))
            if row < n_rows:
                index = row - table.offset
                cells: dict[str, Any] = {
                    name: column[index : index + 1] for name, column in table.values.items()
                }
                self._note(cells)
                return cells, others
        raise ParameterError(f"--row {row}: there are {n_rows} rows, numbered from 0.")

    def as_input(self, values: Mapping[str, object]) -> object:
        """Return columns of the table as input of the model."""
        return self.table_input(values, self.source.columns, named=self.source.named)

    def print_notes(self) -> None:
        """Say on standard error what differs from training rows in what was read so far."""
        for sentence in self.notes.sentences():
            print_note(sentence)

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
            return self._open_stream(needed)
        source = open_argument(self._data, drop=self._drop, notes=needed is None)
        if needed is None and self.reads_documents and self._only_text(source) is not None:
            self.text = self._only_text(source)
            return self._open()
        if needed is None or not source.named:
            self._require_width(source)
            return source
        names = [column.name for column in source.columns]
        self.notes.note_columns(names, needed)
        present = {name: kind for name, kind in needed.items() if name not in self.notes.absent}
        if self.notes.absent and not (present and self.imputes_columns):
            absent = self.notes.absent
            raise ColumnError(
                f"{self._data} lacks {len(absent)} of the {len(needed)} columns of the model: "
                f"{few(absent, text=str)}. It has {few(names, text=str)}. Rename them."
            )
        if self._data in BUNDLED_SAMPLES:
            return source
        types = self._known_types(present)
        return open_argument(self._data, columns=list(present), types=types)

    def _open_stream(self, needed: Mapping[str, object]) -> Source:
        """Return rows that are read once, which therefore have every column of the model."""
        types = self._known_types(needed)
        try:
            source = open_argument(self._data, columns=list(needed), types=types)
        except ColumnError as error:
            if not self.imputes_columns:
                raise
            raise ColumnError(
                f"{error} Rows from a pipe are read once and need every column of the model. Save "
                "them to a file: columns that a file lacks count as missing."
            ) from None
        self.notes.note_columns(getattr(source, "file_columns", list(needed)), needed)
        return source

    def _note(self, values: Mapping[str, Any]) -> None:
        """Count what differs from training rows."""
        if self.reads_documents:
            self.notes.add_texts(self.documents(values).tolist())
        else:
            self.notes.add(values)

    def _only_text(self, source: Source) -> str | None:
        """Return the column of documents: that of fit, or the only one of several that is text."""
        named = [column.name for column in source.columns] if source.named else []
        if self.text is None and self.training_text_column in named:
            return self.training_text_column
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

    def _known_types(self, kinds: Mapping[str, object]) -> dict[str, object]:
        """Return the column types that must not be inferred again, and how dates are written."""
        known = {name: kind for name, kind in kinds.items() if kind is not None}
        orders = self.date_orders
        return {
            name: f"date:{orders[name]}" if kind == "date" and name in orders else kind
            for name, kind in known.items()
        }

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
