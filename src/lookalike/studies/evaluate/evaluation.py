"""Model selection and its error: every candidate on common folds, the winner fitted again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import BaseEstimator

from lookalike.studies.context import StudyContext
from lookalike.studies.evaluate.bias_correction import (
    OutOfFoldLosses,
    corrected_error,
    corrected_score,
    interval_over_groups,
)
from lookalike.studies.evaluate.choose_finalists import choose_finalists
from lookalike.studies.evaluate.held_out import HeldOutScorer, predict, with_corrected_error
from lookalike.studies.evaluate.paired_tests import equal_within_noise
from lookalike.studies.evaluate.refit import loss_of_half
from lookalike.studies.format import Interval
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.results import Candidate, HeldOutScores, Predictions
from lookalike.studies.scoring import KNOWN_SCORINGS, Scoring, scoring_for
from lookalike.studies.select.comparison import (
    CandidateComparison,
    comparison_of,
    work_place,
    worker_count,
)
from lookalike.studies.select.ensemble_candidate import add_ensemble, parts_of_rows
from lookalike.studies.select.finalists import Finalists
from lookalike.studies.select.kept_model import KeptModel, LearningRows
from lookalike.studies.select.out_of_fold import OutOfFold
from lookalike.studies.select.split import Split, deal_rows
from lookalike.studies.task import CLASSIFICATION_TASK, Task
from lookalike.typing import AnyArray, Array, Rows

SELECTION_SHARE = 0.65  # of the time, in which models are compared
ENSEMBLE_SHARE = 0.8  # of the time, until which the members of an ensemble are to be fitted
MAX_ENSEMBLE_SECONDS = 60.0  # that fitting them to all rows may take


@dataclass(frozen=True)
class HeldOutResult:
    """The model that is kept, the scores of what selected it, and the rows it was fitted on."""

    selection: KeptModel
    candidates: tuple[Candidate, ...]
    scores: HeldOutScores
    predictions: Predictions
    train: Rows  # places of the rows that the kept model learned from
    fold_models: tuple[tuple[BaseEstimator, Rows], ...]
    n_repeats: int  # of the folds, that the time allowed
    probabilities: tuple[Rows, Array] | None = None  # of rows that models did not learn from

    @property
    def winner(self) -> Candidate:
        """The candidate that was selected."""
        return next(
            candidate for candidate in self.candidates if candidate.name == self.selection.winner
        )


def evaluate(context: StudyContext, task: Task, split: Split) -> HeldOutResult:
    """Compare all candidates on common folds, fit the winner on all rows, and estimate its error.

    Without a test set, the error is that of the winner over the folds, corrected for having been
    selected on them. With one, the winner is scored on the test rows.
    """
    train = _learning_rows(context, split)
    dataset, labels = context.dataset.take(train), _labels(context, task)
    comparison = comparison_of(context, task, labels)
    scoring = scoring_for(context.options.scoring, task)
    folds = split if split.cross_validated else _inner_folds(context, task, train)
    with work_place(worker_count(dataset, context.options.effort)) as (store, pool):
        with context.budget.stage("preprocessing"):
            learning = LearningRows(comparison, dataset, context.decisions)
        rows = context.dataset if split.cross_validated else dataset
        with context.budget.stage("comparing models", waits=True):
            compared = CandidateComparison(comparison, learning.specs, rows, folds)
            table = compared.run(store, pool, context.budget.deadline(SELECTION_SHARE))
        with context.budget.stage("choosing the model"):
            finalists = _finalists(context, table, learning, rows, scoring)
        with context.budget.stage("fitting the model"):
            kept = learning.keep(finalists, context.decisions)
        winner, table = kept.winner, finalists.table
        fold_models = finalists.fold_models(winner) if split.cross_validated else ()
    losses = _losses(context, table)
    candidates = _with_comparisons(table.candidates(scoring), losses, kept, task)
    if split.cross_validated:
        predictions, baseline = table.predictions(winner), _baseline(table, task)
        scorer = _scorer(context, task, table.split, predictions)
        scores = scorer.scores(predictions, baseline, scoring)
        of_half = None
        if winner != "baseline":
            with context.budget.stage("gain of all rows"):
                seconds = table.seconds_of_fit(winner)
                of_half = loss_of_half(context, kept.model, task, table.split, seconds)
        scores = _correct(scores, losses, table, winner, of_half, seed=context.options.seed)
        reason = "its error is the cross-validated estimate, corrected for the selection"
        context.decisions.add("model", "fitted on all rows", reason)
    else:
        predictions, baseline = _predict_test(context, task, split, kept, labels)
        scorer = _scorer(context, task, split, predictions)
        scores = scorer.scores(predictions, baseline, scoring)
        fold_models = ((kept.model, context.dataset.row[train]),)
        choice = f"fitted on the {len(train):,} training rows"
        context.decisions.add("model", choice, "as it was evaluated")
    candidates = tuple(_with_held_out(candidate, winner, scores, split) for candidate in candidates)
    return HeldOutResult(
        kept,
        candidates,
        scores,
        predictions,
        train,
        fold_models,
        table.split.n_repeats,
        _probabilities(context, table, winner, None if split.cross_validated else predictions),
    )


def _finalists(
    context: StudyContext,
    table: OutOfFold,
    learning: LearningRows,
    rows: Dataset,
    scoring: Scoring,
) -> Finalists:
    """Return the candidates that may be kept, with an ensemble of them where it is better."""
    options = context.options
    if options.effort.ensemble and not options.models:
        seconds = min(context.budget.deadline(ENSEMBLE_SHARE).left, MAX_ENSEMBLE_SECONDS)
        table = add_ensemble(
            table,
            learning.specs,
            learning.feature_kinds(),
            groups=rows.groups,
            seed=options.seed,
            seconds=seconds,
        )
    part = parts_of_rows(table, rows.groups, options.seed)
    return choose_finalists(table, scoring, part, context.decisions, rows.groups)


def _learning_rows(context: StudyContext, split: Split) -> Rows:
    """Return the places of the rows that the kept model learns from, in random order."""
    if split.is_test:
        return split.parts[0][0]
    return np.random.default_rng(context.options.seed).permutation(len(context.dataset))


def _inner_folds(context: StudyContext, task: Task, train: Rows) -> Split:
    """Return folds of the training rows, by their places among these."""
    y, groups = np.asarray(context.dataset.y)[train], context.dataset.groups
    return deal_rows(
        y,
        task,
        seed=context.options.seed,
        groups=None if groups is None else groups[train],
        effort=context.options.effort,
    )


def _losses(context: StudyContext, table: OutOfFold) -> OutOfFoldLosses:
    """Return the losses of all candidates that may be kept, on the same rows."""
    names = tuple(table.eligible)
    predictions = table.predictions(names[0])
    n_repeats = table.split.n_repeats
    loss = np.stack([table.loss(name) for name in names])
    fold = predictions.fold.reshape(-1, n_repeats).T
    return OutOfFoldLosses(names, loss, fold, _groups(context, predictions.row[::n_repeats]))


def _correct(
    scores: HeldOutScores,
    losses: OutOfFoldLosses,
    table: OutOfFold,
    winner: str,
    of_half: Array | None,
    *,
    seed: int,
) -> HeldOutScores:
    """Return the scores of the winner, corrected for having been selected on the same rows.

    `of_half` are its losses by place, where it learned from half of the rows of a fold.
    """
    of_half = None if of_half is None else of_half[np.argsort(table.row, kind="stable")]
    predictions, split = table.predictions(winner), table.split
    alone = losses._replace(names=(winner,), loss=losses.loss[[losses.names.index(winner)]])
    fewer = len(split.parts[0][0]) / (table.fitted_rows(winner) or len(split.parts[0][0]))
    if scores.scoring == table.task.metric:
        best = losses.names[int(losses.units()[0].sum(axis=1).argmin())]
        # in the baseline nothing is selected; an ensemble may be kept for its log loss
        compared = alone if winner == "baseline" or best != winner else losses
        corrected = corrected_error(
            compared, table.task, seed=seed, times_fewer=fewer, of_half=of_half
        )
        return with_corrected_error(scores, corrected, predictions)
    by_repeat = {
        name: rows.take(np.lexsort((rows.row, rows.fold // split.n_folds)))
        for name, rows in ((name, table.predictions(name)) for name in losses.names)
    }
    requested = corrected_score(
        by_repeat,
        KNOWN_SCORINGS[scores.scoring],
        seed=seed,
        n_repeats=split.n_repeats,
        groups=losses.groups,
    )
    corrected = corrected_error(alone, table.task, seed=seed, times_fewer=fewer, of_half=of_half)
    return with_corrected_error(scores, corrected, predictions, requested)


def _with_comparisons(
    candidates: tuple[Candidate, ...], losses: OutOfFoldLosses, kept: KeptModel, task: Task
) -> tuple[Candidate, ...]:
    """Return the candidates with their differences from the winner on the same rows."""
    winner = kept.winner
    compared = equal_within_noise(losses, winner) if len(losses.names) > 1 else {}
    best = next(candidate for candidate in candidates if candidate.name == winner).validation_error

    def with_comparison(candidate: Candidate) -> Candidate:
        if candidate.name in kept.hyperparameters:  # what was chosen on all rows
            chosen = kept.hyperparameters[candidate.name] | _part_of_rows(candidate)
            candidate = replace(candidate, hyperparameters=chosen)
        if losses.groups is not None and candidate.name in losses.names:
            over_groups = interval_over_groups(losses, candidate.name, task)
            candidate = replace(candidate, validation_interval=over_groups)
        if candidate.name in compared:
            test = compared[candidate.name]
            interval = _difference_of_metric(task, best or 0.0, test.interval)
            return replace(candidate, equal_within_noise=test.equal, difference_interval=interval)
        if candidate.reference and candidate.validation_error is not None and best:
            return replace(candidate, gap=candidate.validation_error / best - 1.0)
        return candidate

    return tuple(map(with_comparison, candidates))


def _difference_of_metric(task: Task, best: float, interval: Interval) -> Interval:
    """Return the interval of a difference of errors for one of mean losses from the best."""
    low, high = (task.value(max(task.mean_loss(best) + end, 0.0)) - best for end in interval)
    return low, high


def _part_of_rows(candidate: Candidate) -> dict[str, str]:
    rows = candidate.hyperparameters.get("rows")
    return {} if rows is None else {"rows": rows}


def _with_held_out(
    candidate: Candidate, winner: str, scores: HeldOutScores, split: Split
) -> Candidate:
    """Return a candidate with its held-out error: of folds, or of the winner on test rows."""
    if candidate.name == winner:
        return replace(candidate, held_out_error=scores.error, held_out_interval=scores.interval)
    if candidate.name == "baseline":
        error, interval = scores.baseline, scores.baseline_interval
        return replace(candidate, held_out_error=error, held_out_interval=interval)
    if split.is_test or candidate.stopped or candidate.validation_error is None:
        return candidate
    return replace(
        candidate,
        held_out_error=candidate.validation_error,
        held_out_interval=candidate.validation_interval,
    )


def _scorer(
    context: StudyContext, task: Task, split: Split, predictions: Predictions
) -> HeldOutScorer:
    n_folds = split.n_folds
    train, held_out = split.parts[0]
    return HeldOutScorer(
        task,
        n_repeats=split.n_repeats,
        test_share=len(held_out) / max(len(train), 1),
        cross_validated=split.cross_validated and n_folds > 1,
        groups=held_out_groups(context, predictions.row[predictions.fold < n_folds]),
        seed=context.options.seed,
        draws=context.options.effort.score_draws,
    )


def _predict_test(
    context: StudyContext, task: Task, split: Split, kept: KeptModel, labels: AnyArray | None
) -> tuple[Predictions, Predictions]:
    """Return what the kept model and the baseline predict for the test rows."""
    train, held_out = split.parts[0]
    test = context.dataset.take(held_out) if context.test is None else context.test
    with context.budget.stage("predicting test rows"):
        y_pred, probability, shares = predict(kept.model, test.source(), labels)
    fold = np.zeros(len(test), np.int64)
    order = np.argsort(test.row, kind="stable")
    predictions = Predictions(
        test.row, np.asarray(test.y), y_pred, probability, fold, shares, labels
    ).take(order)
    y = np.asarray(context.dataset.y)[train]
    model = task.baseline().fit(np.zeros((len(y), 1)), y)
    return predictions, predictions.by_other(np.asarray(model.predict(np.zeros((len(test), 1)))))


def _baseline(table: OutOfFold, task: Task) -> Predictions:
    """Return what the baseline predicts, of the other rows of every repeat and fold."""
    if "baseline" in table.eligible:
        return table.predictions("baseline")
    predictions = table.predictions(table.eligible[0])
    y_pred = np.empty_like(predictions.y_pred)
    for part, (train, _) in enumerate(table.split.parts):
        y, rows = table.y[train], predictions.fold == part
        model = task.baseline().fit(np.zeros((len(y), 1)), y)
        y_pred[rows] = model.predict(np.zeros((int(rows.sum()), 1)))
    return predictions.by_other(y_pred)


def _probabilities(
    context: StudyContext, table: OutOfFold, winner: str, test: Predictions | None
) -> tuple[Rows, Array] | None:
    """Return the class probabilities of all rows by models that did not learn from them."""
    known = None if winner == "baseline" else table.probabilities(winner)
    if known is None or test is None or context.test is not None or test.shares is None:
        return known
    row = np.concatenate([known[0], test.row])
    order = np.argsort(row, kind="stable")
    return row[order], np.concatenate([known[1], test.shares])[order]


def _labels(context: StudyContext, task: Task) -> AnyArray | None:
    """Return all classes, those of a test file too; None of regression."""
    if task is not CLASSIFICATION_TASK:
        return None
    known = np.asarray(context.dataset.y)
    if context.test is None or context.test.y is None:
        return np.unique(known)
    return np.unique(np.concatenate([known, context.test.y]))


def held_out_groups(context: StudyContext, rows: Rows) -> Rows | None:
    """Return the groups of held-out rows, given by their numbers; None where all are single."""
    return None if context.test is not None else _groups(context, rows)


def _groups(context: StudyContext, rows: Rows) -> Rows | None:
    groups = context.dataset.groups
    return None if groups is None else groups[np.searchsorted(context.dataset.row, rows)]
