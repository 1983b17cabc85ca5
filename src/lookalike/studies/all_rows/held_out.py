"""The winner over all rows: fitted on all training rows where it learns by sums, then evaluated."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from lookalike.confidence import NORMAL_95_DEVIATIONS, wilson
from lookalike.data.chunk import Chunk
from lookalike.data.source import Source
from lookalike.engines import engine_for
from lookalike.reductions.row_hashes import is_held_out
from lookalike.studies.all_rows.rows import FeatureChunks, PreparedChunks, model_rows, target_of
from lookalike.studies.all_rows.survey import engine_name_of, reader_of, study_rows
from lookalike.studies.analysis_results import AllRowsScores
from lookalike.studies.context import StudyContext
from lookalike.studies.evaluate.evaluation import HeldOutResult
from lookalike.studies.load.target import StudyTarget
from lookalike.studies.task import CLASSIFICATION_TASK
from lookalike.typing import AnyArray, Array

BY_SUMS = ("LinearDiscriminantAnalysis", "GaussianMixtureClassifier")


def evaluate_all_rows(
    context: StudyContext, source: Source, result: HeldOutResult
) -> tuple[AllRowsScores, BaseEstimator]:
    """Return the scores of the winner on all held-out rows, and the model that has them."""
    rows = study_rows(context, source)
    model, fitted = refitted(context, source, result.selection.model)
    classes = context.task is CLASSIFICATION_TASK
    target = reader_of(context)
    assert target is not None, "only models with a target are evaluated"
    engine = engine_for(rows, engine_name_of(context))
    work = _Evaluate(model, rows, target, classes)
    total: Any = None
    n_train = 0
    for table, others in engine.map(work, rows):
        total = table if total is None else total + table
        n_train += others
    scores = _of_classes(total) if classes else _of_numbers(total)
    return replace(scores, n_train=n_train, fitted_on_all=fitted), model


def refitted(
    context: StudyContext, source: Source, model: BaseEstimator
) -> tuple[BaseEstimator, bool]:
    """Return the model fitted on all training rows, where it learns by sums; else as it is."""
    steps = model.steps
    final = steps[-1][1]
    if type(final).__name__ not in BY_SUMS or len(steps) != 2:
        return model, False
    rows = prepared_chunks(context, source, steps[0][1], reader_of(context))
    again = clone(final).set_params(engine=engine_name_of(context)).fit(rows)
    again.set_params(engine=final.engine)  # it predicts where it is asked to
    again.classes_ = np.unique(np.asarray(context.dataset.y))[again.classes_]
    return Pipeline([steps[0], (steps[-1][0], again)]), True


def prepared_chunks(
    context: StudyContext, source: Source, prepare: object, target: StudyTarget | None = None
) -> PreparedChunks:
    """Return all rows after the preprocessing of the study; with `target`, for training."""
    rows = study_rows(context, source)
    return PreparedChunks(source, rows.features, rows.named, prepare, target)


class _Evaluate:
    """The errors of a model on the held-out rows of a chunk, and the number of the others."""

    def __init__(
        self, model: BaseEstimator, rows: FeatureChunks, target: StudyTarget, classes: bool
    ) -> None:
        self.model, self.target, self.classes = model, target, classes
        self.features, self.named = rows.features, rows.named

    def __call__(self, chunk: Chunk) -> tuple[Array, int]:
        held = is_held_out(chunk.X)
        labels = np.asarray(self.target.values)
        others = int(np.count_nonzero(~held))
        if not held.any():
            return np.zeros((len(labels) + 1, len(labels)) if self.classes else 6), others
        predicted = np.asarray(self.model.predict(model_rows(chunk, self, held)))
        y = target_of(chunk)[held]
        if self.classes:
            return _confusion(y, predicted, labels), others
        return _sums(y, predicted.astype(np.float64)), others


def _confusion(y: Array, predicted: AnyArray, labels: AnyArray) -> Array:
    """Return counts by true and predicted class; classes not in the sample come last."""
    table = np.zeros((len(labels) + 1, len(labels)))
    np.add.at(table, (y.astype(np.int64), np.searchsorted(labels, predicted)), 1.0)
    return table


def _sums(y: Array, predicted: Array) -> Array:
    residual = y - predicted
    return np.array(
        [
            len(y),
            (residual**2).sum(),
            (residual**4).sum(),
            np.abs(residual).sum(),
            y.sum(),
            (y**2).sum(),
        ]
    )


def _of_classes(table: Array) -> AllRowsScores:
    n_rows = int(table.sum())
    error = 1 - float(np.trace(table)) / max(n_rows, 1)
    baseline = 1 - float(table.sum(axis=1).max()) / max(n_rows, 1)
    matrix = tuple(tuple(int(cell) for cell in line) for line in table)
    ends = wilson(error, max(n_rows, 1))
    return AllRowsScores("error", error, ends, n_rows, baseline, matrix)


def _of_numbers(sums: Array) -> AllRowsScores:
    n, squares, fourth, _, total, total_squares = sums.tolist()
    mean = squares / n
    spread = NORMAL_95_DEVIATIONS * np.sqrt(max(fourth / n - mean**2, 0.0) / n)
    ends = float(np.sqrt(max(mean - spread, 0.0))), float(np.sqrt(mean + spread))
    baseline = float(np.sqrt(max(total_squares / n - (total / n) ** 2, 0.0)))
    return AllRowsScores("rmse", float(np.sqrt(mean)), ends, int(n), baseline)
