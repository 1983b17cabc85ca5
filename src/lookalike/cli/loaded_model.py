"""A loaded model and the rows it is asked about, read in pieces that fit into memory."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.cli.load_data import NUMERIC, open_argument
from lookalike.cli.output import note
from lookalike.data.arrays import ArraySource
from lookalike.data.columns_source import ColumnsSource
from lookalike.data.files import DELIMITED
from lookalike.data.row_slice import RowSlice
from lookalike.data.samples import BUNDLED
from lookalike.data.source import Source
from lookalike.errors import ColumnError, ParameterError, ShapeError
from lookalike.models.estimator import Model
from lookalike.store.file import load

DOCUMENTS = ("CountVectorizer", "LSA", "TfidfVectorizer")


@contextmanager
def names_in_order() -> Iterator[None]:
    """Let models pass over the names of columns, which were put in order before."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        yield


class Asked:
    """A model from a file, and a table of the columns that it was fitted on.

    Columns are found by their names where the model knows names; others are passed over and told.
    """

    def __init__(self, path: Path, data: str, *, target: str | None, text: str | None) -> None:
        self.model = load(path)
        self.first = _first_step(self.model)
        self.text = text
        self._data, self._target = data, target
        self.source = self._open()

    @property
    def reads_documents(self) -> bool:
        """Whether the model is asked about texts."""
        return type(self.first).__name__ in DOCUMENTS

    def pieces(self, rows: int | None = None) -> Iterator[tuple[int, Any]]:
        """Give the number of the first row, and rows as the model takes them."""
        columns = self.source.columns
        if self.reads_documents:
            name = self.text or columns[0].name
            for table in self.source.tables(rows):
                yield table.offset, [str(one) for one in table.values[name]]
        elif all(column.kind in NUMERIC for column in columns):
            for chunk in self.source.chunks(rows):
                yield chunk.offset, self._matrix(chunk.X)
        else:
            for table in self.source.tables(rows):
                yield table.offset, self.rows_of(table.values)

    def row_among(self, row: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the columns of one row, and those of the first rows that are read."""
        others: dict[str, Any] = {}
        n_rows = 0
        for table in self.source.tables():
            others = others or table.values
            n_rows = table.offset + len(next(iter(table.values.values())))
            if row < n_rows:
                place = row - table.offset
                return {n: v[place : place + 1] for n, v in table.values.items()}, others
        raise ParameterError(f"--row {row}: there are {n_rows} rows, numbered from 0.")

    def score(self, answer: Any) -> Callable[[Any], Any]:
        """Return the function that says how much the model holds with an answer.

        The probability of the class, else 1 where it is the answer; of a number, the number.
        """
        if not hasattr(self.model, "classes_"):
            return lambda rows: np.asarray(self.ask("predict", rows), np.float64)
        if not hasattr(self.model, "predict_proba"):
            return lambda rows: (self.ask("predict", rows) == answer).astype(np.float64)
        place = int(np.flatnonzero(self.model.classes_ == answer)[0])
        return lambda rows: self.ask("predict_proba", rows)[:, place]

    def rows_of(self, values: dict[str, Any]) -> Any:
        """Return columns of a table as the model takes them."""
        columns = self.source.columns
        if all(column.kind in NUMERIC for column in columns):
            return self._matrix(np.column_stack([values[column.name] for column in columns]))
        return ColumnsSource(values, {column.name: column.kind for column in columns})

    def ask(self, method: str, rows: Any) -> Any:
        """Return what the model says of some rows."""
        with names_in_order():
            return getattr(self.model, method)(rows)

    def only(self, row: int) -> Any:
        """Return one row, as the model takes it."""
        self.source = RowSlice(self.source, row, row + 1)
        return next(rows for _, rows in self.pieces())

    def _matrix(self, X: Any) -> Any:
        """Return numbers as the model takes them: with names where both sides know names."""
        if not isinstance(self.first, Model):
            return X
        known = self.source.named and hasattr(self.first, "feature_names_in_")
        return ArraySource(X, names=[c.name for c in self.source.columns] if known else None)

    def _open(self) -> Source:
        needed = self._needed()
        if needed is not None and not _can_be_reopened(self._data):
            return open_argument(self._data, columns=list(needed), kinds=_told(needed))
        there = open_argument(self._data, target=self._target)
        if needed is None or not there.named:
            self._require_width(there)
            return there
        names = [column.name for column in there.columns]
        if lost := [name for name in needed if name not in names]:
            raise ColumnError(
                f"{self._data} lacks {len(lost)} of the {len(needed)} columns of the model: "
                f"{', '.join(lost[:10])}. It has {', '.join(names[:10])}. Name them alike."
            )
        if over := [name for name in names if name not in needed]:
            note(f"columns not used by the model: {', '.join(over[:10])}.")
        if self._data in BUNDLED:
            return there
        written = self._data.lower().endswith(DELIMITED)  # other files say what columns hold
        kinds = _told(needed) if written else None
        return open_argument(self._data, columns=list(needed), kinds=kinds)

    def _needed(self) -> dict[str, Any] | None:
        """Return the columns that the model was fitted on, and their kinds where it knows."""
        if self.reads_documents:
            return {self.text: "text"} if self.text else None
        if hasattr(self.first, "columns_") and hasattr(self.first, "feature_names_in_"):
            return dict(self.first.columns_)
        names = getattr(self.model, "feature_names_in_", None)
        return None if names is None else dict.fromkeys(map(str, names))

    def _require_width(self, source: Source) -> None:
        if self.reads_documents:
            if len(source.columns) != 1:
                raise ParameterError("The model reads documents. Give --text and their column.")
            return
        wanted = getattr(self.model, "n_features_in_", source.n_features)
        if source.n_features != wanted:
            raise ShapeError(
                f"{self._data} has {source.n_features} columns, the model {wanted}. Give the "
                "columns of fit; --target leaves one out."
            )


def _first_step(model: Any) -> Any:
    while hasattr(model, "steps"):
        model = model.steps[0][1]
    return model


def _can_be_reopened(data: str) -> bool:
    return data != "-" and (not os.path.exists(data) or os.path.isfile(data))


def _told(kinds: dict[str, Any]) -> dict[str, Any]:
    """Return the kinds that must not be guessed anew."""
    return {name: kind for name, kind in kinds.items() if kind not in (None, "number")}
