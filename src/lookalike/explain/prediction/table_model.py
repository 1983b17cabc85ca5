"""A fitted model that reads a table: the columns it needs, and its input made of them."""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.data.chunk import Column, DateOrder
from lookalike.data.sources.arrays import ArraySource
from lookalike.data.sources.columns_source import NUMERIC_TYPES, ColumnsSource
from lookalike.errors import InputWarning
from lookalike.missing import is_missing
from lookalike.models.estimator import Model
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator
    from sklearn.pipeline import Pipeline

DOCUMENT_VECTORIZERS = ("CountVectorizer", "LSA", "NgramWeights", "TermWeights", "TfidfVectorizer")
PIXEL_COLUMN_WITH_CHANNEL = re.compile(r"pixel_(\d+)_(\d+)(?:_(\d+))?")


class NameWarnings:
    """The filters of warnings, in force as long as one thread at least is inside of it.

    Filters belong to the process: were each thread to restore those that it met, one would take
    away the filter of another.
    """

    def __init__(self) -> None:
        self._lock, self._inside = threading.Lock(), 0
        self._before = warnings.catch_warnings()

    def enter(self) -> None:
        """Add the filter, unless another thread did."""
        with self._lock:
            if not self._inside:
                self._before = warnings.catch_warnings()
                self._before.__enter__()
                warnings.filterwarnings("ignore", "X does not have valid feature names")
                warnings.filterwarnings("ignore", category=InputWarning)
            self._inside += 1

    def leave(self) -> None:
        """Restore the filters when the last thread leaves."""
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._before.__exit__(None, None, None)


_name_warnings = NameWarnings()


@contextmanager
def without_name_warnings() -> Iterator[None]:
    """Silence warnings on columns and categories: they were matched, and noted, before."""
    _name_warnings.enter()
    try:
        yield
    finally:
        _name_warnings.leave()


class TableModel:
    """A fitted model or pipeline with what it reads: columns by name, a matrix, or documents.

    Its companion, K-NN fitted on the same rows, finds neighbors where the model has none itself.
    """

    first: BaseEstimator
    last: BaseEstimator

    text: str | None = None  # the column that holds documents, where it is not the model's own

    def __init__(self, model: BaseEstimator, companion: BaseEstimator | None = None) -> None:
        self.model = model
        self.first = _first_step(model)
        self.last = model.steps[-1][1] if hasattr(model, "steps") else model
        self.companion: TableModel | None = None if companion is None else TableModel(companion)

    @property
    def neighbor_model(self) -> TableModel | None:
        """What finds neighbors: the model itself, else its companion; None where neither can."""
        return self if hasattr(self.last, "kneighbors") else self.companion

    @property
    def companion_note(self) -> str | None:
        """That neighbors come from the companion, in one sentence; None where they do not."""
        if self.companion is None or self.neighbor_model is self:
            return None
        kind = type(self.last).__name__
        return f"The model is a {kind}; neighbors come from its K-NN companion."

    @property
    def reads_documents(self) -> bool:
        """Whether the input of the model is documents."""
        return type(self.first).__name__ in DOCUMENT_VECTORIZERS

    @property
    def training_text_column(self) -> str | None:
        """The column that held the documents of fit, where that is known."""
        name = getattr(self.first, "column", None) or getattr(self.model, "text_column_", None)
        return None if name is None else str(name)

    @property
    def target_range(self) -> tuple[float, float] | None:
        """The least and the largest target of the training rows, where a study kept them."""
        known = getattr(self.model, "target_range_", None)
        return None if known is None else (float(known[0]), float(known[1]))

    @property
    def imputes_columns(self) -> bool:
        """Whether columns that rows lack count as missing cells."""
        return bool(getattr(self.first, "absent_columns", "error") == "impute")

    def needed_columns(self) -> dict[str, object] | None:
        """Return the columns that the model was fitted on, and their types where it knows them."""
        if self.reads_documents:
            name = self.text or getattr(self.first, "column", None)
            return {name: "text"} if name else None
        if hasattr(self.first, "columns_") and hasattr(self.first, "feature_names_in_"):
            return dict(self.first.columns_)
        names = getattr(self.model, "feature_names_in_", None)
        return None if names is None else dict.fromkeys(map(str, names))

    @property
    def date_orders(self) -> dict[str, DateOrder]:
        """How the dates of columns were written in the training rows."""
        return dict(getattr(self.first, "date_orders_", {}))

    @property
    def image_shape(self) -> tuple[int, ...] | None:
        """The shape of the images whose pixels are the columns of the model."""
        names = self.needed_columns()
        last = PIXEL_COLUMN_WITH_CHANNEL.fullmatch(str(list(names)[-1])) if names else None
        return None if last is None else tuple(int(part) + 1 for part in last.groups() if part)

    def table_input(
        self, values: Mapping[str, Any], columns: Sequence[Column], *, named: bool = True
    ) -> object:
        """Return columns of a table as input of the model."""
        if self.reads_documents:
            texts = self.documents(values)
            column = getattr(self.first, "column", None)
            if column is None:
                return texts.tolist()
            return ColumnsSource({column: texts}, {column: "text"})
        names = [column.name for column in columns]
        if all(column.kind in NUMERIC_TYPES for column in columns):
            X = np.column_stack([values[name] for name in names])
            return self.matrix_input(X, names if named else None)
        return ColumnsSource(values, {column.name: column.kind for column in columns})

    def matrix_input(self, X: object, names: Sequence[str] | None) -> object:
        """Return numbers as input of the model: with names where both sides have names."""
        if not isinstance(self.first, Model):
            return X
        known = names is not None and hasattr(self.first, "feature_names_in_")
        return ArraySource(X, names=names if known else None)

    def documents(self, values: Mapping[str, Any]) -> AnyArray:
        """Return the documents of a table: missing ones are empty."""
        own = getattr(self.first, "column", None)
        cells = values[str(self.text or own or next(iter(values)))]
        texts = np.empty(len(cells), object)
        texts[:] = ["" if is_missing(cell) else str(cell) for cell in np.asarray(cells).tolist()]
        return texts

    def call(self, method: str, rows: object) -> Any:
        """Return the result of a method of the model for some input."""
        with without_name_warnings():
            return getattr(self.model, method)(rows)

    def prepared(self, rows: object) -> tuple[Any, Any]:
        """Return rows as the last step takes them, and the names of its columns where known."""
        if not hasattr(self.model, "steps"):
            return rows, None
        steps = self.model[:-1]
        with without_name_warnings():
            return steps.transform(rows), _output_names(steps)

    def score(self, prediction: object) -> Callable[[Any], Any]:
        """Return the function of the input that an explanation decomposes.

        Classification: the probability of the predicted class, or its decision value where the
        model has no probabilities. Regression: the predicted number.
        """
        if not hasattr(self.model, "classes_"):
            return lambda rows: np.asarray(self.call("predict", rows), np.float64)
        code = int(np.flatnonzero(self.model.classes_ == prediction)[0])
        if not hasattr(self.model, "predict_proba"):
            return lambda rows: self._decision_value(rows, code)
        return lambda rows: self.call("predict_proba", rows)[:, code]

    @property
    def score_title(self) -> str:
        """What `score` gives: a probability, the decision value of the class, or a number."""
        if hasattr(self.model, "predict_proba"):
            return "probability"
        return "decision value" if hasattr(self.model, "classes_") else "prediction"

    def _decision_value(self, rows: object, code: int) -> Array:
        """Return the decision value of a class, larger where it is more probable."""
        values = np.asarray(self.call("decision_function", rows), np.float64)
        return values[:, code] if values.ndim == 2 else values if code == 1 else -values

    def training_row(self, row: int) -> int | None:
        """Return where a row of the data is among the model's training rows; None if nowhere.

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


def _first_step(model: object) -> BaseEstimator:
    while hasattr(model, "steps"):
        model = model.steps[0][1]
    return model


def _output_names(steps: Pipeline) -> object:
    """Return the names of the columns that a pipeline gives its last step, where it has them."""
    try:
        return steps.get_feature_names_out()
    except AttributeError:
        return None
