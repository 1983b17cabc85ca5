"""The stage of a study that goes over all rows, where models were compared on a sample."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lookalike.data.source import Source
from lookalike.engines import engine_for
from lookalike.errors import LookalikeError
from lookalike.models.cluster.kmeans import KMeans
from lookalike.reductions.covariance import Covariance
from lookalike.studies.all_rows.held_out import evaluate_all_rows, prepared_chunks
from lookalike.studies.all_rows.survey import engine_name_of, survey_all_rows
from lookalike.studies.analysis_results import AllRows
from lookalike.studies.context import StudyContext
from lookalike.studies.evaluate.evaluation import HeldOutResult
from lookalike.studies.results import StudyAnalyses
from lookalike.studies.select.prepared_rows import PreparedRows
from lookalike.typing import Rows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

MAX_COLUMNS_OF_STRUCTURE = 1500  # features beyond which no covariance of all rows is gathered
MAX_VARIANCES_SHOWN = 100  # variances of the spectrum
STAGE_TITLE = "all rows"


def study_all_rows(
    context: StudyContext,
    source: Source,
    result: HeldOutResult | None,
    prepared: PreparedRows,
    analyses: StudyAnalyses,
) -> tuple[AllRows | None, BaseEstimator | None]:
    """Return what passes over all rows found, and the model; None where all are in memory."""
    model = None if result is None else result.selection.model
    if not context.sampled:
        return None, model
    context.decisions.add(
        STAGE_TITLE, "passes beyond the time budget", "time bounds what is done with the sample"
    )
    found: AllRows | None = None
    try:
        with context.budget.stage(STAGE_TITLE):
            survey = survey_all_rows(context, source)
            found = AllRows(
                survey.n_rows,
                len(context.dataset),
                survey.n_duplicates,
                survey.share_counted < 1,
                survey.profile,
                survey.determining,
                survey.filled,
                survey.summed,
                survey.classes,
                survey.counts,
            )
            found = _with_forecast(found, analyses)
            ratio, sizes = _structure(context, source, prepared, analyses)
            found = replace(found, explained_variance_ratio=ratio, cluster_sizes=sizes)
            if result is not None:
                scores, model = evaluate_all_rows(context, source, result)
                found = replace(found, scores=scores)
    except LookalikeError as error:
        context.decisions.add(STAGE_TITLE, "stopped", str(error))
    return found, model


def _with_forecast(all_rows: AllRows, analyses: StudyAnalyses) -> AllRows:
    """Return the result with what the learning curve says of the sample and of all rows."""
    curve = analyses.learning_curve
    if curve is None:
        return all_rows
    now, ahead = curve.forecast(all_rows.n_compared), curve.forecast(all_rows.n_rows)
    return replace(
        all_rows,
        sample_error=float(now.error[0]),
        forecast_error=float(ahead.error[0]),
        forecast_interval=(float(ahead.low[0]), float(ahead.high[0])),
    )


def _structure(
    context: StudyContext, source: Source, prepared: PreparedRows, analyses: StudyAnalyses
) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return shares of variance of the principal components, and sizes of the clusters."""
    _, linear = prepared.preparation.analyzed
    rows = prepared_chunks(context, source, prepared.preprocessor(linear))
    if rows.n_features > MAX_COLUMNS_OF_STRUCTURE:
        context.decisions.add("spectrum of all rows", "skipped", f"{rows.n_features:,} features")
        return (), ()
    _, _, covariance = engine_for(rows, engine_name_of(context)).reduce(Covariance(), rows)
    variance = np.maximum(np.linalg.eigvalsh(covariance)[::-1], 0.0)
    ratio = variance / variance.sum() if variance.sum() > 0 else variance
    sizes: tuple[int, ...] = ()
    if context.task is None and analyses.clustering is not None:
        k = len(analyses.clustering.clusters)
        kmeans = KMeans(k, random_state=context.options.seed, engine=engine_name_of(context))
        sizes = tuple(int(n) for n in _sizes(kmeans.fit(rows), k))
    return tuple(map(float, ratio[:MAX_VARIANCES_SHOWN])), sizes


def _sizes(kmeans: KMeans, k: int) -> Rows:
    return np.sort(np.bincount(np.asarray(kmeans.labels_), minlength=k))[::-1]
