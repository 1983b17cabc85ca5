"""A model behind the service: what it can do, its rows, and calls that share the work."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse as sp

from lookalike.errors import LookalikeError
from lookalike.explain.prediction.adapters import class_codes, numbers
from lookalike.explain.prediction.description import (
    explain_by_effects,
    explain_by_neighbors,
    has_neighbors,
    with_companion,
)
from lookalike.explain.prediction.explanation import Explanation
from lookalike.explain.prediction.table_model import TableModel, without_name_warnings
from lookalike.explain.similarity import nearest_distances
from lookalike.models.ensemble.base import WeightedEnsemble
from lookalike.models.neighbors.training_rows import training_rows
from lookalike.studies.to_json import to_jsonable
from lookalike.typing import AnyArray, Array, Rows
from lookalike.web.batching import BatchQueue, Call, Results
from lookalike.web.options import ServeOptions
from lookalike.web.probe_rows import example_rows
from lookalike.web.problems import ProblemError
from lookalike.web.row_batch import RowBatch, rows_between
from lookalike.web.row_reader import RowReader

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.web.limits import Limits

PROBE_FAILURES = (  # of models of others too, such as a row of zeros, which has no cosine
    LookalikeError,
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    TypeError,
    ValueError,
)
ROWWISE_STEPS = {  # the result for a row has the same bits whichever rows it is called with
    "BoostedNeighborsClassifier",
    "BoostedNeighborsRegressor",
    "FeatureRange",
    "ForestNeighborsClassifier",
    "ForestNeighborsRegressor",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "MinMaxScaler",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "SimpleImputer",
    "StandardScaler",
    "TablePreprocessor",
    "TreeTablePreprocessor",
}


class StudyModel(NamedTuple):
    """The model of a study, and the companion that finds neighbors where it has none itself."""

    model: BaseEstimator
    companion: BaseEstimator = None


class ServedModel:
    """One model under one name; a reload makes another, of the next version."""

    name: str
    version: int
    reader: RowReader
    limits: Limits

    def __init__(
        self,
        name: str,
        model: BaseEstimator,
        options: ServeOptions,
        *,
        version: int = 1,
        observe: Callable[[int, int, float], None] | None = None,
        companion: BaseEstimator | None = None,
    ) -> None:
        self.name, self.version = name, version
        self.table: TableModel = TableModel(model, companion)
        self.model = model
        self.refused: dict[str, str] = {}  # operations that failed the probe, and why
        self.reader, self.limits = RowReader(self.table, options.limits.rows), options.limits
        self.rowwise: bool = _is_rowwise(model) and (companion is None or _is_rowwise(companion))
        self.queue: BatchQueue = BatchQueue(
            name, stack=self.rowwise, latency_bound=options.latency_bound, observe=observe
        )

    @property
    def classes(self) -> object:
        """The classes, a list of arrays where there are several outputs; None of regression."""
        return getattr(self.model, "classes_", None)

    @property
    def label_type(self) -> str | None:
        """The NumPy type of the classes; None of regression and of several outputs."""
        classes = self.classes
        alone = classes is not None and not isinstance(classes, list)
        return np.asarray(classes).dtype.str if alone else None

    @property
    def operations(self) -> list[str]:
        """What the model can be asked for."""
        able = {
            "predict": hasattr(self.model, "predict"),
            "predict_proba": hasattr(self.model, "predict_proba"),
            "neighbors": self.table.neighbor_model is not None,
            "transform": hasattr(self.model, "transform"),
            "explain": hasattr(self.model, "predict"),
        }
        return [name for name, there in able.items() if there and name not in self.refused]

    def require(self, operation: str) -> None:
        """Raise a problem where the model cannot do what is asked."""
        if operation not in self.operations:
            kind, able = type(self.table.last).__name__, ", ".join(self.operations)
            detail = f"{self.name} is a {kind}, which has no {operation}. It has {able}."
            if operation in self.refused:
                detail = f"{self.name} has no {operation}: {self.refused[operation]} It has {able}."
            raise ProblemError(422, detail)

    async def predict(self, batch: RowBatch, *, proba: bool) -> Results:
        """Return the predictions, and with `proba` the probabilities of each output."""
        self.require("predict_proba" if proba else "predict")
        return await self._submit(
            ("predict", proba), lambda rows: self._predict(rows, proba), batch
        )

    async def neighbors(self, batch: RowBatch, k: int | None) -> Results:
        """Return the row numbers of the K nearest training rows, and their distances."""
        self.require("neighbors")
        return await self._submit(("neighbors", k), lambda rows: self._neighbors(rows, k), batch)

    async def transform(self, batch: RowBatch) -> Results:
        """Return the rows in the features that the model makes."""
        self.require("transform")
        return await self._submit("transform", self._transform, batch)

    async def explain(self, batch: RowBatch, reference: RowBatch | None) -> list[object]:
        """Return the explanation of each row, as plain data."""
        self.require("explain")

        def explain_all(rows: RowBatch) -> Results:
            columns = self.reader.as_columns(rows)
            count = len(next(iter(columns.values())))
            described = np.empty(count, object)
            for row in range(count):
                explanation = self._explain(rows_between(rows, row, row + 1), reference)
                described[row] = to_jsonable(explanation.to_dict())
            return [described]

        (explained,) = await self._submit(("explain", id(reference)), explain_all, batch)
        described: list[object] = explained.tolist()
        return described

    @cached_property
    def nearest_distances(self) -> Array | None:
        """The distances of training rows to their nearest other row, sorted; None if unknown."""
        finder = self.table.neighbor_model
        if finder is None:
            return None
        try:
            return nearest_distances(finder.last)
        except LookalikeError:
            return None

    def distance_shares(self, nearest: AnyArray) -> list[float]:
        """Return the share of training rows that are nearer to their nearest row than rows are."""
        known = self.nearest_distances
        if known is None or not len(known):
            return []
        shares: list[float] = (np.searchsorted(known, nearest) / len(known)).tolist()
        return shares

    def stored_rows(
        self, rows: list[int] | None, start: int, count: int
    ) -> tuple[dict[str, object], AnyArray]:
        """Return training rows that the model keeps, in the features that it compares.

        They are what is known of the rows, and a matrix of them.
        """
        finder = self.table.neighbor_model or self.table
        stored = training_rows(finder.last)
        if not (isinstance(stored, np.ndarray) or sp.issparse(stored)):
            raise ProblemError(422, f"{self.name} keeps no training rows in memory.")
        n_rows = stored.shape[0]
        places = self._places(rows, start, count, n_rows)
        self.limits.require_result(len(places), stored.shape[1], "features")
        values = stored[places]
        values = values.toarray() if sp.issparse(values) else values
        names = _prepare_names(finder, values.shape[1])
        about = {
            "model": self.name,
            "version": self.version,
            "n_rows": n_rows,
            "rows": finder.data_rows(places).tolist(),
            "columns": names,
            "targets": to_jsonable(_targets(finder.last, places)),
        }
        return about, values

    def describe(self) -> dict[str, object]:
        """Return what a client has to know, as plain data."""
        reader, classes = self.reader, self.classes
        finder = self.table.neighbor_model or self.table
        return {
            "name": self.name,
            "version": self.version,
            "kind": type(self.table.last).__name__,
            "operations": self.operations,
            "input": reader.form,
            "columns": [{"name": column.name, "kind": column.kind} for column in reader.columns],
            "n_features": reader.width,
            "image_shape": self.table.image_shape,
            "classes": None if classes is None else to_jsonable(classes),
            "label_type": self.label_type,
            "n_training_rows": getattr(finder.last, "n_samples_fit_", None),
            "neighbors_by": self.table.companion_note,
            "refused": self.refused,
        }

    def probe(self) -> None:
        """Raise unless the model gives a result for a row of its own kind.

        What fails beside predictions is refused from then on, with the reason.
        """
        calls: dict[str, Callable[[RowBatch], Results]] = {
            "predict": lambda batch: self._predict(batch, False),
            "transform": self._transform,
            "neighbors": lambda batch: self._neighbors(batch, 1),
        }
        failures: dict[str, Exception] = {}
        for name in [name for name in calls if name in self.operations]:
            failure = self._try_examples(calls[name])
            if failure is not None:
                failures[name] = failure
        if failures and ("predict" in failures or len(failures) == len(self.operations)):
            raise next(iter(failures.values()))
        self.refused = {name: str(failure) for name, failure in failures.items()}

    def _try_examples(self, call: Callable[[RowBatch], Results]) -> Exception | None:
        """Return why no example row gives a result; None where one does."""
        failure: Exception | None = None
        for batch in example_rows(self.table, self.reader):
            try:
                call(batch)
            except PROBE_FAILURES as error:
                failure = error
            else:
                return None
        return failure

    def close(self) -> None:
        """Serve what waits, then end the thread."""
        self.queue.close()

    async def _submit(self, operation: object, call: Call, batch: RowBatch) -> Results:
        return await self.queue.submit(operation, _with_problems(call), batch)

    def _predict(self, batch: RowBatch, proba: bool) -> Results:
        rows = self.reader.model_input(batch)
        results = [np.asarray(self.table.call("predict", rows))]
        if proba:
            shares = self.table.call("predict_proba", rows)
            results += [
                np.asarray(share) for share in (shares if isinstance(shares, list) else [shares])
            ]
        return results

    def _neighbors(self, batch: RowBatch, k: int | None) -> Results:
        finder = self.table.neighbor_model or self.table
        prepared, _ = finder.prepared(self.reader.model_input(batch))
        with without_name_warnings():
            asked = {} if k is None else {"n_neighbors": k}  # trees have a default, and no K
            distances, rows = finder.last.kneighbors(prepared, **asked)
        return [finder.data_rows(np.asarray(rows)), np.asarray(distances)]

    def _transform(self, batch: RowBatch) -> Results:
        values = self.table.call("transform", self.reader.model_input(batch))
        self.limits.require_result(values.shape[0], values.shape[1], "features")
        return [values.toarray() if sp.issparse(values) else np.asarray(values)]

    def _explain(self, row: RowBatch, reference: RowBatch | None) -> Explanation:
        rows = self.reader.model_input(row)
        if has_neighbors(self.table):
            return explain_by_neighbors(self.table, rows)
        known = self.table.companion is not None or isinstance(self.table.last, WeightedEnsemble)
        if reference is None and known:
            prediction = self.table.call("predict", rows)[0]
            return with_companion(Explanation(prediction), self.table, rows)
        if reference is None and self.reader.form != "documents":
            kind = type(self.table.last).__name__
            raise ProblemError(
                422, f"A {kind} is explained relative to other rows. Send them as reference."
            )
        others = self.reader.as_columns(row if reference is None else reference)
        explanation = explain_by_effects(
            self.table, self.reader.columns_input, self.reader.as_columns(row), others
        )
        return with_companion(explanation, self.table, rows)

    def _places(self, rows: list[int] | None, start: int, count: int, n_rows: int) -> Rows:
        if rows is None:
            if start >= n_rows:
                raise ProblemError(404, f"start={start}: there are {n_rows} rows, from 0.")
            return np.arange(start, min(start + count, n_rows))
        finder = self.table.neighbor_model or self.table
        places = [finder.training_row(row) for row in rows]
        for row, column in zip(rows, places, strict=True):
            if column is None or not 0 <= column < n_rows:
                raise ProblemError(404, f"Row {row} is not a training row.", row=row)
        return np.array(places, np.int64)


def _prepare_names(table: TableModel, width: int) -> list[str]:
    """Return the names of the features that the last step compares."""
    steps = getattr(table.model, "steps", None)
    if steps is not None and hasattr(table.model[:-1], "get_feature_names_out"):
        try:
            return [str(name) for name in table.model[:-1].get_feature_names_out()]
        except (AttributeError, ValueError):
            pass
    names = getattr(table.last, "feature_names_in_", None)
    return [f"x{j}" for j in range(width)] if names is None else [str(n) for n in names]


def _targets(last: object, places: Rows) -> AnyArray | None:
    """Return the targets of training rows; None where the model keeps none."""
    if not hasattr(last, "predict"):
        return None
    try:
        if hasattr(last, "classes_"):
            return np.asarray(last.classes_)[class_codes(last)[places]]
        return numbers(last)[places]
    except LookalikeError:
        return None


def _is_rowwise(model: BaseEstimator) -> bool:
    steps = [step for _, step in model.steps] if hasattr(model, "steps") else [model]
    if isinstance(steps[-1], WeightedEnsemble):
        members = [member for _, member in steps[-1].members_]
        return all(map(_is_rowwise, [*steps[:-1], *members]))
    known = all(
        type(step).__name__ in ROWWISE_STEPS for step in steps if step not in (None, "passthrough")
    )
    return known and not float(getattr(steps[-1], "approximate", 0.0) or 0.0)


def _with_problems(call: Call) -> Call:
    """Return the call, whose errors of the package say row and column where they name them."""

    def translated(rows: RowBatch) -> Results:
        try:
            return call(rows)
        except ProblemError:
            raise
        except LookalikeError as error:
            raise ProblemError.of(error) from None

    return translated
