"""Model selection and its held-out error: on a test set, or by nested cross-validation."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lookalike.decisions import Decisions
from lookalike.studies.context import StudyContext
from lookalike.studies.evaluate.held_out import held_out_scores, predict
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.results import Candidate, FoldModel, HeldOutScores, Predictions
from lookalike.studies.select.model_selection import ModelSelection, select_model
from lookalike.studies.select.split import Split
from lookalike.studies.task import Task
from lookalike.typing import AnyArray, Array, Rows

SELECTION_SHARE = 0.65  # of the time, in which models are compared


@dataclass(frozen=True)
class HeldOutResult:
    """The selected model, its held-out scores, and the rows it was fitted on."""

    selection: ModelSelection
    candidates: tuple[Candidate, ...]
    scores: HeldOutScores
    predictions: Predictions
    train: Rows  # places of the training rows of the model that is kept
    fold_models: tuple[FoldModel, ...]

    @property
    def winner(self) -> Candidate:
        """The candidate that was selected."""
        return next(one for one in self.candidates if one.name == self.selection.winner)


def evaluate(context: StudyContext, task: Task, split: Split) -> HeldOutResult:
    """Select a model on training rows and evaluate it on held-out ones.

    In nested cross-validation the whole selection is repeated for each fold, so that selecting
    is part of what is estimated; the model that is kept is then selected and fitted on all rows.
    """
    budget, decisions = context.budget, context.decisions
    n_rounds = len(split.parts) + 1 if split.nested else 1
    folds, fold_models, selection = [], [], None
    for fold, (train, held_out) in enumerate(split.parts):
        rows = context.dataset.take(train)
        test = context.dataset.take(held_out) if context.test is None else context.test
        selection = select_model(
            rows,
            context,
            task,
            deadline=budget.deadline(SELECTION_SHARE, n_rounds - fold),
            decisions=Decisions() if split.nested else decisions,
        )
        with budget.stage("predicting held-out rows"):
            y_pred, probability = predict(selection.model, test.source())
        fold_models.append(FoldModel(selection.model, rows.row))
        folds.append((test, y_pred, probability, _baseline(task, rows, len(test))))
    train = split.parts[0][0]
    if split.nested or selection is None:
        train = np.random.default_rng(context.options.seed).permutation(len(context.dataset))
        selection = select_model(
            context.dataset.take(train),
            context,
            task,
            deadline=budget.deadline(SELECTION_SHARE),
            decisions=decisions,
        )
        reason = "its error is the cross-validated estimate"
        decisions.add("model", "fitted on all rows", reason)
    else:
        decisions.add("model", f"fitted on the {len(train):,} training rows", "as it was evaluated")
    predictions, baseline = _joined(folds)
    scores = held_out_scores(predictions, baseline, task, context.options.seed)
    candidates = tuple(
        replace(one, held_out_error=scores.error) if one.name == selection.winner else one
        for one in selection.candidates
    )
    return HeldOutResult(selection, candidates, scores, predictions, train, tuple(fold_models))


def _baseline(task: Task, train: Dataset, n_rows: int) -> AnyArray:
    """Return the predictions of the baseline for so many rows."""
    model = task.baseline().fit(np.zeros((len(train), 1)), train.y)
    return np.asarray(model.predict(np.zeros((n_rows, 1))))


def _joined(
    folds: list[tuple[Dataset, AnyArray, Array | None, AnyArray]],
) -> tuple[Predictions, AnyArray]:
    """Return the predictions of all folds in order of row, and those of the baseline."""
    row = np.concatenate([test.row for test, *_ in folds])
    y_true = np.concatenate([np.asarray(test.y) for test, *_ in folds])
    y_pred, baseline = (np.concatenate([fold[place] for fold in folds]) for place in (1, 3))
    number = np.concatenate([np.full(len(test), j) for j, (test, *_) in enumerate(folds)])
    order = np.argsort(row, kind="stable")
    known = [probability for _, _, probability, _ in folds if probability is not None]
    probability = None  # where the models of some folds have none
    if len(known) == len(folds):
        probability = np.concatenate(known)[order]
    predictions = Predictions(row[order], y_true[order], y_pred[order], probability, number[order])
    return predictions, baseline[order]
