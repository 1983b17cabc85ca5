"""Rows of a request, matched with the columns of a model: JSON, Arrow, images."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from lookalike.data.chunk import Column
from lookalike.data.formats.images import read_image
from lookalike.errors import LookalikeError
from lookalike.explain.prediction.input_notes import InputNotes
from lookalike.explain.prediction.table_model import TableModel
from lookalike.models.neighbors.training_rows import column_codes
from lookalike.typing import AnyArray
from lookalike.validation import shown
from lookalike.web.cells import dates, matrix_of_lists, number_cells, require_usable
from lookalike.web.problems import ProblemError
from lookalike.web.row_batch import RowBatch

MAX_PIXELS_OF_IMAGE = 2**24  # of one image
JSON_CELL_TYPES = (str, int, float, bool, type(None))


class RowReader:
    """Reads the rows that requests send to one model.

    A model with categories or dates reads columns of a table, a model of documents texts, any
    other a matrix of numbers, in the order of its columns.
    """

    table: TableModel
    max_rows: int
    width: int | None

    def __init__(self, table: TableModel, max_rows: int) -> None:
        self.table, self.max_rows = table, max_rows
        known = table.needed_columns()
        kinds: dict[str, Any] = {name: kind or "number" for name, kind in (known or {}).items()}
        codes = column_codes(table.first)  # of categories that are compared as they are
        coded = zip(getattr(codes, "names", ()), getattr(codes, "codes", ()), strict=True)
        kinds |= {name: "category" for name, known in coded if known is not None and name in kinds}
        self.names: list[str] | None = None if known is None else list(kinds)
        orders = table.date_orders
        self.columns: list[Column] = [
            Column(name, kind, date_order=orders.get(name)) for name, kind in kinds.items()
        ]
        mixed = any(column.kind not in ("number", "boolean") for column in self.columns)
        self.form = "documents" if table.reads_documents else "table" if mixed else "matrix"
        width = getattr(table.model, "n_features_in_", None)
        self.width = len(self.names) if self.names and self.form != "documents" else width
        self.allow_nan: bool = _allows_nan(table)

    def from_json(self, content: object, notes: InputNotes | None = None) -> RowBatch:
        """Return the rows of a parsed JSON body; `notes` gets what differs from training rows."""
        notes = notes or InputNotes(self.table)
        if not isinstance(content, dict):
            raise ProblemError(422, 'The body is not a JSON object. Send {"rows": [...]}.')
        if "images" in content:
            return self._images(_filled_list("images", content["images"], self.max_rows))
        rows = _filled_list("rows", content.get("rows"), self.max_rows)
        given = content.get("columns")
        if given is not None and not _are_names(given):
            raise ProblemError(422, "columns is not a list of different names. Send one for each.")
        if self.form == "documents":
            texts = self._texts(rows)
            notes.add_texts(texts)
            return texts
        if isinstance(rows[0], dict):
            return self._of_columns(self._from_objects(rows, notes), notes)
        if given is not None:
            return self._of_columns(self._from_named_lists(rows, given, notes), notes)
        if self.form == "matrix":
            X = matrix_of_lists(rows, self.width, self._column_name)
            return self._usable(X, notes)
        return self._of_columns(self._from_named_lists(rows, self.names or [], notes), notes)

    def from_columns(
        self, values: Mapping[str, AnyArray], *, named: bool, notes: InputNotes | None = None
    ) -> RowBatch:
        """Return the rows of columns that are arrays: numbers, or objects with None."""
        notes = notes or InputNotes(self.table)
        if self.form == "documents":
            name = self._text_column(values)
            texts = ["" if cell is None else str(cell) for cell in values[name].tolist()]
            notes.add_texts(texts)
            return texts
        if self.names is not None and named:
            self._match_columns(values, notes)
            n_rows = len(next(iter(values.values())))
            absent = {name: [None] * n_rows for name in notes.absent}
            return self._of_columns({name: ({**values, **absent})[name] for name in self.names},
                                    notes)  # fmt: skip
        if self.width is not None and len(values) != self.width:
            raise ProblemError(422, f"There are {len(values)} columns, the model has {self.width}.")
        names = self.names or list(values)
        return self._of_columns(dict(zip(names, values.values(), strict=True)), notes)

    def from_matrix(self, X: AnyArray, notes: InputNotes | None = None) -> RowBatch:
        """Return the rows of a matrix whose columns are those of the model, in order."""
        if self.form != "matrix":
            raise ProblemError(422, f"The model reads a {self.form}, not a matrix of numbers.")
        if self.width is not None and X.shape[1] != self.width:
            raise ProblemError(422, f"Rows have {X.shape[1]} cells, the model has {self.width}.")
        return self._usable(X, notes or InputNotes(self.table))

    def model_input(self, batch: RowBatch) -> object:
        """Return rows as input of the model."""
        if isinstance(batch, dict):
            return self.table.table_input(batch, self.columns)
        if isinstance(batch, list):
            values = np.empty(len(batch), object)
            values[:] = batch
            name = (self.names or ["text"])[0]
            return self.table.table_input({name: values}, [Column(name, "text")])
        return self.table.matrix_input(batch, self.names)

    def as_columns(self, batch: RowBatch) -> dict[str, AnyArray]:
        """Return rows column by column, as explanations by columns need them."""
        if isinstance(batch, dict):
            return batch
        if isinstance(batch, list):
            values = np.empty(len(batch), object)
            values[:] = batch
            return {(self.names or ["text"])[0]: values}
        names = self.names or [f"x{j}" for j in range(batch.shape[1])]
        return {name: batch[:, j] for j, name in enumerate(names)}

    def columns_input(self, values: Mapping[str, AnyArray]) -> object:
        """Return columns as input of the model."""
        if self.form == "matrix":
            return self.table.matrix_input(np.column_stack(list(values.values())), self.names)
        columns = self.columns or [Column(name, "text") for name in values]
        return self.table.table_input(values, columns)

    def _usable(self, X: AnyArray, notes: InputNotes) -> AnyArray:
        require_usable(X, self._column_name, allow_nan=self.allow_nan)
        notes.add_matrix(X, self.names)
        return X

    def _column_name(self, column: int) -> str | int:
        return self.names[column] if self.names and column < len(self.names) else column

    def _texts(self, rows: Sequence[object]) -> list[str]:
        texts: list[str] = []
        for number, row in enumerate(rows):
            text = row[self._text_column(row)] if isinstance(row, dict) and row else row
            if text is not None and not isinstance(text, str):
                raise ProblemError(
                    422, f"Row {number} is {shown(text)}, where a text is needed.", row=number
                )
            texts.append(text or "")
        return texts

    def _text_column(self, values: Mapping[str, object]) -> str:
        """Return the column that holds the documents: the model's own, or the only one."""
        first_name = self.names[0] if self.names else self.table.training_text_column
        if first_name is not None and first_name in values:
            return first_name
        if len(values) != 1:
            wanted = first_name or "one column"
            raise ProblemError(422, f"The model reads documents. Send {wanted}.", column=first_name)
        return next(iter(values))

    def _match_columns(
        self, given: Mapping[str, object], notes: InputNotes, row: int | None = None
    ) -> None:
        """Note columns that are absent or not used; raise where the model needs one of them."""
        names = self.names or []
        notes.note_columns(given, names)
        imputed = self.table.imputes_columns and len(notes.absent) < len(names)
        if notes.absent and not imputed:
            name = notes.absent[0]
            where = "" if row is None else f" of row {row}"
            raise ProblemError(
                422,
                f"The column {shown(name)}{where} is absent. Send it, null if it is missing.",
                row=row,
                column=name,
            )

    def _from_objects(self, rows: list[Any], notes: InputNotes) -> dict[str, list[object]]:
        if self.names is None:
            raise ProblemError(422, "The model was fitted without column names. Send lists.", row=0)
        for number, row in enumerate(rows):
            if not isinstance(row, dict):
                raise ProblemError(
                    422, f"Row {number} is {shown(row)}, and row 0 an object. Send objects.",
                    row=number,
                )  # fmt: skip
            if not self.table.imputes_columns and not row.keys() >= set(self.names):
                self._match_columns(row, notes, number)
        self._match_columns({name: None for row in rows for name in row}, notes, 0)
        return {name: [row.get(name) for row in rows] for name in self.names}

    def _from_named_lists(
        self, rows: list[Any], given: Sequence[str], notes: InputNotes
    ) -> dict[str, list[object]]:
        for number, row in enumerate(rows):
            if not isinstance(row, list) or len(row) != len(given):
                count = f"{len(row)} cells" if isinstance(row, list) else "no list"
                raise ProblemError(
                    422, f"Row {number} is {count}, and there are {len(given)} columns.", row=number
                )
        index = {name: number for number, name in enumerate(given)}
        if self.names is not None:
            self._match_columns(index, notes)
        elif len(given) != self.width:
            raise ProblemError(422, f"There are {len(given)} columns, the model has {self.width}.")
        return {
            name: [row[index[name]] if name in index else None for row in rows]
            for name in self.names or given
        }

    def _of_columns(self, values: Mapping[str, object], notes: InputNotes) -> RowBatch:
        """Return columns of cells or arrays as the model reads them."""
        known = {column.name: column for column in self.columns}
        table = {
            name: _column(known.get(name) or Column(name), cells) for name, cells in values.items()
        }
        if self.form == "matrix":
            X = np.column_stack(list(table.values()))
            require_usable(X, self._column_name, allow_nan=self.allow_nan)
            notes.add(table)
            return X
        for name, cells in table.items():
            if cells.dtype.kind == "f":
                require_usable(cells[:, None], {0: name}.__getitem__, allow_nan=True)
        notes.add(table)
        return table

    def _images(self, images: list[Any]) -> RowBatch:
        shape = self.table.image_shape
        if shape is None:
            raise ProblemError(422, "The model does not read images. Send rows.")
        rows = []
        for number, text in enumerate(images):
            try:
                content = base64.b64decode(text, validate=True)
                rows.append(read_image(content, shape, most_pixels=MAX_PIXELS_OF_IMAGE))
            except (TypeError, binascii.Error):
                _refuse(number, f"Image {number} is not in base64.")
            except LookalikeError as error:
                _refuse(number, f"Image {number}: {error}")
        return np.stack(rows)


def _refuse(row: int, detail: str) -> NoReturn:
    raise ProblemError(422, detail, row=row) from None


def _filled_list(name: str, value: object, most: int) -> list[object]:
    if not isinstance(value, list) or not value:
        raise ProblemError(422, f"{name} is {shown(value)}. Send a list of at least one row.")
    require_few(len(value), most)
    return value


def require_few(n_rows: int, most: int) -> None:
    """Raise a problem where a request has too many rows."""
    if n_rows > most:
        raise ProblemError(413, f"There are {n_rows:,} rows. Send at most {most:,} at once.")


def _are_names(value: Any) -> bool:
    listed = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return listed and len(set(value)) == len(value)


def _column(column: Column, cells: Any) -> AnyArray:
    """Return the cells of one column as an array of its kind."""
    name = column.name
    if column.kind in ("number", "boolean"):
        return number_cells(cells, name)
    if column.kind == "date":
        return dates(cells, name, column.date_order or "ymd")
    values = np.empty(len(cells), object)
    values[:] = cells if isinstance(cells, list) else cells.tolist()
    for row, cell in enumerate(values):
        if not isinstance(cell, JSON_CELL_TYPES):
            detail = f"Row {row} holds {shown(cell)} in column {shown(name)}. Send a text."
            raise ProblemError(422, detail, row=row, column=name)
    return values


def _allows_nan(table: TableModel) -> bool:
    from sklearn.utils import get_tags

    try:
        return bool(get_tags(table.first).input_tags.allow_nan)
    except Exception:  # estimators of others may have no tags
        return False
