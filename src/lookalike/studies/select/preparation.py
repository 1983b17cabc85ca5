"""Preprocessing: the scaling and encoding with the lowest leave-one-out error of K neighbors."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import ShapeError, UnsupportedError
from lookalike.models.neighbors.metric_options import NeighborOptions
from lookalike.models.preprocessing.date_features import DATE_PARTS
from lookalike.models.preprocessing.table import TablePreprocessor
from lookalike.models.preprocessing.tree_table import TreeTablePreprocessor
from lookalike.models.text.lsa import LSA
from lookalike.models.text.ngrams import NgramWeights
from lookalike.models.text.tfidf import TermWeights
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.results import ColumnDescription
from lookalike.studies.select.date_parts import choose_date_parts, describe_date_parts
from lookalike.studies.select.training_rows import TrainingRows
from lookalike.studies.task import Task

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

TRIAL_ROWS = 2000
GOWER_TITLE, NOT_SCALED = "Gower distance", "not scaled"
METRICS_OF_OWN_UNITS = ("hamming", "jaccard", "haversine", "precomputed")
PREPARED_KINDS = {"number": "number", "ordinal": "number", "boolean": "number"}
PREPARED_KINDS |= {"category": "category", "date": "date", "pixels": "number", "text": "text"}


class PreparationRequest(NamedTuple):
    """What a preparation is chosen for: the columns and how each is read, and the task."""

    features: Mapping[str, str]
    task: Task | None  # None: no error says which is best
    metric: str
    seed: int


class Preparation(ABC):
    """How rows become features: one preprocessor for each kind of them."""

    description: str
    analyzed: tuple[str, str]  # the features that neighbors and structure are found in
    has_text = False  # whether a column holds text, next to others

    @abstractmethod
    def scaled(self, preprocessor: BaseEstimator) -> bool:
        """Return whether columns are of one scale."""

    @abstractmethod
    def preprocessor(self, features: str) -> BaseEstimator:
        """Return what turns rows into these features, not fitted yet."""

    @abstractmethod
    def search(self, features: str, preprocessor: BaseEstimator) -> NeighborOptions:
        """Return the parameters of a neighbor search on these features."""

    @abstractmethod
    def same(self, features: str) -> str:
        """Return the first kind of features that is the same as `features`."""

    def joined(self, features: str) -> str:
        """Return the kind of features whose first columns, or all, are those of `features`."""
        same = self.same(features)
        return self.same("trees") if same == self.same("linear") else same

    @abstractmethod
    def to_dict(self) -> dict[str, object]:
        """Return the preparation as JSON holds it."""


class _TablePreparation(Preparation):
    """Features for distance models and for linear models, made of the same columns.

    Parameters
    ----------
    columns : mapping
        How each column is read.
    scale, encoding : str
        Of numbers and of categories, as :class:`TablePreprocessor` takes them.
    metric : str
        The distance.
    description : str
        All that in words.
    date_parts : sequence of str, optional
        Parts of dates that distances are made of; other models take all of them. None: no model
        takes any.
    incomplete : bool
        Whether numbers are missing, which trees take as they are.
    """

    analyzed = ("distance", "linear")

    def __init__(
        self,
        columns: Mapping[str, str],
        scale: str,
        encoding: str,
        metric: str,
        description: str,
        *,
        date_parts: Sequence[str] | None = None,
        incomplete: bool = False,
    ) -> None:
        self.incomplete = incomplete
        self.columns, self.scale, self.encoding = dict(columns), scale, encoding
        self.metric, self.description = metric, description
        self.date_parts = None if date_parts is None else tuple(date_parts)
        self.has_text = "text" in self.columns.values()

    def preprocessor(self, features: str) -> TablePreprocessor:
        near, columns = self.date_parts or (), dict(self.columns)
        all_parts = near if self.date_parts is None else DATE_PARTS
        if features == "tfidf":
            return TablePreprocessor(columns, text="terms", date_parts=all_parts)
        scale, encoding = self.scale, self.encoding
        if encoding == "codes" and features != "distance":
            scale, encoding = "zscore", "onehot"
        parts = near if features == "distance" else all_parts
        kind = TreeTablePreprocessor if features == "trees" else TablePreprocessor
        return kind(columns, scale=scale, encoding=encoding, date_parts=parts)

    def with_date_parts(self, parts: Sequence[str]) -> _TablePreparation:
        """Return the same preparation with these parts of dates."""
        words = (self.scale, self.encoding, self.metric, self.description)
        return _TablePreparation(self.columns, *words, date_parts=parts, incomplete=self.incomplete)

    def search(self, features: str, preprocessor: TablePreprocessor) -> NeighborOptions:
        if features == "tfidf" or (self.encoding == "codes" and features != "distance"):
            return {}
        if self.metric != "gower":
            return {} if self.metric == "euclidean" else {"metric": self.metric}
        categorical = {"categorical": list(preprocessor.categorical_)}
        return {"metric": "gower", "metric_params": categorical, "missing": "present"}

    def same(self, features: str) -> str:
        if features == "trees":
            others = self.incomplete or "category" in self.columns.values()
            return "trees" if others else self.same("linear")
        other_dates = self.date_parts is not None and set(self.date_parts) != set(DATE_PARTS)
        differs = self.encoding == "codes" or features == "tfidf" or other_dates
        return features if differs else "distance"

    def scaled(self, preprocessor: TablePreprocessor) -> bool:
        return preprocessor.scale == "zscore"

    def to_dict(self) -> dict[str, object]:
        return {
            "kind": "table",
            "columns": self.columns,
            "scale": self.scale,
            "encoding": self.encoding,
            "metric": self.metric,
            "description": self.description,
            "date_parts": None if self.date_parts is None else list(self.date_parts),
            "incomplete": self.incomplete,
        }


class _TextPreparation(Preparation):
    """Features of documents: tf-idf weights of words or n-grams, and the components of LSA.

    Parameters
    ----------
    column : str or None
        The one that holds them; None where it is the only one: a list of documents will do as well.
    """

    description = "tf-idf"
    analyzed = ("lsa", "lsa")

    def __init__(self, column: str | None) -> None:
        self.column = column

    def preprocessor(self, features: str) -> BaseEstimator:
        kinds = {"lsa": LSA, "ngrams": NgramWeights}
        return kinds.get(features, TermWeights)(column=self.column)

    def search(self, features: str, preprocessor: object) -> NeighborOptions:  # noqa: ARG002 - always by the cosine
        return {"metric": "cosine", "metric_params": {"zero": "far"}}

    def same(self, features: str) -> str:
        return features

    def scaled(self, preprocessor: object) -> bool:  # noqa: ARG002 - rows have one length
        return True

    def to_dict(self) -> dict[str, object]:
        return {"kind": "texts", "column": self.column}


def preparation_from(content: Mapping[str, Any]) -> Preparation:
    """Return the preparation that `to_dict` wrote."""
    parts = {name: value for name, value in content.items() if name != "kind"}
    return _TextPreparation(**parts) if content["kind"] == "texts" else _TablePreparation(**parts)


def used_columns(columns: Sequence[ColumnDescription], dataset: Dataset) -> dict[str, str]:
    """Return the columns that rows are compared by, each with the way it is read."""
    if dataset.text is not None:
        return {dataset.text: "text"}
    if dataset.image_shape is not None:
        return dict.fromkeys(dataset.names, "number")
    kept = {
        column.name: PREPARED_KINDS[column.kind] for column in columns if column.role == "feature"
    }
    if not kept:
        why = "; ".join(f"{column.name!r}: {column.reason}" for column in columns[:5])
        raise ShapeError(f"No column is left to compare rows by. {why}. Give other columns.")
    for name, kind in kept.items():  # 0 and 1 may come as text, booleans or numbers
        if kind == "number" and dataset.kinds[name] == "category":
            kept[name] = "category"
    return kept


def default_preparation(
    dataset: Dataset,
    features: Mapping[str, str],
    decisions: Decisions,
    *,
    metric: str = "auto",
    scale: str = "zscore",
) -> Preparation:
    """Return the preparation of rows for which no error says which is best.

    It is the one that a study without a target takes. `scale` "none" leaves numbers in their own
    units, as they are for metrics that mean something by these.
    """
    if dataset.text is not None:
        return _text_preparation(dataset, metric, decisions)
    option = _options(dataset, features, metric)[0]
    reason = "as requested" if metric == "gower" else "the default for such columns"
    if option.scale == "zscore" and (scale == "none" or metric in METRICS_OF_OWN_UNITS):
        of_metric = metric in METRICS_OF_OWN_UNITS
        reason = f"{metric} compares values as they are" if of_metric else "--scale none"
        described = option.description.replace("z-scores", NOT_SCALED)
        option = _TablePreparation(features, "none", option.encoding, option.metric, described)
    decisions.add("preprocessing", option.description, reason)
    return option


def _text_preparation(dataset: Dataset, metric: str, decisions: Decisions) -> Preparation:
    if metric not in ("auto", "cosine"):
        raise UnsupportedError(f"metric={metric!r}: documents are compared by their cosine.")
    texts = _TextPreparation(dataset.text if len(dataset.kinds) > 1 else None)
    decisions.add("preprocessing", texts.description, f"column {dataset.text!r} is text")
    return texts


def choose_preparation(
    dataset: Dataset, request: PreparationRequest, decisions: Decisions
) -> Preparation:
    """Return the preparation with the lowest leave-one-out error of K neighbors."""
    features, task, metric, seed = request
    if dataset.text is not None or task is None or len(dataset) < 10:
        return default_preparation(dataset, features, decisions, metric=metric)
    options = _options(dataset, features, metric)
    rows = np.random.default_rng(seed).permutation(len(dataset))[:TRIAL_ROWS]
    part = dataset.take(rows)

    known: dict[tuple[str, tuple[str, ...]], float] = {}

    def loss(option: _TablePreparation) -> float:
        key = (option.description, option.date_parts or ())
        if key not in known:
            known[key] = _trial(option, part, task, seed)
        return known[key]

    if "date" not in features.values():
        return _best_option(options, loss, task, len(rows), decisions)
    dated = [_with_date_parts(option, loss, part) for option in options]
    best = _best_option(dated, loss, task, len(rows), decisions)
    tried = {parts: error for (words, parts), error in known.items() if words == best.description}
    _note_date_parts(best, tried, task, len(rows), decisions)
    return best


def _best_option(
    options: Sequence[_TablePreparation],
    loss: Callable[[_TablePreparation], float],
    task: Task,
    n_rows: int,
    decisions: Decisions,
) -> _TablePreparation:
    """Return the scaling and encoding with the lowest leave-one-out loss."""
    if len(options) == 1:
        decisions.add("preprocessing", options[0].description, "the default for such columns")
        return options[0]
    errors = [loss(option) for option in options]
    best = int(np.argmin(errors))
    compared = "; ".join(
        f"{option.description} {task.format(task.value(error))}"
        for option, error in zip(options, errors, strict=True)
    )
    reason = f"leave-one-out {task.metric_title} of K-NN on {n_rows:,} training rows: {compared}"
    decisions.add("preprocessing", options[best].description, reason)
    return options[best]


def _with_date_parts(
    option: _TablePreparation, loss: Callable[[_TablePreparation], float], part: Dataset
) -> _TablePreparation:
    """Return the option with those parts of dates that lower its leave-one-out loss."""
    fitted = option.with_date_parts(DATE_PARTS).preprocessor("distance").fit(part.source())
    recurring = [name for name in DATE_PARTS if any(name in p for p in fitted.date_parts_.values())]
    if not recurring:
        return option.with_date_parts(())
    return option.with_date_parts(
        choose_date_parts(recurring, lambda parts: loss(option.with_date_parts(parts)))
    )


def _note_date_parts(
    option: _TablePreparation,
    tried: Mapping[tuple[str, ...], float],
    task: Task,
    n_rows: int,
    decisions: Decisions,
) -> None:
    """Record which parts of dates neighbors are found by, where some could have been."""
    if len(tried) < 2:
        return
    compared = "; ".join(
        f"{describe_date_parts(parts)} {task.format(task.value(error))}"
        for parts, error in tried.items()
    )
    reason = f"leave-one-out {task.metric_title} of K-NN on {n_rows:,} training rows: {compared}"
    choice = describe_date_parts(option.date_parts or ())
    decisions.add("dates as neighbors see them", choice, reason)


def _options(dataset: Dataset, columns: Mapping[str, str], metric: str) -> list[_TablePreparation]:
    categorical = "category" in columns.values()
    if metric == "gower" and "text" in columns.values():
        raise UnsupportedError("metric='gower' has no distance of texts. Drop the text column.")
    if metric == "gower":
        return [_TablePreparation(columns, "none", "codes", "gower", GOWER_TITLE)]
    chosen = "euclidean" if metric == "auto" else metric
    if dataset.image_shape is not None:
        return [_TablePreparation(columns, "none", "onehot", chosen, "gray values, not scaled")]
    scaled = "z-scores, one-hot categories" if categorical else "z-scores"
    if "text" in columns.values():
        scaled += ", tf-idf components of text"
    lacks = _lacks_numbers(dataset, columns)
    options = [_TablePreparation(columns, "zscore", "onehot", chosen, scaled, incomplete=lacks)]
    if not categorical:
        if len(columns) > 1 and "text" not in columns.values():
            options.append(
                _TablePreparation(columns, "none", "onehot", chosen, NOT_SCALED, incomplete=lacks)
            )
    elif metric == "auto" and "text" not in columns.values():
        options.append(
            _TablePreparation(columns, "none", "codes", "gower", GOWER_TITLE, incomplete=lacks)
        )
    return options


def _lacks_numbers(dataset: Dataset, columns: Mapping[str, str]) -> bool:
    numbers = (dataset.column(name) for name, kind in columns.items() if kind == "number")
    return any(bool(np.isnan(one).any()) for one in numbers if one.dtype.kind == "f")


def _trial(option: _TablePreparation, dataset: Dataset, task: Task, seed: int) -> float:
    """Return the lowest leave-one-out loss of K neighbors."""
    preprocessor = option.preprocessor("distance")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of single classes: shown for the model that is kept
        Z = preprocessor.fit_transform(dataset.source())
        search = option.search("distance", preprocessor)
        y = np.asarray(dataset.y)
        training = TrainingRows(Z, y, task, seed, search, groups=dataset.groups)
        curve = training.k_selection.curves["loo", "uniform"]
    return float(curve.scores[training.k_selection.score].min())
