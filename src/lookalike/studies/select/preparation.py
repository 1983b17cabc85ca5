"""Preprocessing: the scaling and encoding with the least leave-one-out error of K neighbors."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ShapeError, UnsupportedError
from lookalike.models.preprocessing.table import TablePreprocessor
from lookalike.models.text.lsa import LSA
from lookalike.models.text.tfidf import TermWeights
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.results import ColumnDescription
from lookalike.studies.select.training_rows import TrainingRows
from lookalike.studies.task import Task

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from lookalike.studies.context import StudyContext

TRIAL_ROWS = 2000
GOWER = "Gower distance"
USED = {"number": "number", "ordinal": "number", "boolean": "number"}
USED |= {"category": "category", "date": "date", "pixels": "number", "text": "text"}


@dataclass(frozen=True)
class TablePreparation:
    """Features for distance models and for linear models, made of the same columns."""

    columns: Mapping[str, str]
    scale: str
    encoding: str
    metric: str
    description: str

    analyzed = ("distance", "linear")  # the features that neighbors and structure are found in

    @property
    def has_text(self) -> bool:
        """Whether a column holds text, next to others."""
        return "text" in self.columns.values()

    def preprocessor(self, features: str) -> TablePreprocessor:
        """Return what turns columns into these features, not fitted yet."""
        if features == "tfidf":
            return TablePreprocessor(dict(self.columns), text="terms")
        if self.encoding == "codes" and features == "linear":
            return TablePreprocessor(dict(self.columns))
        return TablePreprocessor(dict(self.columns), scale=self.scale, encoding=self.encoding)

    def search(self, features: str, preprocessor: TablePreprocessor) -> dict[str, object]:
        """Return the parameters of a neighbor search on these features."""
        if features == "tfidf" or (self.encoding == "codes" and features == "linear"):
            return {}
        if self.metric != "gower":
            return {} if self.metric == "euclidean" else {"metric": self.metric}
        categorical = {"categorical": list(preprocessor.categorical_)}
        return {"metric": "gower", "metric_params": categorical, "missing": "present"}

    def same(self, features: str) -> str:
        """Return the first kind of features that is the same as `features`."""
        return features if self.encoding == "codes" or features == "tfidf" else "distance"

    def scaled(self, preprocessor: TablePreprocessor) -> bool:
        """Return whether columns are of one scale."""
        return preprocessor.scale == "zscore"


@dataclass(frozen=True)
class TextPreparation:
    """Features of documents: tf-idf weights, and the components of LSA."""

    column: str | None  # None where it is the only one: a list of documents will do as well
    description: str = "tf-idf"
    analyzed = ("lsa", "lsa")

    def preprocessor(self, features: str) -> BaseEstimator:
        """Return what turns documents into these features, not fitted yet."""
        return LSA(column=self.column) if features == "lsa" else TermWeights(column=self.column)

    def search(self, features: str, preprocessor: object) -> dict[str, Any]:  # noqa: ARG002 - as of tables
        """Return the parameters of a neighbor search: by the cosine."""
        return {"metric": "cosine", "metric_params": {"zero": "far"}}

    def same(self, features: str) -> str:
        """Return the features themselves."""
        return features

    def scaled(self, preprocessor: object) -> bool:  # noqa: ARG002 - as of tables
        """Return that rows have one length."""
        return True


Preparation: TypeAlias = TablePreparation | TextPreparation


def used_columns(columns: Sequence[ColumnDescription], dataset: Dataset) -> dict[str, str]:
    """Return the columns that rows are compared by, each with the way it is read."""
    if dataset.text is not None:
        return {dataset.text: "text"}
    if dataset.image_shape is not None:
        return dict.fromkeys(dataset.names, "number")
    kept = {column.name: USED[column.kind] for column in columns if column.role == "feature"}
    if not kept:
        why = "; ".join(f"{column.name!r}: {column.reason}" for column in columns[:5])
        raise ShapeError(f"No column is left to compare rows by. {why}. Give other columns.")
    for name, kind in kept.items():  # 0 and 1 may come as text, booleans or numbers
        if kind == "number" and dataset.kinds[name] == "category":
            kept[name] = "category"
    return kept


def choose_preparation(
    dataset: Dataset, context: StudyContext, decisions: Decisions
) -> Preparation:
    """Return the preparation with the least leave-one-out error of K neighbors."""
    metric, seed, task = context.options.metric, context.options.seed, context.task
    if dataset.text is not None:
        if metric not in ("auto", "cosine"):
            raise UnsupportedError(f"metric={metric!r}: documents are compared by their cosine.")
        texts = TextPreparation(dataset.text if len(dataset.kinds) > 1 else None)
        decisions.add("preprocessing", texts.description, f"column {dataset.text!r} is text")
        return texts
    options = _options(dataset, context.features, metric)
    if len(options) == 1 or task is None or len(dataset) < 10:
        decisions.add("preprocessing", options[0].description, "the default for such columns")
        return options[0]
    rows = np.random.default_rng(seed).permutation(len(dataset))[:TRIAL_ROWS]
    part = dataset.take(rows)
    errors = [_trial(option, part, task, seed) for option in options]
    best = int(np.argmin(errors))
    compared = "; ".join(
        f"{option.description} {task.format(task.value(error))}"
        for option, error in zip(options, errors, strict=True)
    )
    reason = f"leave-one-out {task.metric_title} of K-NN on {len(rows):,} training rows: {compared}"
    decisions.add("preprocessing", options[best].description, reason)
    return options[best]


def _options(dataset: Dataset, columns: Mapping[str, str], metric: str) -> list[TablePreparation]:
    categorical = "category" in columns.values()
    if metric == "gower" and "text" in columns.values():
        raise UnsupportedError("metric='gower' has no distance of texts. Drop the text column.")
    if metric == "gower":
        return [TablePreparation(columns, "none", "codes", "gower", GOWER)]
    chosen = "euclidean" if metric == "auto" else metric
    if dataset.image_shape is not None:
        return [TablePreparation(columns, "none", "onehot", chosen, "gray values, not scaled")]
    scaled = "z-scores, one-hot categories" if categorical else "z-scores"
    if "text" in columns.values():
        scaled += ", tf-idf components of text"
    options = [TablePreparation(columns, "zscore", "onehot", chosen, scaled)]
    if not categorical:
        if len(columns) > 1 and "text" not in columns.values():
            options.append(TablePreparation(columns, "none", "onehot", chosen, "not scaled"))
    elif metric == "auto" and "text" not in columns.values():
        options.append(TablePreparation(columns, "none", "codes", "gower", GOWER))
    return options


def _trial(option: TablePreparation, dataset: Dataset, task: Task, seed: int) -> float:
    """Return the least leave-one-out loss of K neighbors."""
    preprocessor = option.preprocessor("distance")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of single classes: shown for the model that is kept
        Z = preprocessor.fit_transform(dataset.source())
        search = option.search("distance", preprocessor)
        y = np.asarray(dataset.y)
        training = TrainingRows(Z, y, task, seed, search, groups=dataset.groups)
        curve = training.k_selection.curves["loo", "uniform"]
    return float(curve.scores[training.k_selection.score].min())
