"""Model selection and its held-out error: on a test set, or by nested cross-validation."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from lookalike.decisions import Decisions
from lookalike.errors import LookalikeError
from lookalike.studies.context import StudyContext
from lookalike.studies.evaluate.held_out import HeldOutScorer, predict
from lookalike.studies.format import Interval
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.results import NESTED, Candidate, HeldOutScores, Predictions
from lookalike.studies.scoring import Evaluated, Scoring, scoring_for
from lookalike.studies.select.budget import Deadline, TimeOver
from lookalike.studies.select.model_selection import ModelSelection, select_model
from lookalike.studies.select.split import Split
from lookalike.studies.task import CLASSIFICATION, Score, Task
from lookalike.typing import AnyArray, Rows

SELECTION_SHARE = 0.65  # of the time, in which models are compared
OTHERS_SHARE = 0.75  # of the time, until which all candidates predict held-out rows


@dataclass(frozen=True)
class HeldOutResult:
    """The selected model, its held-out scores, and the rows it was fitted on."""

    selection: ModelSelection
    candidates: tuple[Candidate, ...]
    scores: HeldOutScores
    predictions: Predictions
    train: Rows  # places of the training rows of the model that is kept
    fold_models: tuple[tuple[Any, Rows], ...]

    @property
    def winner(self) -> Candidate:
        """The candidate that was selected."""
        return next(one for one in self.candidates if one.name == self.selection.winner)


class _Fold(NamedTuple):
    test: Dataset
    y_pred: AnyArray
    probability: AnyArray | None  # of the predicted class
    shares: AnyArray | None  # of all classes
    baseline: AnyArray
    candidates: dict[str, AnyArray]  # the predictions of each
    model: tuple[Any, Rows]


def evaluate(context: StudyContext, task: Task, split: Split) -> HeldOutResult:
    """Select a model on training rows and evaluate it on held-out ones.

    In nested cross-validation the whole selection is repeated for each fold, so that selecting
    is part of what is estimated. The model that is kept is then fitted on all rows: the one of
    least error over all folds, in each of which its hyperparameters were selected again.
    """
    decisions = context.decisions
    folds, selection, n_repeats = _held_out_folds(context, task, split)
    train = split.parts[0][0]
    predictions, baseline = _joined(folds, _labels(context, task))
    first = predictions.fold < len(folds) // n_repeats
    scorer = HeldOutScorer(
        task,
        predictions.fold,
        n_repeats=n_repeats,
        test_share=len(folds[0].test) / max(len(train), 1),
        nested=split.nested,
        groups=held_out_groups(context, predictions.row[first]),
        seed=context.options.seed,
    )
    rows = Evaluated(predictions.y_true, predictions.y_pred, predictions.shares, predictions.labels)
    scoring = scoring_for(context.options.scoring, task)
    scores = scorer.scores(rows, baseline, scoring)
    others = _of_candidates(folds, rows)
    known = {name: scorer.error(of_name) for name, of_name in others.items()}
    if split.nested:
        train = np.random.default_rng(context.options.seed).permutation(len(context.dataset))
        validation = {} if scoring.needs_shares else _validation(others, known, scorer, scoring)
        other_scoring = None if scoring.name == task.metric else scoring
        selection = _selected_on_all_rows(
            context, task, train, validation, other_scoring, last=selection
        )
        reason = "its error is the cross-validated estimate"
        decisions.add("model", "fitted on all rows", reason)
    else:
        decisions.add("model", f"fitted on the {len(train):,} training rows", "as it was evaluated")
    known[selection.winner] = scores.error, scores.interval
    compared = (one for one in selection.candidates if not one.skipped and not one.reference)
    left = [one.title for one in compared if one.name not in known]
    if left:
        reason = "in some fold the time was over, or they could not be fitted or predict"
        decisions.add("held-out errors", f"without {', '.join(left)}", reason)
    candidates = tuple(
        replace(one, held_out_error=known[one.name][0], held_out_interval=known[one.name][1])
        if one.name in known
        else one
        for one in selection.candidates
    )
    models = tuple(fold.model for fold in folds)
    return HeldOutResult(selection, candidates, scores, predictions, train, models)


def _selected_on_all_rows(
    context: StudyContext,
    task: Task,
    rows: Rows,
    validation: dict[str, Score],
    scoring: Scoring | None,
    *,
    last: ModelSelection,
) -> ModelSelection:
    """Return the models fitted on all rows, selected by their validation scores of nested folds.

    Without such scores they are validated on all rows, and for the winner of the last fold there
    always is time.
    """
    first = last.selected_by(validation, scoring).winner if validation else last.winner
    deadline = context.budget.deadline(SELECTION_SHARE)
    selection = select_model(
        context.dataset.take(rows),
        context,
        task,
        deadline=deadline,
        decisions=context.decisions,
        first=first,
    )
    return selection.selected_by(validation, scoring) if validation else selection


def _validation(
    others: dict[str, Evaluated],
    known: dict[str, tuple[float, Interval]],
    scorer: HeldOutScorer,
    scoring: Scoring,
) -> dict[str, Score]:
    """Return the scores of candidates over the folds, which did not choose hyperparameters."""
    n_folds = (int(scorer.fold.max()) + 1) // scorer.n_repeats
    repeated = f", {scorer.n_repeats} repeats" if scorer.n_repeats > 1 else ""
    method = f"{NESTED}, {n_folds} folds{repeated}"
    other = scoring.name != scorer.task.metric
    return {
        name: Score(*known[name], method, scoring.compute(of_name) if other else None)
        for name, of_name in others.items()
    }


def _held_out_folds(
    context: StudyContext, task: Task, split: Split
) -> tuple[list[_Fold], ModelSelection, int]:
    """Return the predictions for all folds, the last selection, and how often folds were repeated.

    Folds are repeated as long as the time allows another whole repeat.
    """
    budget, labels = context.budget, _labels(context, task)
    n_folds = len(split.parts) // split.n_repeats
    folds: list[_Fold] = []
    selection: Any = None
    begin = budget.seconds
    for number, (train, held_out) in enumerate(split.parts):
        repeat, place = divmod(number, n_folds)
        if repeat and place == 0:
            each = (budget.seconds - begin) / repeat
            if budget.deadline(SELECTION_SHARE).left < each * (1 + 1 / n_folds):
                reason = "another repeat would not fit the time budget"
                choice = f"{repeat} of {split.n_repeats} repeats"
                context.decisions.add("cross-validation", choice, reason)
                return folds, selection, repeat
        test = context.dataset.take(held_out) if context.test is None else context.test
        rounds = n_folds - place + 1 if split.nested else 1
        deadline: Deadline = budget.deadline(SELECTION_SHARE, rounds)
        decisions = Decisions() if split.nested else context.decisions
        selection = select_model(
            context.dataset.take(train), context, task, deadline=deadline, decisions=decisions
        )
        with budget.stage("predicting held-out rows"):
            predicted = predict(selection.model, test.source(), labels)
            every = _predicted_by_others(selection, test, budget.deadline(OTHERS_SHARE, rounds))
        every[selection.winner] = predicted[0]
        selection = selection.winner_alone()
        baseline = _baseline(task, np.asarray(context.dataset.y)[train], len(test))
        kept = selection.model, context.dataset.row[train]
        folds.append(_Fold(test, *predicted, baseline, every, kept))
    return folds, selection, split.n_repeats


def _predicted_by_others(
    selection: ModelSelection, test: Dataset, deadline: Deadline
) -> dict[str, AnyArray]:
    """Return what the candidates that were not selected predict, as far as there is time."""
    prepared: dict[int, Any] = {}
    predicted = {}
    try:
        with deadline.enforced():
            for name, model in selection.models.items():
                if name == selection.winner:
                    continue
                preprocessor = model.steps[0][1]
                if id(preprocessor) not in prepared:
                    prepared[id(preprocessor)] = preprocessor.transform(test.source())
                with suppress(LookalikeError, ValueError):  # one that cannot costs no other
                    predicted[name] = np.asarray(model[1:].predict(prepared[id(preprocessor)]))
    except TimeOver:
        pass  # `evaluate` says which have no held-out error
    return predicted


def _of_candidates(folds: list[_Fold], rows: Evaluated) -> dict[str, Evaluated]:
    """Return the rows as predicted by each candidate that predicted those of every fold."""
    order, _ = _row_order(folds)
    return {
        name: rows._replace(
            y_pred=np.concatenate([one.candidates[name] for one in folds])[order], shares=None
        )
        for name in folds[0].candidates
        if all(name in one.candidates for one in folds)
    }


def _labels(context: StudyContext, task: Task) -> AnyArray | None:
    """Return all classes, those of a test file too; None of regression."""
    if task is not CLASSIFICATION:
        return None
    own = np.asarray(context.dataset.y)
    if context.test is None or context.test.y is None:
        return np.unique(own)
    return np.unique(np.concatenate([own, context.test.y]))


def held_out_groups(context: StudyContext, rows: Rows) -> Rows | None:
    """Return the groups of held-out rows, given by their numbers; None where all are single."""
    groups = context.dataset.groups
    if groups is None or context.test is not None:
        return None
    return groups[np.searchsorted(context.dataset.row, rows)]


def _baseline(task: Task, y: AnyArray, n_rows: int) -> AnyArray:
    """Return the predictions of the baseline of targets `y` for so many rows."""
    model = task.baseline().fit(np.zeros((len(y), 1)), y)
    return np.asarray(model.predict(np.zeros((n_rows, 1))))


def _joined(folds: list[_Fold], labels: AnyArray | None) -> tuple[Predictions, Evaluated]:
    """Return the predictions of all folds in order of row, and those of the baseline."""
    order, number = _row_order(folds)
    row = np.concatenate([fold.test.row for fold in folds])
    y_true = np.concatenate([np.asarray(fold.test.y) for fold in folds])
    y_pred = np.concatenate([fold.y_pred for fold in folds])
    baseline = np.concatenate([fold.baseline for fold in folds])

    def joined(name: str) -> AnyArray | None:  # None where the models of some folds have none
        parts = [getattr(fold, name) for fold in folds]
        known = [part for part in parts if part is not None]
        return np.concatenate(known)[order] if len(known) == len(folds) else None

    predictions = Predictions(
        row[order],
        y_true[order],
        y_pred[order],
        joined("probability"),
        number,
        joined("shares"),
        labels,
    )
    return predictions, Evaluated(y_true[order], baseline[order], None, labels)


def _row_order(folds: list[_Fold]) -> tuple[Rows, Rows]:
    """Return the places of held-out rows in order of row and fold, and the fold of each."""
    row = np.concatenate([fold.test.row for fold in folds])
    number = np.repeat(np.arange(len(folds)), [len(fold.test) for fold in folds])
    order = np.lexsort((number, row))
    return order, number[order]
