"""Analyses of the columns, and of the selected model by its held-out predictions."""

from __future__ import annotations

import numpy as np

from lookalike.studies.analyze.column_profiles import profile_columns, profile_target
from lookalike.studies.analyze.feature_importance import permutation_importance, pixel_importance
from lookalike.studies.analyze.partial_dependence import partial_dependence
from lookalike.studies.context import StudyContext
from lookalike.studies.evaluate.calibration import calibration
from lookalike.studies.evaluate.evaluation import HeldOutResult, held_out_groups
from lookalike.studies.evaluate.residuals import interval_coverage, residuals
from lookalike.studies.evaluate.roc import repeats_of, roc_curves
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.results import StudyAnalyses
from lookalike.studies.select.split import Split
from lookalike.studies.task import CLASSIFICATION


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
    if context.task is CLASSIFICATION:
        if result.winner.name != "baseline":  # which has no probabilities that differ
            analyses.roc_curves = roc_curves(predictions, n_repeats)
            analyses.calibration = calibration(predictions, n_repeats, seed)
        return
    analyses.residuals = residuals(predictions, n_repeats)
    rows = predictions.row[repeats_of(predictions, n_repeats) == 0]
    analyses.prediction_intervals = interval_coverage(
        predictions, n_repeats, seed, held_out_groups(context, rows)
    )


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
    important = [one.name for one in analyses.feature_importance if one.is_significant]
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
