"""The verdict: what was found, in plain sentences, the most important first."""

from __future__ import annotations

from typing import Any

from lookalike.explain.bounds import BayesBracket
from lookalike.explain.dimension import Dimension
from lookalike.explain.learning_curve import Forecast
from lookalike.studies.analysis_results import (
    AuditSummary,
    Clustering,
    FeatureImportance,
    PrototypeSelection,
    Spectrum,
)
from lookalike.studies.analyze.analyses import Insight
from lookalike.studies.evaluate.evaluation import Judged
from lookalike.studies.results import Candidate, DataShape, Finding, HeldOutScores

NAMED = 3  # features in a sentence
WORTH = 0.1  # part of the error that twice the rows must save to be worth a word
CLEAR, WEAK = 0.5, 0.25  # mean silhouettes above which groups are clear, or there at all
KINDS = {
    "mislabel": ("has a {doubted} that looks wrong", "have a {doubted} that looks wrong"),
    "duplicate": ("has an exact copy", "have exact copies"),
    "near_duplicate": ("has a near copy", "have near copies"),
    "conflict": ("is a copy with another {doubted}", "are copies with other {doubted}s"),
    "leak": ("held out is a copy of a training row", "held out are copies of training rows"),
    "outlier": ("lies far from all others", "lie far from all others"),
    "hub": ("is near to unusually many others", "are near to unusually many others"),
}


def summarize(
    target: str, shape: DataShape, judged: Judged | None, insight: Insight, *, texts: bool
) -> tuple[Finding, ...]:
    """Return the sentences about all that was looked at."""
    found: list[Finding | None] = []
    if judged is not None:
        found.append(on_model(judged.winner, judged.held_out, target))
        if insight.bayes_error is not None:
            found.append(on_bound(insight.bayes_error, judged.held_out))
    if insight.learning_curve is not None and insight.forecast is not None:
        found.append(on_data(insight.forecast, insight.learning_curve.score))
    if insight.clustering is not None:
        found.append(on_clusters(insight.clustering))
    if insight.audit is not None:
        found.append(on_audit(insight.audit))
    if insight.intrinsic_dimension is not None and shape.n_features > 1:
        found.append(on_dimensions(insight.intrinsic_dimension, insight.spectrum, shape))
    if judged is not None and texts:
        found.append(on_words(insight.feature_importance))
    elif judged is not None:
        found.append(on_features(insight.feature_importance, judged.held_out.metric))
    if insight.prototype_selection is not None:
        found.append(on_condensed(insight.prototype_selection))
    return tuple(finding for finding in found if finding is not None)


def on_model(winner: Candidate, found: HeldOutScores, target: str) -> Finding:
    """Say which model is best, how wrong it is, and beside what."""
    low, high = found.interval
    chosen = ", ".join(f"{name} {value}" for name, value in winner.hyperparameters.items())
    model = f"{winner.title}{f' ({chosen})' if chosen else ''}"
    if found.metric == "error":
        text = (
            f"Best model: {model}. It gets {found.error:.1%} of rows wrong that it never saw "
            f"(95 % interval {low:.1%} to {high:.1%}; {found.n_rows} rows). Always answering the "
            f"most frequent class errs in {found.baseline:.1%}."
        )
    else:
        r2 = f"explains {found.r2:.0%} of the variance and " if found.r2 is not None else ""
        text = (
            f"Best model: {model}. On rows it never saw it {r2}misses {target!r} by "
            f"{found.error:.4g} (root mean square; 95 % interval {low:.4g} to {high:.4g}; "
            f"{found.n_rows} rows). The mean alone misses by {found.baseline:.4g}."
        )
    if winner.name == "baseline" and found.baseline == 0:
        text += f" {target!r} is the same in all rows: there is nothing to tell apart."
    elif winner.name == "baseline":
        text += " No model did better than answering always the same."
    return Finding("model", text)


def on_bound(bracket: BayesBracket, found: HeldOutScores) -> Finding:
    """Say how much better than the model the best possible classifier may be."""
    if bracket.low >= found.baseline:
        text = (
            "How well the best possible model does cannot be told: the nearest neighbor errs in "
            f"{bracket.error:.1%}, no less than always the same answer."
        )
        return Finding("bayes_error", text)
    text = (
        f"No classifier can be expected to err in less than about {bracket.low:.1%} on such rows "
        f"({bracket.interval[0]:.1%} with its uncertainty)"
    )
    if found.interval[1] < bracket.low:
        text += ". The model is better than that: copies among the rows may have misled it."
    elif found.interval[0] <= bracket.low:
        text += ". The model is about as good as can be expected."
    elif found.interval[0] > bracket.interval[1]:
        text += (
            f", and the best possible errs in at most {bracket.high:.1%}. The model is worse than "
            "that: better features or models should pay."
        )
    else:
        gain = 100 * (found.error - bracket.low)
        text += f", so that {gain:.1f} points could be gained at the most."
    return Finding("bayes_error", text)


def on_data(curve: Forecast, metric: str) -> Finding:
    """Say whether more rows would help, and how much."""
    now, twice, _, ten = (amount(metric, float(error)) for error in curve.error)
    low, high = (amount(metric, float(ends[1])) for ends in (curve.low, curve.high))
    named = "error" if metric == "error" else "miss (root mean square)"
    bring = f"bring the neighbors' {named} from {now} to {twice} ({low} to {high})"
    if curve.error[0] - curve.error[1] <= WORTH * curve.error[0]:
        text = f"More rows would help little: twice as many should {bring}."
    else:
        text = (
            f"More rows would help: twice as many should {bring}, ten times as many bring it "
            f"to {ten}."
        )
    return Finding("learning_curve", text)


def amount(measure: str, value: float) -> str:
    """Return an error as a share in per cent, or an RMSE as a number."""
    return f"{value:.1%}" if measure == "error" else f"{value:.4g}"


def on_audit(facts: AuditSummary) -> Finding:
    """Say how many rows deserve a second look."""
    parts = []
    for kind, (one, several) in KINDS.items():
        count = facts.counts.get(kind, 0)
        if count:
            told = (one if count == 1 else several).format(doubted=facts.target_kind)
            parts.append(f"{count} {told}")
    if not parts:
        return Finding("audit", f"None of the {facts.n_rows} rows stands out as copied or far off.")
    return Finding("audit", f"Of {facts.n_rows} rows, {_listed(parts)}; see audit.csv.")


def on_dimensions(found: Dimension, spectrum: Spectrum | None, shape: DataShape) -> Finding:
    """Say how many numbers describe a row."""
    low, high = found.interval
    numbers = min(found.estimate, shape.n_features)
    one = round(numbers) == 1
    if low > shape.n_features:
        text = f"All {shape.n_features} numbers are needed to describe a row"
    else:
        text = (
            f"About {numbers:.0f} number{'' if one else 's'} ({low:.1f} to {high:.1f}) "
            f"describe{'s' if one else ''} a row, which has {shape.n_features}"
        )
    kept = None if spectrum is None else spectrum.n_components_by_rule.get("0.95")
    if kept is not None:
        hold = "component holds" if kept == 1 else "components hold"
        text += f"; {kept} principal {hold} 95 % of the variance"
    return Finding("intrinsic_dimension", text + ".")


def on_features(features: tuple[FeatureImportance, ...], measure: str) -> Finding | None:
    """Say which columns matter."""
    sure = [feature for feature in features if feature.interval[0] > 0]
    if not sure:
        if not features:
            return None
        text = "No single column matters by itself: shuffling any one changes little."
        return Finding("feature_importance", text)
    unit = "{:.1%}" if measure == "error" else "{:.4g}"
    named = _listed([f"{one.name} ({unit.format(one.importance)})" for one in sure[:NAMED]])
    more = f", and {len(sure) - NAMED} more matter" if len(sure) > NAMED else ""
    what = "error" if measure == "error" else "miss"
    return Finding(
        "feature_importance", f"Shuffling a column raises the {what} most for {named}{more}."
    )


def on_words(features: tuple[FeatureImportance, ...]) -> Finding | None:
    """Say which words tell most."""
    if not features:
        return None
    named = _listed([repr(one.name) for one in features[: 2 * NAMED]])
    return Finding("feature_importance", f"The words that tell most by themselves are {named}.")


def on_condensed(found: PrototypeSelection) -> Finding:
    """Say how small a set does as well."""
    share = found.n_prototypes / found.n_train
    alike = found.interval[0] <= found.error_all_rows
    how = "answer as well as all, as far as can be told" if alike else "answer worse than all"
    text = (
        f"{found.n_prototypes} of {found.n_train} training rows ({share:.0%}) {how}: their nearest "
        f"neighbor errs in {found.error:.1%} of held-out rows, that of all in "
        f"{found.error_all_rows:.1%}."
    )
    return Finding("prototype_selection", text)


def on_clusters(found: Clustering) -> Finding:
    """Say how many groups there are."""
    sizes = _listed([str(group.n_rows) for group in found.clusters])
    best = max(found.silhouette)
    if best > WEAK:
        how = "clearly" if best > CLEAR else "weakly"
        text = f"The rows fall {how} apart into {len(found.clusters)} groups of {sizes} rows."
    else:
        text = (
            f"No clear groups: the best found, into {len(found.clusters)}, hardly parts the "
            f"rows (mean silhouette {best:.2f}, where 1 is best)."
        )
    return Finding("clustering", text)


def _listed(parts: list[Any]) -> str:
    if len(parts) == 1:
        return str(parts[0])
    return ", ".join(map(str, parts[:-1])) + f" and {parts[-1]}"
