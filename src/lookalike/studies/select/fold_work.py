"""The pieces of work of a comparison: the rows of a fold are prepared, candidates fitted to them.

Each is a function of what it is given and of a store, in this process or in another.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.pipeline import Pipeline

from lookalike.decisions import Decisions
from lookalike.errors import LookalikeError
from lookalike.models.preprocessing.tree_table import TreeTablePreprocessor
from lookalike.studies.effort import Effort
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.scoring import KNOWN_SCORINGS
from lookalike.studies.select.candidate_names import restrict_candidates
from lookalike.studies.select.candidate_spec import CandidateSpec, FittedCandidate
from lookalike.studies.select.candidates import ALL_CANDIDATES
from lookalike.studies.select.preparation import (
    Preparation,
    PreparationRequest,
    choose_preparation,
)
from lookalike.studies.select.prepared_rows import PreparedRows, few_threads
from lookalike.studies.select.references import (
    REFERENCE_CANDIDATES,
    TEXT_REFERENCES,
    library_references,
)
from lookalike.studies.select.spreading_candidate import (
    SPREADING_NAME,
    spread_rows,
    spreading_candidate,
)
from lookalike.studies.select.text_candidates import TEXT_CANDIDATES
from lookalike.studies.select.training_rows import ProblemSize, TrainingRows, TreeColumns
from lookalike.studies.select.work_store import WorkStore
from lookalike.studies.task import CLASSIFICATION_TASK, Task
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.data.chunk import Matrix

DATASET_NAME = "dataset"  # the name of all rows in the store


@dataclass(frozen=True)
class Comparison:
    """What all pieces of work of a comparison share; small, as it goes to other processes."""

    request: PreparationRequest
    task: Task
    models: tuple[str, ...]  # names of the candidates to compare; all when empty
    scoring: str | None  # what models are compared by, where it is not the error or the RMSE
    effort: Effort
    labels: AnyArray | None  # all classes; None of regression

    def specs(self, dataset: Dataset, preparation: Preparation) -> list[CandidateSpec]:
        """Return the candidates and references for the kind of the data and the task."""
        specs = ALL_CANDIDATES if dataset.text is None else TEXT_CANDIDATES
        if preparation.has_text:
            specs = (*specs, *(spec for spec in TEXT_CANDIDATES if spec.name == "tfidf_linear"))
        if dataset.unlabeled is not None:
            specs = (*specs, spreading_candidate(dataset))
        if self.effort.references:
            specs = (*specs, *(REFERENCE_CANDIDATES if dataset.text is None else TEXT_REFERENCES))
        if self.effort.libraries and dataset.text is None:
            specs = (*specs, *library_references())
        for_task = [spec for spec in specs if self.task.name in spec.tasks]
        return restrict_candidates(for_task, self.models)


@dataclass(frozen=True)
class FoldResult:
    """What a candidate that was fitted to the training rows of a fold predicts for the others."""

    name: str
    y_pred: AnyArray | None = None
    shares: Array | None = None  # probabilities of all classes
    hyperparameters: dict[str, str] | None = None
    seconds: float = 0.0
    failure: str = ""  # why it could not be fitted


class PreparedFold:
    """The training rows of a fold as candidates are fitted to them, and its held-out rows.

    Parameters
    ----------
    comparison : Comparison
        What is compared.
    train, held_out : Dataset
        The rows as they were given.
    """

    specs: dict[str, str]
    train: RowsByFeatures

    def __init__(self, comparison: Comparison, train: Dataset, held_out: Dataset) -> None:
        preparation = choose_preparation(train, comparison.request, Decisions())
        self.specs = {spec.name: spec.features for spec in comparison.specs(train, preparation)}
        self.prepared: PreparedRows = PreparedRows(train, preparation)
        self.train, self.held_out = RowsByFeatures(comparison, self.prepared, train), {}
        with few_threads(train):
            for features in dict.fromkeys(map(preparation.same, self.specs.values())):
                self.train(features)
                preprocessor = self.prepared.preprocessor(features)
                self.held_out[features] = preprocessor.transform(held_out.source())
            if SPREADING_NAME in self.specs and train.unlabeled is not None:
                features = preparation.same(self.specs[SPREADING_NAME])
                others = spread_rows(train.unlabeled, comparison.request.seed)
                preprocessor = self.prepared.preprocessor(features)
                self.train(features).unlabeled = preprocessor.transform(others.source())
        self.prepared.release_rows()
        self.dataset: Dataset = train.without_rows()

    def rows_for(self, spec: CandidateSpec, rows: int) -> TrainingRows:
        """Return the training rows of a candidate, or the first of them; 0: all."""
        training = self.train(spec.features)
        return training.first(rows) if 0 < rows < len(training.y) else training

    def held_out_for(self, spec: CandidateSpec) -> Matrix:
        """Return the held-out rows as the candidate sees them."""
        return self.held_out[self.prepared.preparation.same(spec.features)]


class RowsByFeatures:
    """Training rows by the features that a candidate takes, each made once."""

    def __init__(self, comparison: Comparison, prepared: PreparedRows, dataset: Dataset) -> None:
        self._comparison, self._prepared = comparison, prepared
        self._y, self._groups = np.asarray(dataset.y), dataset.groups
        self._known: dict[str, TrainingRows] = {}

    def __call__(self, features: str) -> TrainingRows:
        """Return the training rows with these features."""
        comparison, prepared = self._comparison, self._prepared
        features = prepared.preparation.same(features)
        if features not in self._known:
            preprocessor, Z = prepared.of(features)
            scoring = None if comparison.scoring is None else KNOWN_SCORINGS[comparison.scoring]
            self._known[features] = TrainingRows(
                Z,
                self._y,
                comparison.task,
                comparison.request.seed,
                prepared.search(features),
                scaled=prepared.preparation.scaled(preprocessor),
                groups=self._groups,
                scoring=scoring,
                effort=comparison.effort,
                tree_columns=tree_columns_of(preprocessor),
            )
        return self._known[features]


def tree_columns_of(preprocessor: object) -> TreeColumns | None:
    """Return which columns trees take, of features that hold others, too."""
    if not isinstance(preprocessor, TreeTablePreprocessor):
        return None
    width = len(preprocessor.get_feature_names_out())
    return TreeColumns(preprocessor.n_encoded_, width, tuple(preprocessor.code_columns))


def prepare_fold(
    store: WorkStore, comparison: Comparison, number: int, train: Rows, held_out: Rows
) -> dict[str, ProblemSize]:
    """Prepare the rows of a fold for all candidates; return how large they are for each."""
    dataset: Dataset = store.get(DATASET_NAME)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of the model that is kept are shown
        rows = PreparedFold(comparison, dataset.take(train), dataset.take(held_out))
        store.put(fold_name(number), rows)
        return {name: rows.train(features).size for name, features in rows.specs.items()}


def fit_family(
    store: WorkStore, comparison: Comparison, number: int, names: Sequence[str], n_rows: int
) -> list[FoldResult]:
    """Fit candidates to the first training rows of a fold, 0: all, and predict the others."""
    rows: PreparedFold = store.get(fold_name(number))
    specs = comparison.specs(rows.dataset, rows.prepared.preparation)
    results = []
    for spec in specs:
        if spec.name in names:
            with few_threads(rows.dataset):
                result, model = _fit(comparison, spec, rows, n_rows)
            if model is not None:
                store.put(model_name(number, spec.name), model)
            results.append(result)
    return results


def _fit(
    comparison: Comparison, spec: CandidateSpec, rows: PreparedFold, n_rows: int
) -> tuple[FoldResult, Pipeline | None]:
    begin = time.monotonic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what matters is in hyperparameters and predictions
            fitted = spec.fit(rows.rows_for(spec, n_rows))
            y_pred, shares = predict_prepared(
                fitted, rows.held_out_for(spec), comparison.task, comparison.labels
            )
    except (LookalikeError, ValueError) as error:
        return FoldResult(spec.name, failure=f"it cannot be fitted here: {error}"), None
    model = pipeline_of(rows.prepared, spec, fitted, rows.dataset)
    seconds = time.monotonic() - begin
    return FoldResult(spec.name, y_pred, shares, fitted.hyperparameters, seconds), model


def predict_prepared(
    fitted: FittedCandidate, Z: Any, task: Task, labels: AnyArray | None
) -> tuple[AnyArray, Array | None]:
    """Return what a candidate predicts for prepared rows, and the probabilities of all classes."""
    if fitted.n_components is not None:
        Z = np.ascontiguousarray(Z[:, : fitted.n_components])
    for _, step in fitted.steps[:-1]:
        Z = step.transform(Z)
    model = fitted.steps[-1][1]
    if task is not CLASSIFICATION_TASK or labels is None:
        return np.asarray(model.predict(Z)), None
    if hasattr(model, "predict_both"):  # from one search
        y_pred, probability = model.predict_both(Z)
        return np.asarray(y_pred), _of_labels(probability, model, labels)
    return np.asarray(model.predict(Z)), class_shares(model, Z, labels)


def class_shares(model: BaseEstimator, rows: object, labels: AnyArray) -> Array:
    """Return the class probabilities of a fitted model, a column for every one of `labels`.

    Models without probabilities give those of a softmax of their decision function, which has
    the same order. Classes that the model does not know have probability 0.
    """
    if hasattr(model, "predict_proba"):
        return _of_labels(model.predict_proba(rows), model, labels)
    margin = np.asarray(model.decision_function(rows), np.float64)
    margin = np.column_stack([-margin, margin]) if margin.ndim == 1 else margin
    shares = np.exp(margin - margin.max(axis=1, keepdims=True))
    return _of_labels(shares / shares.sum(axis=1, keepdims=True), model, labels)


def _of_labels(probability: object, model: BaseEstimator, labels: AnyArray) -> Array:
    known = np.asarray(probability, np.float64)
    shares = np.zeros((len(known), len(labels)))
    shares[:, np.searchsorted(labels, np.asarray(model.classes_))] = known
    return shares


def pipeline_of(
    prepared: PreparedRows, spec: CandidateSpec, fitted: FittedCandidate, dataset: Dataset
) -> Pipeline:
    """Return a candidate as a model of raw tables."""
    preprocessor = prepared.preprocessor(spec.features)
    if fitted.n_components is not None:
        preprocessor = preprocessor.first(fitted.n_components)
    pipeline = Pipeline([("prepare", preprocessor), *fitted.steps])
    pipeline.training_rows_ = dataset.row  # their numbers in the data: they come shuffled
    if dataset.text is not None:
        pipeline.text_column_ = dataset.text
    return pipeline


def fold_name(number: int) -> str:
    """Return the name of the rows of a fold in the store."""
    return f"fold-{number}"


def model_name(number: int, name: str) -> str:
    """Return the name of the model of a fold in the store."""
    return f"model-{number}-{name}"
