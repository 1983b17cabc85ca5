"""Analyses of the columns, and of the selected model by its held-out predictions."""

from __future__ import annotations

from typing import Any

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
    """Find the permutation importance of the columns on held-out rows."""
    task = context.task
    if result is None or split is None or task is None:
        return
    dataset = _evaluated_rows(context, split)
    analyses.pixel_importance = pixel_importance(dataset, task)
    analyses.feature_importance = permutation_importance(
        result.selection.model,
        dataset,
        _held_out_parts(context, result, split),
        task,
        seed=context.options.seed,
        decisions=context.decisions,
    )


def _held_out_parts(
    context: StudyContext, result: HeldOutResult, split: Split
) -> list[tuple[Any, Dataset]]:
    """Return models with rows they were not fitted on: the model kept, or those of the folds.

    In nested cross-validation the model kept was fitted on all rows.
    """
    if not split.nested:
        return [(result.selection.model, _evaluated_rows(context, split))]
    n_folds = len(split.parts) // split.n_repeats
    return [
        (model, context.dataset.take(held_out))
        for (model, _), (_, held_out) in zip(
            result.fold_models, split.parts[:n_folds], strict=False
        )
    ]


def _evaluated_rows(context: StudyContext, split: Split) -> Dataset:
    """Return the held-out rows; in nested cross-validation all rows are."""
    if context.test is not None:
        return context.test
    return context.dataset if split.nested else context.dataset.take(split.parts[0][1])


def add_dependence(
    analyses: StudyAnalyses,
    context: StudyContext,
    result: HeldOutResult | None,
    split: Split | None,
) -> None:
    """Find the partial dependence on the columns whose permutation importance is above 0."""
    important = [one.name for one in analyses.feature_importance if one.interval[0] > 0]
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
