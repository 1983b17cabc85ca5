"""Feature importance: permutation importance of columns, univariate scores of terms and pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.decisions import Decisions
from lookalike.engines.local import in_threads
from lookalike.models.feature_selection.univariate import pearson
from lookalike.models.text.tfidf import TermWeights
from lookalike.studies.analysis_results import FeatureImportance
from lookalike.studies.analyze.thumbnails import thumbnail
from lookalike.studies.format import Interval
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.task import NORMAL, Task
from lookalike.typing import AnyArray, Array

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

MOST_ROWS = 1000
MOST_COLUMNS = 30  # those of the best univariate score are shuffled
REPEATS = 3
COMMON_TERMS = 2000  # terms of documents that are scored


def permutation_importance(
    model: BaseEstimator,
    dataset: Dataset,
    parts: Sequence[tuple[BaseEstimator, Dataset]],
    task: Task,
    *,
    seed: int,
    decisions: Decisions,
) -> tuple[FeatureImportance, ...]:
    """Return the columns by how much the error of `model` rises when each is shuffled.

    The rise is measured on `parts`, models of the same data with rows that these were not fitted
    on: one that recalls its training rows needs every column there, also those without a relation
    to the target. It is the mean over rows and shuffles of the rise of a row's loss, its interval
    from the spread over rows; of regression, losses are squares and the rise is that of the RMSE.
    """
    if dataset.text is not None:
        return _term_scores(dataset, task)
    names = list(model[0].columns_)
    rng = np.random.default_rng(seed)
    part = _some_rows(dataset, MOST_ROWS, rng)
    Z, origins = np.asarray(model[0].transform(part.source())), model[0].origins()
    univariate = _by_column(univariate_scores(Z, np.asarray(part.y), task), names, origins)
    order = sorted(range(len(names)), key=lambda j: (-univariate[j], j))
    tried = [names[j] for j in order[:MOST_COLUMNS]]
    if len(tried) < len(names):
        decisions.add(
            "permutation importance",
            f"of {len(tried)} of {len(names)} columns",
            "those of the highest univariate scores",
        )
    most = MOST_ROWS // len(parts)
    rises = [_rises(one, _some_rows(rows, most, rng), tried, task, rng) for one, rows in parts]
    before = np.concatenate([loss for loss, _ in rises])
    importance = []
    for name in tried:
        rise = np.concatenate([of_part[name] for _, of_part in rises])
        value, interval = _mean_rise(rise, before, task)
        score = univariate[names.index(name)]
        importance.append(FeatureImportance(name, value, interval, score))
    return tuple(sorted(importance, key=lambda one: -one.importance))


def _some_rows(dataset: Dataset, most: int, rng: np.random.Generator) -> Dataset:
    return dataset.take(np.sort(rng.permutation(len(dataset))[:most]))


def _rises(
    model: BaseEstimator, dataset: Dataset, tried: list[str], task: Task, rng: np.random.Generator
) -> tuple[Array, dict[str, Array]]:
    """Return the loss of every row, and by how much it rises when each column is shuffled."""
    y = np.asarray(dataset.y)
    Z, origins = np.asarray(model[0].transform(dataset.source())), model[0].origins()
    rest = model[1:]
    before = task.loss(rest.predict(Z), y)
    places = {name: [j for j, origin in enumerate(origins) if origin == name] for name in tried}
    orders = {name: [rng.permutation(len(y)) for _ in range(REPEATS)] for name in tried}

    def mean_rise(name: str) -> Array:
        rise = np.zeros(len(y))
        for order in orders[name]:
            shuffled = Z.copy()
            shuffled[:, places[name]] = Z[order][:, places[name]]
            rise += task.loss(rest.predict(shuffled), y) - before
        return rise / REPEATS

    return before, dict(zip(tried, in_threads(mean_rise, tried), strict=True))


def pixel_importance(dataset: Dataset, task: Task) -> str | None:
    """Return a small image of the univariate score of each pixel, None of other rows."""
    shape = dataset.image_shape
    if shape is None or not isinstance(dataset.rows, np.ndarray) or dataset.y is None:
        return None
    scores = univariate_scores(dataset.rows[:MOST_ROWS], dataset.y[:MOST_ROWS], task)
    pixels = scores.reshape(shape) if len(shape) == 2 else scores.reshape(shape).max(axis=2)
    return thumbnail(pixels) if pixels.max() > 0 else None


def _term_scores(dataset: Dataset, task: Task) -> tuple[FeatureImportance, ...]:
    """Return the terms by their univariate score."""
    names, rows = common_terms(dataset)
    scores = univariate_scores(rows.toarray(), np.asarray(dataset.y), task)
    best = np.argsort(-scores, kind="stable")[:MOST_COLUMNS]
    scored = [(str(names[j]), float(scores[j])) for j in best]
    return tuple(FeatureImportance(name, score, (score, score), score) for name, score in scored)


def common_terms(dataset: Dataset) -> tuple[AnyArray, Any]:
    """Return the terms that most documents hold, and their tf-idf weights, sparse."""
    terms = TermWeights(column=dataset.text).fit(dataset.source())
    rows = terms.transform(dataset.source())
    documents = np.bincount(rows.indices, minlength=rows.shape[1])
    common = np.argsort(-documents, kind="stable")[:COMMON_TERMS]
    return terms.get_feature_names_out()[common], rows[:, common]


def univariate_scores(Z: AnyArray, y: AnyArray, task: Task) -> Array:
    """Return the part of each column's variance between classes, or its squared correlation.

    Columns without a value, and all of them where there is one class only, score 0.
    """
    if len(np.unique(y)) < 2:
        return np.zeros(Z.shape[1])
    scores, _ = pearson(Z, y, task=task.name, missing="present")
    share: Array = np.nan_to_num(scores**2)
    return share


def _by_column(scores: Array, names: list[str], origins: list[str]) -> list[float]:
    """Return for every column the best score of its features."""
    best = dict.fromkeys(names, 0.0)
    for origin, score in zip(origins, scores.tolist(), strict=True):
        best[origin] = max(best[origin], score)
    return [best[name] for name in names]


def _mean_rise(rise: Array, before: Array, task: Task) -> tuple[float, Interval]:
    """Return by how much the metric rises with the mean loss, and its 95% interval."""
    base, mean = float(before.mean()), float(rise.mean())
    reach = NORMAL * float(rise.std()) / len(rise) ** 0.5

    def of_metric(value: float) -> float:
        return task.value(max(base + value, 0.0)) - task.value(base)

    if task.metric == task.loss_metric:  # the metric is the mean loss itself
        return mean, (mean - reach, mean + reach)
    return of_metric(mean), (of_metric(mean - reach), of_metric(mean + reach))
