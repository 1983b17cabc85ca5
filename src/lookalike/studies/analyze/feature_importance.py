"""Feature importance: permutation importance of columns, univariate scores of terms and pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from lookalike.decisions import Decisions
from lookalike.engines.local import in_threads
from lookalike.models.feature_selection.univariate import pearson
from lookalike.models.text.tfidf import TermWeights
from lookalike.studies.analysis_results import FeatureImportance
from lookalike.studies.analyze.thumbnails import thumbnail
from lookalike.studies.evaluate.fold_tests import holm, mean_over_folds
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.task import Task
from lookalike.typing import AnyArray, Array, Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

MAX_ROWS_SHUFFLED = 1000
MAX_COLUMNS_SHUFFLED = 30  # those of the best univariate score are shuffled
SHUFFLE_REPEATS = 3
TARGET_SHUFFLES = 99  # of the target, for the scores that terms reach by chance
SCORE_ROUNDING = 1e-12  # of univariate scores
COMMON_TERMS = 2000  # terms of documents that are scored


class _HeldOutPart:
    """A fitted model, and held-out rows in the features that it was fitted on."""

    def __init__(self, model: BaseEstimator, dataset: Dataset) -> None:
        Z = model[0].transform(dataset.source())
        self.Z = sp.csr_array(Z) if sp.issparse(Z) else np.asarray(Z)
        self.model = model[1:]  # of the features
        self.y = np.asarray(dataset.y)
        self.origins: list[str] = model[0].origins()  # the column that each feature comes from

    def loss(self, Z: object, task: Task) -> Array:
        """Return the loss of every row, predicted from these features."""
        return task.loss(self.model.predict(Z), self.y)

    def shuffled(self, name: str, order: Rows) -> object:
        """Return the features with those of one column in another order of the rows."""
        of_column = np.array([origin == name for origin in self.origins])
        if sp.issparse(self.Z):
            alone = self.Z @ sp.diags_array(of_column.astype(np.float64))
            return sp.csr_array(self.Z - alone + alone[order])
        Z = self.Z.copy()
        Z[:, of_column] = self.Z[order][:, of_column]
        return Z


def permutation_importance(
    models: Sequence[tuple[BaseEstimator, Rows]],
    dataset: Dataset,
    task: Task,
    seed: int,
    decisions: Decisions,
    *,
    groups: Rows | None = None,
) -> tuple[FeatureImportance, ...]:
    """Return the columns by how much the error rises when each is shuffled.

    `models` are fitted pipelines, each with the places of held-out rows in `dataset`: rows that it
    was not fitted on. The rise is the mean over rows and shuffles of the rise of a row's loss, its
    interval from the spread over rows (or `groups` of rows) and over models; of regression, losses
    are squares and the rise is that of the RMSE. The p-value of a column is corrected for all
    columns, and not below that of the model: what is no better than the baseline needs no column.
    """
    if dataset.text is not None:
        return _term_scores(dataset, task, seed)
    rng = np.random.default_rng(seed)
    sample = np.zeros(len(dataset), bool)
    sample[rng.permutation(len(dataset))[:MAX_ROWS_SHUFFLED]] = True
    places = [at[sample[at]] for _, at in models]
    parts = [
        _HeldOutPart(model, dataset.take(at)) for (model, _), at in zip(models, places, strict=True)
    ]
    preprocessor = models[0][0][0]
    names = list(preprocessor.columns_)
    univariate = _univariate(preprocessor, dataset.take(np.flatnonzero(sample)), names, task)
    order = sorted(range(len(names)), key=lambda j: (-univariate[j], j))
    tried = [names[j] for j in order[:MAX_COLUMNS_SHUFFLED]]
    if len(tried) < len(names):
        decisions.add(
            "permutation importance",
            f"of {len(tried)} of {len(names)} columns",
            "those of the highest univariate scores",
        )
    before = [part.loss(part.Z, task) for part in parts]
    orders = {
        name: [[rng.permutation(len(part.y)) for _ in range(SHUFFLE_REPEATS)] for part in parts]
        for name in tried
    }

    def mean_rise(name: str) -> Array:
        rises = []
        for part, loss, of_part in zip(parts, before, orders[name], strict=True):
            losses = [part.loss(part.shuffled(name, order), task) for order in of_part]
            rises.append(sum(one - loss for one in losses) / SHUFFLE_REPEATS)
        return np.concatenate(rises)

    rows, loss = np.concatenate(places), np.concatenate(before)
    fold = np.repeat(np.arange(len(places)), list(map(len, places)))
    of_rows = None if groups is None else groups[rows]
    tests = [mean_over_folds(rise, fold, of_rows) for rise in in_threads(mean_rise, tried)]
    gain = _baseline_loss(task, np.asarray(dataset.y)[rows]) - loss
    of_model = mean_over_folds(gain, fold, of_rows).p_value
    two_sided = [min(2 * one.p_value, 1.0) for one in tests]  # as the intervals are
    adjusted = np.maximum(holm(two_sided, len(names)), of_model)
    importance = []
    for name, test, p_value in zip(tried, tests, adjusted.tolist(), strict=True):
        value, low, high = (
            _rise_of_metric(rise, loss, task) for rise in (test.mean, *test.interval)
        )
        score = univariate[names.index(name)]
        importance.append(FeatureImportance(name, value, (low, high), score, p_value))
    return tuple(sorted(importance, key=lambda one: -one.importance))


def _baseline_loss(task: Task, y: AnyArray) -> Array:
    """Return the loss of every row by the constant that suits these rows best."""
    without_features = np.zeros((len(y), 1))
    baseline = task.baseline().fit(without_features, y)
    return task.loss(np.asarray(baseline.predict(without_features)), y)


def _univariate(
    preprocessor: BaseEstimator, dataset: Dataset, names: list[str], task: Task
) -> list[float]:
    """Return the univariate score of every column."""
    Z = preprocessor.transform(dataset.source())
    Z = Z.toarray() if sp.issparse(Z) else np.asarray(Z)
    scores = univariate_scores(Z, np.asarray(dataset.y), task)
    return _by_column(scores, names, preprocessor.origins())


def pixel_importance(dataset: Dataset, task: Task) -> str | None:
    """Return a small image of the univariate score of each pixel, None of other rows."""
    shape = dataset.image_shape
    if shape is None or not isinstance(dataset.rows, np.ndarray) or dataset.y is None:
        return None
    scores = univariate_scores(
        dataset.rows[:MAX_ROWS_SHUFFLED], dataset.y[:MAX_ROWS_SHUFFLED], task
    )
    pixels = scores.reshape(shape) if len(shape) == 2 else scores.reshape(shape).max(axis=2)
    return thumbnail(pixels) if pixels.max() > 0 else None


def _term_scores(dataset: Dataset, task: Task, seed: int) -> tuple[FeatureImportance, ...]:
    """Return the terms by their univariate score, with p-values corrected for their number.

    A term's p-value is how often the highest score of all terms reaches its own where targets are
    shuffled (max-T) [Westfall93]: single terms are too rare for a test of normal columns.
    """
    names, rows = common_terms(dataset)
    y = np.asarray(dataset.y)
    scores = univariate_scores(rows.toarray(), y, task)
    best = np.argsort(-scores, kind="stable")[:MAX_COLUMNS_SHUFFLED]
    highest = _highest_by_chance(rows, y, task, np.random.default_rng(seed))
    importance = []
    for j in best:
        score = float(scores[j])
        p_value = (1 + int((highest >= score - SCORE_ROUNDING).sum())) / (1 + len(highest))
        importance.append(FeatureImportance(str(names[j]), score, (score, score), score, p_value))
    return tuple(importance)


def _highest_by_chance(rows: Any, y: AnyArray, task: Task, rng: np.random.Generator) -> Array:
    """Return the highest univariate score of any term, of shuffled targets, draw by draw."""
    if len(np.unique(y)) < 2:
        return np.full(TARGET_SHUFFLES, np.inf)
    codes = y.astype(np.float64)[:, None] - y.mean() if task.name == "regression" else None
    if codes is None:
        labels, places = np.unique(y, return_inverse=True)
        codes = np.eye(len(labels))[places]
    total = np.asarray(rows.sum(axis=0)).ravel()
    spread = np.asarray(rows.multiply(rows).sum(axis=0)).ravel() - total**2 / len(y)
    weight = (codes**2).sum(axis=0)
    offset = 0.0 * total if task.name == "regression" else total**2 / len(y)
    highest = np.empty(TARGET_SHUFFLES)
    for draw in range(TARGET_SHUFFLES):
        sums = rows.T @ codes[rng.permutation(len(y))]
        between = (sums**2 / weight).sum(axis=1) - offset
        highest[draw] = (between[spread > 0] / spread[spread > 0]).max(initial=0.0)
    return highest


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


def _rise_of_metric(rise: float, loss: Array, task: Task) -> float:
    """Return by how much the metric rises with the mean loss."""
    if task.metric == task.loss_metric:  # the metric is the mean loss itself
        return rise
    base = float(loss.mean())
    return task.value(max(base + rise, 0.0)) - task.value(base)
