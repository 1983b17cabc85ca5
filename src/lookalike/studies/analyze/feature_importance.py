"""Which columns matter: how much worse the winner answers when one of them is shuffled."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.decisions import Decisions
from lookalike.models.feature_selection.univariate import pearson
from lookalike.models.text.tfidf import TermWeights
from lookalike.studies.analysis_results import FeatureImportance
from lookalike.studies.analyze.thumbnails import picture
from lookalike.studies.evaluate.metrics import NORMAL, losses
from lookalike.studies.load.dataset import Material
from lookalike.typing import AnyArray, Array

MOST_ROWS = 1000
MOST_COLUMNS = 30  # those of the best filter score are shuffled
REPEATS = 3
COMMON_TERMS = 2000  # words of documents that are looked at


def telling(
    model: Any,
    material: Material,
    y: AnyArray,
    *,
    classify: bool,
    seed: int,
    decisions: Decisions,
) -> tuple[FeatureImportance, ...]:
    """Return the columns by how much the error of `model` rises when each is shuffled.

    The rise is the mean over rows and shuffles of what a row's loss rises by, its interval from
    the spread over rows; of numbers, losses are squares and the rise is of the root of their mean.
    """
    if material.text is not None:
        return _telling_terms(material, y, classify=classify)
    names = list(model[0].columns_)
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(len(material))[:MOST_ROWS])
    part, truth = material.take(rows), y[rows]
    Z, origins = np.asarray(model[0].transform(part.source())), model[0].origins()
    strength = _by_column(filter_scores(Z, truth, classify=classify), names, origins)
    order = sorted(range(len(names)), key=lambda j: (-strength[j], j))
    tried = [names[j] for j in order[:MOST_COLUMNS]]
    if len(tried) < len(names):
        decisions.add(
            "features",
            f"{len(tried)} of {len(names)} shuffled",
            "those that tell most by themselves",
        )
    rest = model[1:]
    before = losses(rest.predict(Z), truth, classify=classify)
    places = {name: [j for j, origin in enumerate(origins) if origin == name] for name in tried}
    features = []
    for name in tried:
        rise = np.zeros(len(rows))
        for _ in range(REPEATS):
            shuffled = Z.copy()
            shuffled[:, places[name]] = Z[rng.permutation(len(rows))][:, places[name]]
            rise += losses(rest.predict(shuffled), truth, classify=classify) - before
        value, interval = _mean_rise(rise / REPEATS, before, classify=classify)
        features.append(FeatureImportance(name, value, interval, strength[names.index(name)]))
    return tuple(sorted(features, key=lambda feature: -feature.importance))


def relief_of(material: Material, y: AnyArray, *, classify: bool) -> str | None:
    """Return a small picture of how much each pixel tells by itself, None of other rows."""
    if material.image_shape is None or not isinstance(material.rows, np.ndarray):
        return None
    shape = material.image_shape
    scores = filter_scores(material.rows[:MOST_ROWS], y[:MOST_ROWS], classify=classify)
    told = scores.reshape(shape) if len(shape) == 2 else scores.reshape(shape).max(axis=2)
    return picture(told) if told.max() > 0 else None


def _telling_terms(
    material: Material, y: AnyArray, *, classify: bool
) -> tuple[FeatureImportance, ...]:
    """Return the words by how much they tell by themselves: no other could take their place."""
    names, rows = common_terms(material)
    scores = filter_scores(rows.toarray(), y, classify=classify)
    best = np.argsort(-scores, kind="stable")[:MOST_COLUMNS]
    told = [(str(names[j]), float(scores[j])) for j in best]
    return tuple(FeatureImportance(name, score, (score, score), score) for name, score in told)


def common_terms(material: Material) -> tuple[AnyArray, Any]:
    """Return the words that most documents hold, and their weights in every document, sparse."""
    terms = TermWeights(column=material.text).fit(material.source())
    rows = terms.transform(material.source())
    documents = np.bincount(rows.indices, minlength=rows.shape[1])
    common = np.argsort(-documents, kind="stable")[:COMMON_TERMS]
    return terms.get_feature_names_out()[common], rows[:, common]


def filter_scores(Z: AnyArray, y: AnyArray, *, classify: bool) -> Array:
    """Return the part of each column's variance between classes, or its squared correlation.

    Columns without a value, and all of them where there is one class only, tell nothing: 0.
    """
    if len(np.unique(y)) < 2:
        return np.zeros(Z.shape[1])
    task = "classification" if classify else "regression"
    share: Array = np.nan_to_num(pearson(Z, y, task=task, missing="present").scores ** 2)
    return share


def _by_column(scores: Array, names: list[str], origins: list[str]) -> list[float]:
    """Return for every column the best score of the numbers it became."""
    best = dict.fromkeys(names, 0.0)
    for origin, score in zip(origins, scores.tolist(), strict=True):
        best[origin] = max(best[origin], score)
    return [best[name] for name in names]


def _mean_rise(rise: Array, before: Array, *, classify: bool) -> tuple[float, tuple[float, float]]:
    mean = float(rise.mean())
    reach = NORMAL * float(rise.std()) / len(rise) ** 0.5
    if classify:
        return mean, (mean - reach, mean + reach)
    base = float(before.mean())

    def root(value: float) -> float:
        return float(np.sqrt(max(base + value, 0.0)) - np.sqrt(base))

    return root(mean), (root(mean - reach), root(mean + reach))
