"""Claims on what single predictions can be relied on for: probabilities and intervals."""

from __future__ import annotations

from lookalike.printable import number
from lookalike.studies.findings.claim import HELD_OUT, Figures, claim
from lookalike.studies.findings.splits import is_for_other_rows
from lookalike.studies.format import format_list
from lookalike.studies.results import Study

ONE_SIDED_SHARE = 0.5  # part of the ECE that is in one direction
SMALL_CALIBRATION_ERROR = 0.02  # expected, that makes no probability useless, chance or not
MIN_POWER = 0.8  # to see an expected calibration error of 5%, where none is said to be seen


def is_miscalibrated(study: Study) -> bool:
    """Return whether probabilities are wrong by more than chance, and not only by a little."""
    found = study.calibration
    return found is not None and found.ece > max(found.ece_chance, SMALL_CALIBRATION_ERROR)


@claim("calibration", scope=HELD_OUT, method="expected calibration error against chance")
def calibration(study: Study, write: Figures) -> str | None:
    """Say whether class probabilities can be taken at their word."""
    found = study.calibration
    if found is None or is_for_other_rows(study):
        return None
    detected = found.ece > found.ece_chance
    if not detected and found.power < MIN_POWER:
        return None  # an error of 5% would not be seen
    of = "the predicted class" if found.label is None else f"{found.label!r}"
    error, chance = write.percent("calibration.ece"), write.percent("calibration.ece_chance")
    text = f"Probabilities of {of}: expected calibration error {error} "
    text += f"(n = {write.count('calibration.n_rows')}); "
    if detected and not is_miscalibrated(study):
        return f"{text}calibrated ones stay below {chance}: small, no miscalibration of 2% or more."
    if not detected:
        power = write.text("calibration.power", f"{found.power:.0%}")
        text += f"calibrated ones reach {chance} by chance: no miscalibration detected, and one "
        return f"{text}of 5% would be in {power} of such samples."
    difference = sum(
        rows_of_bin.n_rows * (rows_of_bin.mean_probability - rows_of_bin.share)
        for rows_of_bin in found.bins
    )
    difference /= found.n_rows
    how = ""
    if abs(difference) > ONE_SIDED_SHARE * found.ece:
        how = ", mostly too high" if difference > 0 else ", mostly too low"
    text += f"calibrated ones stay below {chance} in 99% of such samples: miscalibrated{how}."
    return text


@claim("prediction_intervals", scope=HELD_OUT, method="conformal, coverage with Wilson's interval")
def prediction_intervals(study: Study, write: Figures) -> str | None:
    """State the conformal interval with its measured coverage."""
    intervals, path = study.prediction_intervals, "prediction_intervals"
    if intervals is None or is_for_other_rows(study):
        return None
    half = write.text(f"{path}.half_width", number(intervals.half_width))
    if intervals.width_range is not None:
        low, high = map(number, intervals.width_range)
        half = write.text(f"{path}.width_range", f"{low} to {high}")
        axes = [repr(factor.name) if factor.name else "prediction" for factor in intervals.factors]
        half += f" (by {format_list(axes)})"
    wanted = write.text(f"{path}.coverage", f"{intervals.coverage:.0%}")
    names = ("measured_coverage", "measured_interval", "n_rows")
    return (
        f"Prediction interval: the prediction ± {half} for a coverage of {wanted} (conformal); "
        f"measured on held-out rows {write.estimate(path, names, 'error')}."
    )
