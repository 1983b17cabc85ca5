"""The candidate that is kept: the best one, or an ensemble where it is better beyond noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lookalike.decisions import Decisions
from lookalike.models.calibration.temperature import TemperatureScaling
from lookalike.studies.evaluate.paired_tests import TRAINING_VARIANCE
from lookalike.studies.scoring import Scoring
from lookalike.studies.select.calibrated_candidates import log_loss_of, with_calibration
from lookalike.studies.select.ensemble_candidate import ENSEMBLE_NAME
from lookalike.studies.select.finalists import Finalists
from lookalike.studies.select.out_of_fold import OutOfFold
from lookalike.studies.task import CLASSIFICATION_TASK
from lookalike.typing import Array, Rows

ONE_SIDED_NORMAL = 1.645  # of the 5% level: is the ensemble better?
MODELS_WITHOUT_PROBABILITIES = ("baseline", "ridge", "tfidf_linear")  # their own, to be calibrated
CALIBRATED_CANDIDATES = 2  # of the best single ones; all where log loss selects


def choose_finalists(
    table: OutOfFold,
    scoring: Scoring,
    part: Rows,
    decisions: Decisions,
    groups: Rows | None = None,
) -> Finalists:
    """Return the candidates by their score, the ensemble first or not among them.

    It is kept where its loss is lower beyond noise than that of the best single candidate, by a
    paired test on the same rows; or where its log loss is lower, and its loss not higher beyond
    noise.

    Parameters
    ----------
    table : OutOfFold
        What all candidates predict, an ensemble among them where there is one.
    scoring : Scoring
        What they are compared by.
    part : ndarray
        The part of every row, by place, for what is chosen on rows.
    decisions : Decisions
        Where what was chosen is noted.
    groups : ndarray, optional
        The group of every row, by place; a unit of the test.
    """
    singles = [name for name in table.best(scoring) if name != ENSEMBLE_NAME]
    calibrations: dict[str, TemperatureScaling] = {}
    wanted = singles if scoring.name == "log_loss" else singles[:CALIBRATED_CANDIDATES]
    if table.task is CLASSIFICATION_TASK:
        for name in [*wanted, *([ENSEMBLE_NAME] if table.ensemble is not None else [])]:
            if name in MODELS_WITHOUT_PROBABILITIES:
                continue
            table, calibration = with_calibration(table, name, part)
            if calibration is not None:
                calibrations[name] = calibration
        if scoring.name == "log_loss":
            singles = [name for name in table.best(scoring) if name != ENSEMBLE_NAME]
    if table.ensemble is None:
        return Finalists(table, tuple(singles), calibrations)
    why = _reason_to_keep(table, singles[0], scoring, groups)
    title = table.contender(singles[0]).spec.title
    if why:
        decisions.add("ensemble", "kept", f"{why} than that of {title}, on the same rows")
        return Finalists(table, (ENSEMBLE_NAME, *singles), calibrations)
    decisions.add("ensemble", "not kept", f"not better than {title} beyond noise")
    others = tuple(
        contender for contender in table.contenders if contender.spec.name != ENSEMBLE_NAME
    )
    table = replace(table, contenders=others, ensemble=None)
    return Finalists(table, tuple(singles), calibrations)


def _reason_to_keep(table: OutOfFold, single: str, scoring: Scoring, groups: Rows | None) -> str:
    """Return in what the ensemble is better than a candidate; "" where in nothing."""
    scores = [scoring.loss(scoring.compute(table.predictions(n))) for n in (ENSEMBLE_NAME, single)]
    if scores[0] > scores[1] and scoring.name not in (table.task.metric, "log_loss"):
        return ""
    predictions = table.predictions(single)
    unit = predictions.row[:: table.split.n_repeats]
    if groups is not None:
        unit = groups[np.argsort(table.row)][np.searchsorted(np.sort(table.row), unit)]
    loss = [table.loss(name).mean(axis=0) for name in (ENSEMBLE_NAME, single)]
    if _lower(loss[0] - loss[1], unit):
        return f"lower {table.task.metric_title}"
    logs = [log_loss_of(table, name) for name in (ENSEMBLE_NAME, single)]
    if logs[0] is None or logs[1] is None:
        return ""
    worse = _lower(loss[1] - loss[0], unit)
    return "lower log loss" if not worse and logs[0].mean() < logs[1].mean() else ""


def _lower(difference: Array, unit: Rows) -> bool:
    """Return whether a mean difference is below 0 beyond noise, over rows or groups."""
    codes = np.unique(unit, return_inverse=True)[1]
    sums = np.bincount(codes, difference)
    if len(sums) < 2:
        return False
    error = float(sums.std(ddof=1)) * (1 + TRAINING_VARIANCE) ** 0.5 * len(sums) ** 0.5
    return bool(sums.sum() < -ONE_SIDED_NORMAL * error)
