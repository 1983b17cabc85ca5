"""Whether a claim of a study is true, by what is known of the rows: one check for every kind.

A check returns "true", "false", "misleading" (right as it stands, but a reader would conclude what
is not so) or "trivial" (right, and of no use).
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score, f1_score, mean_absolute_error

from benchmarks.truth.problem import Drawn
from lookalike.confidence import NORMAL_95_DEVIATIONS
from lookalike.studies.results import Finding, Study

Interval = tuple[float, float]
VERDICTS = ("true", "false", "misleading", "trivial")
WARNINGS = ("leakage", "groups", "time", "slices")  # kinds that say which error to expect instead
CLEAN_FLAG_SHARE = 0.003  # of rows that may be called probable errors where none is
LARGE_DIFFERENCE = 0.15  # of errors, that a reader would not call none
NO_MISCALIBRATION, CLEAR_MISCALIBRATION = 0.015, 0.05  # expected calibration errors
LOW_COVERAGE, LOW_LOCAL_COVERAGE = 0.85, 0.80
HIGHER_ERROR = 1.2  # of a slice by that of the other rows, that is "much higher" in truth
WIDE_ERROR, WIDE_RMSE = 0.1, 0.25  # intervals of the error by so many rows alone
LOW_RECALL_GAIN = 0.02
LOW_LIFT = 1.2  # of a recall by the share of the rows that are predicted


class Truth:
    """What is true of a study: the kept model on fresh rows, and what was planted."""

    def __init__(self, drawn: Drawn, study: Study) -> None:
        self.drawn, self.study = drawn, study
        self.y = self.y_pred = np.zeros(0)
        if study.model is not None and drawn.target is not None and len(drawn.fresh):
            self.y = np.asarray(drawn.fresh[drawn.target])
            self.y_pred = np.asarray(study.model.predict(drawn.fresh.drop(columns=drawn.target)))

    def error(self, y_pred: np.ndarray | None = None) -> float:
        """Return the error rate or the RMSE on fresh rows."""
        y_pred = self.y_pred if y_pred is None else y_pred
        if self.study.task == "classification":
            return float(np.mean(y_pred != self.y))
        return float(np.mean((y_pred - self.y) ** 2) ** 0.5)

    @property
    def baseline_error(self) -> float:
        y = np.asarray(self.drawn.studied[self.drawn.target])
        if self.study.task != "classification":
            return self.error(np.full(len(self.y), y.mean()))
        values, counts = np.unique(y, return_counts=True)
        return self.error(np.full(len(self.y), values[counts.argmax()]))

    @property
    def features(self) -> pd.DataFrame:
        """The fresh rows without their targets."""
        return self.drawn.fresh.drop(columns=self.drawn.target)

    @property
    def shares(self) -> np.ndarray:
        """The probabilities of the classes, of fresh rows."""
        return np.asarray(self.study.model.predict_proba(self.features))

    @property
    def warned(self) -> bool:
        """Whether it is said that another error is to be expected, or was not measured."""
        return any(
            one.kind in WARNINGS or (one.kind == "skipped" and "error for new values" in one.text)
            for one in self.study.summary
        )


Check = Callable[[Truth, Finding], str]
TRUTH_CHECKS: dict[str, Check] = {}


def check(*kinds: str) -> Callable[[Check], Check]:
    """Register the truth check of kinds of claims."""

    def register(function: Check) -> Check:
        TRUTH_CHECKS.update(dict.fromkeys(kinds, function))
        return function

    return register


def judge(truth: Truth, finding: Finding) -> str:
    """Return the verdict on a sentence."""
    return TRUTH_CHECKS[finding.kind](truth, finding)


def when(holds: bool, otherwise: str = "false") -> str:
    return "true" if holds else otherwise


def within(value: float, ends: Interval) -> str:
    """Return "true" inside of an interval, "misleading" beside it, "false" beyond twice its reach.

    One of 20 intervals of 95% misses, most of them by little.
    """
    low, high = ends
    reach = 0.5 * (high - low)
    if low - 1e-9 <= value <= high + 1e-9:
        return "true"
    return "misleading" if low - reach <= value <= high + reach else "false"


@check("skipped")
def skipped(truth: Truth, _: Finding) -> str:
    late = any(one.skipped for one in truth.study.candidates)
    return when(late or any(one.choice == "skipped" for one in truth.study.decisions))


@check("model", "all_rows_error")
def model(truth: Truth, finding: Finding) -> str:
    study = truth.study
    scores = study.held_out if finding.kind == "model" else study.all_rows.scores
    if study.winner == "baseline" and truth.drawn.bayes_error is not None:
        possible = truth.baseline_error - truth.drawn.bayes_error > LARGE_DIFFERENCE
        if possible and study.shape.n_rows >= 300:
            return "misleading"
    verdict = within(truth.error(), scores.interval)
    drawn = truth.drawn
    other_rows = truth.warned and bool(drawn.leaks or drawn.ordered or drawn.groups)
    return "true" if other_rows else verdict  # a sentence before says which error to expect


@check("baseline")
def baseline(truth: Truth, finding: Finding) -> str:
    difference = truth.baseline_error - truth.error()
    if "significantly lower" in finding.text:
        return when(difference < 0)
    scale = 1.0 if truth.study.task == "classification" else truth.baseline_error
    return when(difference < LARGE_DIFFERENCE * scale, "misleading")


@check("equal_models")
def equal_models(truth: Truth, _: Finding) -> str:
    named = [one for one in truth.study.candidates if one.equal_within_noise]
    ends = [one.difference_interval for one in named if one.difference_interval is not None]
    return when(all(low <= 0 <= high for low, high in ends))


@check("references", "integers", "all_rows")
def by_construction(_: Truth, __: Finding) -> str:
    return "true"


@check("requested_score")
def requested_score(truth: Truth, finding: Finding) -> str:
    score_of = {
        "balanced_accuracy": balanced_accuracy_score,
        "f1": lambda y, y_pred: f1_score(y, y_pred, average="macro"),
        "mae": mean_absolute_error,
    }
    for index, one in enumerate(truth.study.held_out.scores):
        if f"held_out.scores.{index}.value" in finding.figures and one.name in score_of:
            return within(float(score_of[one.name](truth.y, truth.y_pred)), one.interval)
    return "true"


@check("rare_classes")
def rare_classes(truth: Truth, finding: Finding) -> str:
    for index, one in enumerate(truth.study.held_out.classes):
        if f"held_out.classes.{index}.recall" in finding.figures:
            recall = float(np.mean(truth.y_pred[truth.y == one.label] == one.label))
            verdict = within(recall, one.recall_interval)
            if verdict != "true":
                return verdict
    return "true"


@check("thresholds")
def thresholds(truth: Truth, finding: Finding) -> str:
    """Predict rare classes of fresh rows by the thresholds."""
    classes = list(np.unique(truth.drawn.studied[truth.drawn.target]))
    for index, one in enumerate(truth.study.thresholds):
        if f"thresholds.{index}.recall" not in finding.figures:
            continue
        told = truth.shares[:, classes.index(one.label)] >= one.threshold
        own = truth.y == one.label
        if told[own].mean() < (truth.y_pred[own] == one.label).mean() + LOW_RECALL_GAIN:
            return "false"
        if told[own].mean() < LOW_LIFT * told.mean():
            return "misleading"  # as many are found among rows drawn at random
        verdict = within(float(told[own].mean()), one.recall_interval)
        if verdict != "true":
            return verdict
    return "true"


@check("slices")
def slices(truth: Truth, finding: Finding) -> str:
    """Compare the errors of fresh rows inside and outside of each slice."""
    for index, one in enumerate(truth.study.slices):
        if f"slices.{index}.error" not in finding.figures:
            continue
        members = rows_of_rule(one.rule, truth.drawn.fresh)
        loss = (truth.y_pred != truth.y) if truth.study.task == "classification" else (
            (truth.y_pred - truth.y) ** 2)  # fmt: skip
        inside, outside = loss[members].mean(), loss[~members].mean()
        if truth.study.task != "classification":
            inside, outside = inside**0.5, outside**0.5
        if inside < HIGHER_ERROR * outside:
            return "false" if inside < outside else "misleading"
    return "true"


def rows_of_rule(rule: str, frame: pd.DataFrame) -> np.ndarray:
    """Return which rows meet "x0 ≥ 1.2 and site = B"."""
    members = np.ones(len(frame), bool)
    for condition in rule.split(" and "):
        if condition.endswith(" missing"):
            members &= frame[condition.removesuffix(" missing")].isna().to_numpy()
            continue
        name, sign, value = condition.split(" ")
        column = frame[name]
        if sign == "=":
            members &= (column.astype(str) == value).to_numpy()
        else:
            edge = float(value.replace(",", "").replace("−", "-"))
            members &= (column >= edge).to_numpy() if sign == "≥" else (column <= edge).to_numpy()
    return members


@check("groups")
def groups(truth: Truth, _: Finding) -> str:
    """Fresh rows are of new groups: their error is that of the split by groups.

    Of new values of another column that tells the target it is said too, rightly.
    """
    other = next(one for one in truth.study.held_out.other_splits if one.kind == "groups")
    if other.column != truth.drawn.groups:
        return when(other.column in (truth.drawn.relevant or set()), "misleading")
    return within(truth.error(), other.interval)


@check("few_rows")
def few_rows(truth: Truth, _: Finding) -> str:
    """Compute how precise the error of so many fresh rows is."""
    loss = (truth.y_pred != truth.y) if truth.study.task == "classification" else (
        (truth.y_pred - truth.y) ** 2)  # fmt: skip
    n_rows = truth.study.shape.n_rows - truth.drawn.n_copies - truth.drawn.n_near_copies
    spread = float(loss.std()) / n_rows**0.5
    if truth.study.task == "classification":
        width = 2 * NORMAL_95_DEVIATIONS * spread
        return when(truth.warned or width >= WIDE_ERROR, "misleading")
    width = NORMAL_95_DEVIATIONS * spread / float(loss.mean())  # of the root, relative to it
    return when(truth.warned or width >= WIDE_RMSE, "misleading")


@check("heavy_tails")
def heavy_tails(truth: Truth, _: Finding) -> str:
    residual = np.abs(truth.y - truth.y_pred)
    return when(truth.error() > 1.6 * residual.mean())


@check("similar_labels")
def similar_labels(truth: Truth, _: Finding) -> str:
    return when(truth.drawn.similar_labels)


@check("duplicates")
def duplicates(truth: Truth, _: Finding) -> str:
    if not truth.drawn.n_copies and not truth.drawn.n_near_copies:
        return "false"
    return within(truth.error(), truth.study.held_out.interval)


@check("time")
def time(truth: Truth, _: Finding) -> str:
    if not truth.drawn.ordered:
        return "false" if not truth.drawn.groups else "misleading"
    return when(truth.error() > truth.study.held_out.error, "misleading")


@check("persistence")
def persistence(truth: Truth, finding: Finding) -> str:
    if not truth.drawn.ordered:
        return "false"
    before = np.concatenate([[truth.drawn.studied[truth.drawn.target].iloc[-1]], truth.y[:-1]])
    beats = truth.error() < truth.error(before)
    if "no difference" in finding.text:
        return "true"
    return when(beats == ("model beats it" in finding.text))


@check("calibration")
def calibration(truth: Truth, finding: Finding) -> str:
    label, shares = truth.study.calibration.label, truth.shares
    classes = np.unique(truth.drawn.studied[truth.drawn.target])
    if label is None:
        told, came = shares.max(axis=1), classes[shares.argmax(axis=1)] == truth.y
    else:
        told, came = shares[:, list(classes).index(label)], truth.y == label
    parts = np.array_split(np.argsort(told, kind="stable"), 10)
    ece = float(np.mean([abs(told[part].mean() - came[part].mean()) for part in parts]))
    if "no miscalibration" in finding.text:
        return when(ece < CLEAR_MISCALIBRATION)
    return when(ece > NO_MISCALIBRATION)


@check("prediction_intervals")
def prediction_intervals(truth: Truth, _: Finding) -> str:
    found = truth.study.prediction_intervals
    low, high = truth.study.prediction_interval(truth.features)
    covered = (low <= truth.y) & (truth.y <= high)
    verdict = within(float(covered.mean()), found.measured_interval)
    if verdict != "true":
        return "true" if truth.warned else verdict
    if covered.mean() < LOW_COVERAGE:
        return "misleading"
    fifths = np.array_split(np.argsort(truth.y_pred, kind="stable"), 5)
    least = min(covered[part].mean() for part in fifths)
    return when(least >= LOW_LOCAL_COVERAGE, "misleading")


@check("bayes_error")
def bayes_error(truth: Truth, _: Finding) -> str:
    bayes, known = truth.study.bayes_error, truth.drawn.bayes_error
    if bayes.low == 0 and bayes.high >= truth.study.held_out.interval[1] - 1e-9:
        return "trivial"
    return "true" if known is None else when(bayes.low <= known + 1e-9 and known <= bayes.high)


@check("learning_curve")
def learning_curve(truth: Truth, _: Finding) -> str:
    """Fit the kept model again on twice the rows, all others being fresh."""
    drawn, ahead = truth.drawn, truth.study.forecast
    if drawn.groups or drawn.ordered:
        return "misleading"
    if len(drawn.fresh) < 2 * drawn.n_rows:
        return "true"
    twice, rest = drawn.frame.iloc[: 2 * drawn.n_rows], drawn.frame.iloc[2 * drawn.n_rows :]
    again = clone(truth.study.model).fit(twice.drop(columns=drawn.target), twice[drawn.target])
    y, y_pred = np.asarray(rest[drawn.target]), again.predict(rest.drop(columns=drawn.target))
    truth_twice = Truth(drawn, truth.study)
    truth_twice.y = y
    verdict = within(truth_twice.error(y_pred), (float(ahead.low[1]), float(ahead.high[1])))
    return "misleading" if verdict == "false" else verdict


@check("capped_target")
def capped_target(truth: Truth, _: Finding) -> str:
    return when(truth.drawn.target in truth.drawn.capped)


@check("columns")
def columns(truth: Truth, finding: Finding) -> str:
    known = truth.drawn.capped | truth.drawn.informative_gaps
    indices = {int(path.split(".")[1]) for path in finding.figures if path.startswith("columns.")}
    return when({truth.study.columns[index].name for index in indices} <= known)


@check("clustering")
def clustering(truth: Truth, finding: Finding) -> str:
    known = truth.drawn.n_clusters
    if "no clear clusters" in finding.text:
        return when(known is None or known <= 1)
    if known is None:
        return "true"
    return when(len(truth.study.clustering.clusters) == known)


@check("audit")
def audit(truth: Truth, _: Finding) -> str:
    drawn, counts, n_rows = truth.drawn, truth.study.audit.counts, truth.study.audit.n_rows
    verdicts = [_label_errors(truth)]
    repeats = counts.get("duplicate", 0)
    verdicts.append(when(abs(repeats - drawn.n_copies) <= 0.1 * max(drawn.n_copies, 1)))
    if not drawn.n_copies and not drawn.n_near_copies:
        verdicts.append(when(not counts.get("conflict", 0)))
        verdicts.append(when(counts.get("near_duplicate", 0) <= 0.01 * n_rows, "misleading"))
    allowed = max(2 * drawn.n_outliers, 0.01 * n_rows, 1)
    verdicts.append(when(counts.get("outlier", 0) <= allowed, "misleading"))
    return next((one for one in ("false", "misleading") if one in verdicts), "true")


def _label_errors(truth: Truth) -> str:
    """Judge probable errors by the share of them that are."""
    found, known = truth.study.audit, truth.drawn.wrong_rows
    flagged = found.counts.get("mislabel", 0)
    if not flagged or not found.is_clear:  # what may be chance is not told
        return "true"
    if not known:
        return when(flagged <= max(1, CLEAN_FLAG_SHARE * found.n_rows))
    rows = [one.row for one in found.flagged_rows if one.kind == "mislabel"]  # the worst of them
    return when(np.mean([row in known for row in rows]) >= 0.5)


@check("intrinsic_dimension", "estimated_dimension")
def intrinsic_dimension(truth: Truth, finding: Finding) -> str:
    known, found = truth.drawn.dimension, truth.study.intrinsic_dimension
    if known is None:
        return "true" if finding.kind == "estimated_dimension" else "misleading"
    return when(found.interval[0] * 0.9 <= known <= found.interval[1] * 1.1)


@check("feature_importance")
def feature_importance(truth: Truth, finding: Finding) -> str:
    known = truth.drawn.relevant
    if known is None:
        return "true"
    indices = {int(found[1]) for path in finding.figures
               if (found := re.match(r"feature_importance\.(\d+)\.", path))}  # fmt: skip
    named = {truth.study.feature_importance[index].name for index in indices}
    if truth.study.data_kind == "texts":
        return when(all(set(name.split()) & known for name in named))
    return when(named <= known)


@check("leakage", "all_rows_leakage")
def leakage(truth: Truth, _: Finding) -> str:
    leaks = truth.study.leakage
    named = {name for one in leaks.leaks for name in one.columns} if leaks is not None else set()
    known = truth.drawn.leaks | truth.drawn.carries_all | ({truth.drawn.groups} - {""})
    if named and named <= known:
        return "true"
    return "misleading" if named <= (truth.drawn.relevant or set()) else "false"


@check("prototype_selection")
def prototype_selection(_: Truth, __: Finding) -> str:
    return "trivial"
