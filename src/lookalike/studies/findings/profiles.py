"""Findings on the columns and the target, and on what predictions can be relied on for."""

from __future__ import annotations

from lookalike.models.targets import LEAST_ROWS
from lookalike.printable import number
from lookalike.studies.evaluation_results import Calibration, IntervalCoverage
from lookalike.studies.findings.evidence import StatedFigures
from lookalike.studies.format import listed, percent
from lookalike.studies.profile_results import ColumnProfile
from lookalike.studies.results import Finding, Study

NAMED = 3  # columns in a sentence
ONE_SIDED = 0.5  # part of the ECE that is in one direction


def on_calibration(calibration: Calibration) -> Finding:
    """Say whether class probabilities can be taken at their word."""
    say = StatedFigures()
    of = "the predicted class" if calibration.label is None else f"{calibration.label!r}"
    error = say.share("calibration.ece", calibration.ece)
    chance = say.share("calibration.ece_chance", calibration.ece_chance)
    n_rows = say.count("calibration.n_rows", calibration.n_rows)
    text = f"Probabilities of {of}: expected calibration error {error} (n = {n_rows}); "
    if calibration.ece <= calibration.ece_chance:
        text += f"calibrated ones reach {chance} by chance: no miscalibration detected."
        return say.finding("calibration", text)
    gap = sum(one.n_rows * (one.mean_probability - one.share) for one in calibration.bins)
    gap /= calibration.n_rows
    how = ""
    if abs(gap) > ONE_SIDED * calibration.ece:
        how = ", mostly too high" if gap > 0 else ", mostly too low"
    text += f"calibrated ones stay below {chance} in 99% of such samples: miscalibrated{how}."
    return say.finding("calibration", text)


def on_prediction_intervals(coverage: IntervalCoverage) -> Finding:
    """State the conformal interval with its measured coverage."""
    say = StatedFigures()
    path = "prediction_intervals"
    half = say(f"{path}.half_width", number(coverage.half_width))
    wanted = say(f"{path}.coverage", f"{coverage.coverage:.0%}")
    measured = say.share(f"{path}.measured_coverage", coverage.measured_coverage)
    ends = say.interval(f"{path}.measured_interval", "error", coverage.measured_interval)
    n_rows = say.count(f"{path}.n_rows", coverage.n_rows)
    text = (
        f"Prediction interval: the prediction ± {half} for a coverage of {wanted} (conformal); "
        f"measured on held-out rows {measured} (95% CI {ends}, n = {n_rows})."
    )
    return say.finding("prediction_intervals", text)


def on_target(study: Study) -> Finding | None:
    """Say where the target is capped, which limits what predictions can be."""
    target = study.target
    profile = None if target is None else target.profile
    if target is None or profile is None:
        return None
    say = StatedFigures()
    parts = _capped(profile, "target.profile", say)
    if not parts:
        return None
    text = f"The target {target.name!r} is probably capped: {listed(parts)}. What it would be "
    return say.finding("target", text + "beyond cannot be learned.")


def on_classes(study: Study) -> Finding | None:
    """Say where integers were taken as classes of which some are too rare to be any."""
    target = study.target
    taken = any(one.about == "task" and "integers" in one.reason for one in study.decisions)
    if target is None or not taken or len(target.counts) <= 2:
        return None
    rarest = min(target.counts)
    if study.task != "classification" or rarest >= LEAST_ROWS:
        return None
    say = StatedFigures()
    rows = say.count(f"target.counts.{target.counts.index(rarest)}", rarest, "row")
    text = (
        f"The integers of {target.name!r} are taken as classes, the rarest in {rows}: if they are "
        "counts or an order, give --task regression."
    )
    return say.finding("target", text)


def on_columns(study: Study) -> Finding | None:
    """Name columns that are capped, or missing in some classes more than in others."""
    say = StatedFigures()
    named: list[str] = []
    for place, column in enumerate(study.columns):
        profile = column.profile
        if profile is None or column.role == "dropped":
            continue
        kinds = {alert.kind for alert in profile.alerts}
        path = f"columns.{place}"
        own = StatedFigures()
        parts = _capped(profile, f"{path}.profile", own)
        if "missing_by_target" in kinds:
            rows = own.count(f"{path}.missing", column.missing, "row")
            which = "classes" if study.task == "classification" else "targets"
            parts.append(f"missing in {rows}, more often for some {which} than for others")
        if parts and len(named) < NAMED:
            say.figures.update(own.figures)
        if parts:
            named.append(f"{column.name} ({listed(parts)})")
    if not named:
        return None
    more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
    shown = named[:NAMED] if more else named
    text = f"Columns to check: {'; '.join(shown)}{more}."
    return say.finding("columns", text)


def _capped(profile: ColumnProfile, path: str, say: StatedFigures) -> list[str]:
    """Return what is said of extremes at which a column is capped."""
    kinds = {alert.kind for alert in profile.alerts}
    ends = {"maximum": (profile.n_at_maximum, 4), "minimum": (profile.n_at_minimum, 0)}
    parts = []
    for which, (n_rows, place) in ends.items():
        if f"capped_at_{which}" in kinds:
            value = number(profile.quantiles[place])
            rows = say.count(f"{path}.n_at_{which}", n_rows, "row")
            share = percent(n_rows / profile.n_values)
            at = say(f"{path}.quantiles.{place}", value)
            parts.append(f"{rows} ({share} of the rows) at exactly the {which} {at}")
    return parts
