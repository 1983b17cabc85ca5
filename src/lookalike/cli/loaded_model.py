"""A loaded model and its input rows, read in chunks that fit into memory."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.cli.load_data import NUMERIC, open_argument
from lookalike.cli.output import print_note
from lookalike.data.arrays import ArraySource
from lookalike.data.columns_source import ColumnsSource
from lookalike.data.files import DELIMITED
from lookalike.data.folders import open_folder
from lookalike.data.row_slice import RowSlice
from lookalike.data.samples import BUNDLED
from lookalike.data.source import Source
from lookalike.errors import ColumnError, ParameterError, ShapeError
from lookalike.missing import is_missing
from lookalike.models.estimator import Model
from lookalike.store.file import load
from lookalike.typing import AnyArray, Rows

DOCUMENTS = ("CountVectorizer", "LSA", "TermWeights", "TfidfVectorizer")
PIXEL = re.compile(r"pixel_(\d+)_(\d+)(?:_(\d+))?")


@contextmanager
def without_name_warnings() -> Iterator[None]:
    """Silence scikit-learn's warning on missing column names: columns were matched before."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        yield


class LoadedModel:
    """A model from a file, and a table of the columns that it was fitted on.

    Columns are matched by name where the model has names; a note lists those it does not use.
    """

    def __init__(
        self, path: Path, data: str, *, drop: Sequence[str] | None, text: str | None
    ) -> None:
        self.model = load(path)
        self.first = _first_step(self.model)
        self.text = text
        self._data, self._drop = data, drop
        self.source = self._open()

    @property
    def reads_documents(self) -> bool:
        """Whether the input of the model is documents."""
        return type(self.first).__name__ in DOCUMENTS

    def inputs(self, rows: int | None = None) -> Iterator[tuple[int, Any]]:
        """Give the number of the first row and the input of the model, chunk by chunk."""
        columns = self.source.columns
        if self.reads_documents:
            for table in self.source.tables(rows):
                yield table.offset, self.as_input(table.values)
        elif all(column.kind in NUMERIC for column in columns):
            for chunk in self.source.chunks(rows):
                yield chunk.offset, self._matrix(chunk.X)
        else:
            for table in self.source.tables(rows):
                yield table.offset, self.as_input(table.values)

    def row_and_reference(self, row: int) -> tuple[dict[str, Any], dict[str, Any]]:
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

    def score(self, prediction: object) -> Callable[[Any], Any]:
        """Return the function of the input that an explanation decomposes.

        Classification: the probability of the predicted class, or its decision value where the
        model has no probabilities. Regression: the predicted number.
        """
        if not hasattr(self.model, "classes_"):
            return lambda rows: np.asarray(self.call("predict", rows), np.float64)
        if not hasattr(self.model, "predict_proba"):
            return lambda rows: self._decision_value(rows, self._place(prediction))
        place = self._place(prediction)
        return lambda rows: self.call("predict_proba", rows)[:, place]

    @property
    def score_title(self) -> str:
        """What `score` gives: a probability, the decision value of the class, or a number."""
        if hasattr(self.model, "predict_proba"):
            return "probability"
        return "decision value" if hasattr(self.model, "classes_") else "value"

    def _decision_value(self, rows: object, place: int) -> Any:
        """Return the decision value of a class, larger where it is more probable."""
        values = np.asarray(self.call("decision_function", rows), np.float64)
        return values[:, place] if values.ndim == 2 else values if place == 1 else -values

    def _place(self, prediction: object) -> int:
        return int(np.flatnonzero(self.model.classes_ == prediction)[0])

    def as_input(self, values: dict[str, Any]) -> Any:
        """Return columns of a table as input of the model."""
        columns = self.source.columns
        if self.reads_documents:
            texts = self.documents(values)
            column = getattr(self.first, "column", None)
            if column is None:
                return texts.tolist()
            return ColumnsSource({column: texts}, {column: "text"})
        if all(column.kind in NUMERIC for column in columns):
            return self._matrix(np.column_stack([values[column.name] for column in columns]))
        return ColumnsSource(values, {column.name: column.kind for column in columns})

    def documents(self, values: Mapping[str, Any]) -> AnyArray:
        """Return the documents of a table: missing ones are empty."""
        cells = values[self._text_column]
        texts = np.empty(len(cells), object)
        texts[:] = ["" if is_missing(cell) else str(cell) for cell in np.asarray(cells).tolist()]
        return texts

    @property
    def _text_column(self) -> str:
        """The column that holds documents: that of --text, the model's own, or the only one."""
        own = getattr(self.first, "column", None)
        return str(self.text or own or self.source.columns[0].name)

    def training_row(self, row: int) -> int | None:
        """Return the place of a row of the data among the model's training rows; None: it is none.

        A study fits its models on shuffled training rows, and their files keep the numbers.
        """
        numbers = getattr(self.model, "training_rows_", None)
        if numbers is None:
            return row
        places = np.flatnonzero(numbers == row)
        return int(places[0]) if len(places) else None

    def data_rows(self, rows: Rows) -> Rows:
        """Return the numbers in the data of rows that the model has by place."""
        numbers = getattr(self.model, "training_rows_", None)
        return rows if numbers is None else np.asarray(numbers)[rows]

    def call(self, method: str, rows: object) -> Any:
        """Return the result of a method of the model for some input."""
        with without_name_warnings():
            return getattr(self.model, method)(rows)

    def only(self, row: int) -> Any:
        """Return one row as input of the model."""
        self.source = RowSlice(self.source, row, row + 1)
        return next(rows for _, rows in self.inputs())

    def _matrix(self, X: object) -> Any:
        """Return numbers as input of the model: with names where both sides have names."""
        if not isinstance(self.first, Model):
            return X
        known = self.source.named and hasattr(self.first, "feature_names_in_")
        return ArraySource(X, names=[c.name for c in self.source.columns] if known else None)

    def _open(self) -> Source:
        needed = self._needed()
        if os.path.isdir(self._data):
            return self._open_folder(needed)
        if needed is not None and not _can_be_reopened(self._data):
            return open_argument(self._data, columns=list(needed), kinds=_known_types(needed))
        source = open_argument(self._data, drop=self._drop)
        if needed is None or not source.named:
            self._require_width(source)
            return source
        names = [column.name for column in source.columns]
        if missing := [name for name in needed if name not in names]:
            raise ColumnError(
                f"{self._data} lacks {len(missing)} of the {len(needed)} columns of the model: "
                f"{', '.join(missing[:10])}. It has {', '.join(names[:10])}. Rename them."
            )
        if unused := [name for name in names if name not in needed]:
            print_note(f"columns not used by the model: {', '.join(unused[:10])}.")
        if self._data in BUNDLED:
            return source
        typed = not self._data.lower().endswith(DELIMITED)  # parquet for example stores types
        kinds = None if typed else _known_types(needed)
        return open_argument(self._data, columns=list(needed), kinds=kinds)

    def _open_folder(self, needed: Mapping[str, Any] | None) -> Source:
        """Return the texts of a folder, or its pictures in the size that the model has."""
        if self._drop or self.text not in (None, "text"):
            raise ParameterError(f"{self._data} is a folder, which has no columns to choose from.")
        shape = None if self.reads_documents else _picture_shape(needed or {})
        source = open_folder(self._data, picture_shape=shape)
        texts = [column.kind for column in source.columns] == ["text"]
        if texts != self.reads_documents:
            held, reads = ("texts", "columns") if texts else ("pictures", "documents")
            raise ParameterError(f"{self._data} holds {held}, and the model reads {reads}.")
        if self.reads_documents:
            self.text = "text"
        else:
            self._require_width(source)
        return source

    def _needed(self) -> dict[str, Any] | None:
        """Return the columns that the model was fitted on, and their types where it knows them."""
        if self.reads_documents:
            name = self.text or getattr(self.first, "column", None)
            return {name: "text"} if name else None
        if hasattr(self.first, "columns_") and hasattr(self.first, "feature_names_in_"):
            return dict(self.first.columns_)
        names = getattr(self.model, "feature_names_in_", None)
        return None if names is None else dict.fromkeys(map(str, names))

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


def _first_step(model: object) -> Any:
    while hasattr(model, "steps"):
        model = model.steps[0][1]
    return model


def _picture_shape(names: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Return the shape of the pictures whose pixels are the columns of a model."""
    last = PIXEL.fullmatch(str(list(names)[-1])) if names else None
    return None if last is None else tuple(int(part) + 1 for part in last.groups() if part)


def _can_be_reopened(data: str) -> bool:
    return data != "-" and (not os.path.exists(data) or os.path.isfile(data))


def _known_types(kinds: dict[str, Any]) -> dict[str, Any]:
    """Return the column types that must not be inferred again."""
    return {name: kind for name, kind in kinds.items() if kind not in (None, "number")}
