"""Analyses of the columns, and of the selected model by its held-out predictions."""

from __future__ import annotations

import numpy as np

from lookalike.studies.analyze.column_profiles import profile_columns, profile_target
from lookalike.studies.analyze.feature_importance import permutation_importance, pixel_importance
from lookalike.studies.analyze.partial_dependence import partial_dependence
from lookalike.studies.analyze.slices import RowLosses, find_slices
from lookalike.studies.context import StudyContext
from lookalike.studies.evaluate.calibration import calibration
from lookalike.studies.evaluate.evaluation import HeldOutResult, held_out_groups
from lookalike.studies.evaluate.prediction_intervals import interval_coverage
from lookalike.studies.evaluate.residuals import first_repeat, residuals
from lookalike.studies.evaluate.roc import repeats_of, roc_curves
from lookalike.studies.evaluate.significance import compare_with_baseline
from lookalike.studies.evaluate.thresholds import class_thresholds
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.results import StudyAnalyses
from lookalike.studies.scoring import mean_losses
from lookalike.studies.select.split import Split
from lookalike.studies.task import CLASSIFICATION_TASK, REGRESSION_TASK

NEGLIGIBLE_SHARE = 0.01  # of the error of the baseline


def add_profiles(analyses: StudyAnalyses, context: StudyContext) -> None:
    """Profile the columns and the target."""
    dataset, seed = context.dataset, context.options.seed
    analyses.columns = profile_columns(dataset, context.columns, seed, context.decisions)
    if analyses.target is not None and dataset.y is not None:
        analyses.target = profile_target(analyses.target, dataset.y)


def add_curves(
    analyses: StudyAnalyses, context: StudyContext, result: HeldOutResult | None
) -> None:
    """Find the ROC curves and the calibration, or the residuals, of held-out predictions."""
    if result is None:
        return
    predictions, n_repeats = result.predictions, result.scores.n_repeats
    seed = context.options.seed
    if context.task is not CLASSIFICATION_TASK:
        analyses.residuals = residuals(predictions, n_repeats)
        return
    if result.winner.name == "baseline":  # which has no probabilities that differ
        return
    analyses.roc_curves = roc_curves(predictions, n_repeats)
    if hasattr(result.selection.model, "predict_proba"):  # others are ranked by decision values
        row = predictions.row[repeats_of(predictions, n_repeats) == 0]
        groups = held_out_groups(context, row)
        analyses.calibration = calibration(predictions, n_repeats, seed, groups)
        rare = [] if analyses.target is None else analyses.target.rare_classes
        labels = [label for label, _ in rare]
        analyses.thresholds = class_thresholds(predictions, n_repeats, labels, seed)


def add_intervals(
    analyses: StudyAnalyses,
    context: StudyContext,
    result: HeldOutResult | None,
    split: Split | None,
) -> None:
    """Find the prediction intervals of a regression, from residuals of held-out rows.

    Their widths may depend on the prediction, and on the number that is the most important column.
    """
    if result is None or split is None or context.task is not REGRESSION_TASK:
        return
    n_repeats = result.scores.n_repeats
    predicted, residual = first_repeat(result.predictions, n_repeats)
    residual = residual * result.scores.expected_refit_factor**0.5  # of the model of all rows
    row = result.predictions.row[repeats_of(result.predictions, n_repeats) == 0]
    dataset = _evaluated_rows(context, split)
    columns = {"": predicted}
    for feature in analyses.feature_importance:
        if feature.is_significant and dataset.kinds.get(feature.name) == "number":
            positions = np.searchsorted(dataset.row, row)
            columns[feature.name] = dataset.column(feature.name).astype(np.float64)[positions]
            break
    analyses.prediction_intervals = interval_coverage(
        residual, columns, context.options.seed, held_out_groups(context, row)
    )


def add_slices(
    analyses: StudyAnalyses,
    context: StudyContext,
    result: HeldOutResult | None,
    split: Split | None,
) -> None:
    """Find parts of the rows with a much higher error.

    Of a model that is no better than the baseline they would be the classes, or chance; of one that
    is nearly without error they are of no use.
    """
    task = context.task
    if result is None or split is None or task is None or result.winner.name == "baseline":
        return
    scores = result.scores
    negligible = scores.error <= NEGLIGIBLE_SHARE * scores.baseline
    if negligible or compare_with_baseline(scores) != "better":
        return
    dataset = _evaluated_rows(context, split)
    if dataset.data_kind != "table":
        return
    row, loss = mean_losses(result.predictions, task)
    sample = dataset.take(np.searchsorted(dataset.row, row))
    losses = RowLosses(loss, held_out_groups(context, row))
    kinds = {name: kind for name, kind in dataset.kinds.items() if name in context.features}
    analyses.slices = find_slices(losses, sample, kinds, task, context.options.seed)


def add_importance(
    analyses: StudyAnalyses,
    context: StudyContext,
    result: HeldOutResult | None,
    split: Split | None,
) -> None:
    """Find the permutation importance of the columns on held-out rows; a baseline has none.

    Rows that were held out in folds are predicted by the models of their folds, once.
    """
    task = context.task
    if result is None or split is None or task is None:
        return
    dataset = _evaluated_rows(context, split)
    analyses.pixel_importance = pixel_importance(dataset, task)
    if result.winner.name == "baseline":
        return
    models = [(result.selection.model, np.arange(len(dataset)))]
    if split.cross_validated:
        held_out = [places for _, places in split.first_repeats(1).parts]
        models = [(model, at) for (model, _), at in zip(result.fold_models, held_out, strict=False)]
    analyses.feature_importance = permutation_importance(
        models,
        dataset,
        task,
        context.options.seed,
        context.decisions,
        groups=held_out_groups(context, dataset.row),
    )


def _evaluated_rows(context: StudyContext, split: Split) -> Dataset:
    """Return the held-out rows; in cross-validation, all rows."""
    if context.test is not None:
        return context.test
    return context.dataset if split.cross_validated else context.dataset.take(split.parts[0][1])


def add_dependence(
    analyses: StudyAnalyses,
    context: StudyContext,
    result: HeldOutResult | None,
    split: Split | None,
) -> None:
    """Find the partial dependence on the columns whose importance is significant."""
    important = [feature.name for feature in analyses.feature_importance if feature.is_significant]
    task = context.task
    if result is None or split is None or task is None or not important:
        return
    if context.dataset.data_kind == "table":
        analyses.partial_dependence = partial_dependence(
            result.selection.model,
            _evaluated_rows(context, split),
            important,
            context.columns,
            task=task,
            seed=context.options.seed,
            deadline=context.budget.deadline(),
            decisions=context.decisions,
        )
