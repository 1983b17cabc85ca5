"""Model selection and its held-out error: on a test set, or by nested cross-validation."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from lookalike.data.chunk import Matrix
from lookalike.decisions import Decisions
from lookalike.errors import LookalikeError
from lookalike.studies.context import StudyContext
from lookalike.studies.evaluate.held_out import HeldOutScorer, predict
from lookalike.studies.format import Interval
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.results import NESTED, Candidate, HeldOutScores, Predictions
from lookalike.studies.scoring import Scoring, scoring_for
from lookalike.studies.select.budget import Deadline, TimeOver
from lookalike.studies.select.model_selection import ModelSelection, select_model
from lookalike.studies.select.split import Split
from lookalike.studies.task import CLASSIFICATION, Score, Task
from lookalike.typing import AnyArray, Array, Rows

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
    fold_models: tuple[tuple[BaseEstimator, Rows], ...]

    @property
    def winner(self) -> Candidate:
        """The candidate that was selected."""
        return next(one for one in self.candidates if one.name == self.selection.winner)


class _HeldOutFolds:
    """Predictions for held-out rows, gathered fold by fold; `labels` are all classes."""

    def __init__(self, labels: AnyArray | None) -> None:
        self.labels = labels
        self.models: list[
            tuple[BaseEstimator, Rows]
        ] = []  # with the numbers of their training rows
        self._parts: list[Predictions] = []
        self._baselines: list[AnyArray] = []
        self._candidates: list[dict[str, AnyArray]] = []

    def add(
        self,
        test: Dataset,
        predicted: tuple[AnyArray, Array | None, Array | None],
        baseline: AnyArray,
        candidates: dict[str, AnyArray],
        model: tuple[BaseEstimator, Rows],
    ) -> None:
        """Add a fold: what its winner, the baseline and all candidates predict, and the winner."""
        y_pred, probability, shares = predicted
        fold, y_true = np.full(len(test), len(self.models)), np.asarray(test.y)
        part = Predictions(test.row, y_true, y_pred, probability, fold, shares, self.labels)
        self._parts.append(part)
        self._baselines.append(baseline)
        self._candidates.append(candidates)
        self.models.append(model)

    def joined(self) -> tuple[Predictions, Predictions, dict[str, Predictions]]:
        """Return what the winners, the baseline and candidates predict, in order of row and fold.

        Of the candidates those that predicted the rows of every fold.
        """
        row = np.concatenate([part.row for part in self._parts])
        fold = np.concatenate([part.fold for part in self._parts])
        order = np.lexsort((fold, row))

        def joined(parts: list[AnyArray]) -> AnyArray:
            return np.concatenate(parts)[order]

        def where_all_have(parts: list[Array | None]) -> Array | None:
            known = [part for part in parts if part is not None]
            return joined(known) if len(known) == len(parts) else None

        predictions = Predictions(
            row[order],
            joined([part.y_true for part in self._parts]),
            joined([part.y_pred for part in self._parts]),
            where_all_have([part.probability for part in self._parts]),
            fold[order],
            where_all_have([part.shares for part in self._parts]),
            self.labels,
        )
        candidates = {
            name: predictions.by_other(
                np.concatenate([one[name] for one in self._candidates])[order]
            )
            for name in self._candidates[0]
            if all(name in one for one in self._candidates)
        }
        return predictions, predictions.by_other(np.concatenate(self._baselines)[order]), candidates


def evaluate(context: StudyContext, task: Task, split: Split) -> HeldOutResult:
    """Select a model on training rows and evaluate it on held-out ones.

    In nested cross-validation the whole selection is repeated for each fold, so that selecting
    is part of what is estimated. The model that is kept is then fitted on all rows: the one of
    least error over all folds, in each of which its hyperparameters were selected again.
    """
    decisions = context.decisions
    folds, selection, n_repeats = _held_out_folds(context, task, split)
    train = split.parts[0][0]
    predictions, baseline, others = folds.joined()
    first = predictions.fold < len(folds.models) // n_repeats
    scorer = HeldOutScorer(
        task,
        n_repeats=n_repeats,
        test_share=int((predictions.fold == 0).sum()) / max(len(train), 1),
        nested=split.nested,
        groups=held_out_groups(context, predictions.row[first]),
        seed=context.options.seed,
    )
    scoring = scoring_for(context.options.scoring, task)
    scores = scorer.scores(predictions, baseline, scoring)
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
        reason = "in some fold there was no time for them, or they could not be fitted to its rows"
        decisions.add("held-out errors", f"without {', '.join(left)}", reason)
    candidates = tuple(
        replace(one, held_out_error=known[one.name][0], held_out_interval=known[one.name][1])
        if one.name in known
        else one
        for one in selection.candidates
    )
    return HeldOutResult(selection, candidates, scores, predictions, train, tuple(folds.models))


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
    others: dict[str, Predictions],
    known: dict[str, tuple[float, Interval]],
    scorer: HeldOutScorer,
    scoring: Scoring,
) -> dict[str, Score]:
    """Return the scores of candidates over the folds, which did not choose hyperparameters."""
    last = max((int(one.fold.max()) for one in others.values()), default=0)
    n_folds = (last + 1) // scorer.n_repeats
    repeated = f", {scorer.n_repeats} repeats" if scorer.n_repeats > 1 else ""
    method = f"{NESTED}, {n_folds} folds{repeated}"
    other = scoring.name != scorer.task.metric
    return {
        name: Score(*known[name], method, scoring.compute(of_name) if other else None)
        for name, of_name in others.items()
    }


def _held_out_folds(
    context: StudyContext, task: Task, split: Split
) -> tuple[_HeldOutFolds, ModelSelection, int]:
    """Return the predictions for all folds, the last selection, and how often folds were repeated.

    Folds are repeated as long as the time allows another whole repeat.
    """
    budget, folds = context.budget, _HeldOutFolds(_labels(context, task))
    n_folds = len(split.parts) // split.n_repeats
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
            predicted = predict(selection.model, test.source(), folds.labels)
            every = _predicted_by_others(selection, test, budget.deadline(OTHERS_SHARE, rounds))
        every[selection.winner] = predicted[0]
        selection = selection.winner_alone()
        baseline = _baseline(task, np.asarray(context.dataset.y)[train], len(test))
        kept = selection.model, context.dataset.row[train]
        folds.add(test, predicted, baseline, every, kept)
    return folds, selection, split.n_repeats


def _predicted_by_others(
    selection: ModelSelection, test: Dataset, deadline: Deadline
) -> dict[str, AnyArray]:
    """Return what the candidates that were not selected predict, as far as there is time."""
    prepared: dict[int, Matrix] = {}
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
    """Return the predictions of the baseline of targets `y` for this many rows."""
    model = task.baseline().fit(np.zeros((len(y), 1)), y)
    return np.asarray(model.predict(np.zeros((n_rows, 1))))
