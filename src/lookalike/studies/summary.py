"""The summary of a study: its results in sentences, the most important first."""

from __future__ import annotations

from lookalike.explain.bounds import BayesBracket
from lookalike.studies.analysis_results import (
    AuditSummary,
    Clustering,
    FeatureImportance,
    PrototypeSelection,
)
from lookalike.studies.format import count, interval, listed, number, percent, score
from lookalike.studies.results import Finding, HeldOutScores, Study
from lookalike.studies.task import TASKS

NAMED = 3  # features in a sentence
WORTH = 0.1  # part of the error that twice the rows must save to be worth collecting
CLEAR, WEAK = 0.5, 0.25  # mean silhouettes above which clusters are clear, or there at all
KINDS = {
    "mislabel": ("probable {target} error", "probable {target} errors"),
    "duplicate": ("exact duplicate", "exact duplicates"),
    "near_duplicate": ("near duplicate", "near duplicates"),
    "conflict": ("conflicting duplicate", "conflicting duplicates"),
    "leak": (
        "held-out row with a duplicate in training (train/test leakage)",
        "held-out rows with a duplicate in training (train/test leakage)",
    ),
    "outlier": ("outlier (low local density)", "outliers (low local density)"),
    "hub": ("hub", "hubs"),
}
DIMENSION_METHODS = {"twonn": "TwoNN", "mle": "maximum likelihood", "pca": "PCA"}


def summarize(study: Study) -> tuple[Finding, ...]:
    """Return the findings of all parts that a study has."""
    findings: list[Finding | None] = [on_model(study), on_bayes_error(study), on_more_rows(study)]
    if study.clustering is not None:
        findings.append(on_clusters(study.clustering))
    if study.audit is not None:
        findings.append(on_audit(study.audit))
    findings.append(on_dimension(study))
    if study.held_out is not None and study.feature_importance:
        if study.data_kind == "texts":
            findings.append(on_terms(study.feature_importance))
        else:
            findings.append(on_features(study.feature_importance, study.held_out.metric))
    if study.prototype_selection is not None:
        findings.append(on_prototypes(study.prototype_selection))
    return tuple(finding for finding in findings if finding is not None)


def with_interval(metric: str, value: float, ends: tuple[float, float], n_rows: int) -> str:
    """Return a score with its 95% interval and the number of rows.

    >>> with_interval("error", 0.019, (0.009, 0.04), 360)
    '1.9% (95% CI 0.9–4.0%, n = 360)'
    """
    return f"{score(metric, value)} (95% CI {interval(metric, ends)}, n = {n_rows:,})"


def on_model(study: Study) -> Finding | None:
    """Name the selected model, its held-out error and that of the baseline."""
    scores = study.held_out
    if scores is None or study.target is None:
        return None
    winner = next(one for one in study.candidates if one.name == study.winner)
    task = TASKS[study.task]
    chosen = ", ".join(f"{name} = {value}" for name, value in winner.hyperparameters.items())
    error = with_interval(scores.metric, scores.error, scores.interval, scores.n_rows)
    text = (
        f"Best model: {winner.title}{f', {chosen}' if chosen else ''}. "
        f"Held-out {task.metric_title} {error}"
    )
    if scores.r2 is not None and scores.mae is not None:
        text += f", R² {scores.r2:.2f}, MAE {number(scores.mae)}"
    text += f"; baseline ({task.baseline_title}) {score(scores.metric, scores.baseline)}."
    if winner.name == "baseline" and scores.baseline == 0:
        text += f" The target {study.target.name!r} is constant: there is nothing to predict."
    elif winner.name == "baseline":
        text += " No model had a smaller validation error than the baseline."
    return Finding("model", text)


def bound_applies(bayes: BayesBracket, scores: HeldOutScores) -> bool:
    """Return whether the nearest-neighbor bound fits the other figures of the study.

    With few rows, or many features, 1-NN has not reached its limit, and the lower end is too high.
    """
    return bayes.low <= scores.error and bayes.low < scores.baseline


def on_bayes_error(study: Study) -> Finding | None:
    """Compare the held-out error with the estimated Bayes error."""
    bayes, scores = study.bayes_error, study.held_out
    if bayes is None or scores is None:
        return None
    if not bound_applies(bayes, scores):
        text = (
            "Estimated Bayes error (nearest-neighbor bound): does not apply at this sample size. "
            f"1-NN has a leave-one-out error of {percent(bayes.error)}, from which the Bayes error "
            f"would be at least {percent(bayes.low)}, not below the "
        )
        better = bayes.low > scores.error
        text += (
            f"held-out error of the best model, {percent(scores.error)}."
            if better
            else f"error of the baseline, {percent(scores.baseline)}."
        )
        return Finding("bayes_error", text)
    ends = interval("error", (bayes.low, bayes.high))
    text = (
        f"Estimated Bayes error (nearest-neighbor bound): {ends} "
        f"(95% CI {interval('error', bayes.interval)}, n = {bayes.n_rows:,})."
    )
    if scores.interval[0] <= bayes.low:
        text += " No significant difference detected between the held-out error and its lower end."
    elif scores.interval[0] > bayes.interval[1]:
        text += " The held-out error is above it: better features or models should help."
    else:
        gain = 100 * (scores.error - bayes.low)
        text += f" The held-out error is {gain:.1f} percentage points above its lower end."
    return Finding("bayes_error", text)


def on_more_rows(study: Study) -> Finding | None:
    """Say by how much more rows would lower the error of K neighbors."""
    curve, ahead = study.learning_curve, study.forecast
    if curve is None or ahead is None:
        return None
    metric = curve.score
    now, twice, _, ten = (score(metric, float(error)) for error in ahead.error)
    ends = interval(metric, (float(ahead.low[1]), float(ahead.high[1])))
    title = "error" if metric == "error" else metric.upper()
    helps = ahead.error[0] - ahead.error[1] > WORTH * ahead.error[0]
    text = (
        f"Learning curve ({curve.k}-NN): more rows would help{'' if helps else ' little'}. "
        f"Forecast {title} {twice} (95% CI {ends}) with twice the rows, now {now}"
    )
    text += f"; {ten} with ten times the rows." if helps else "."
    return Finding("learning_curve", text)


def on_audit(audit: AuditSummary) -> Finding:
    """Say how many rows of each kind the data audit flagged."""
    parts = []
    for kind, (one, several) in KINDS.items():
        flagged = audit.counts.get(kind, 0)
        if flagged:
            noun = (one if flagged == 1 else several).format(target=audit.target_kind)
            parts.append(f"{flagged:,} {noun}")
    text = f"Data audit of {count(audit.n_rows, 'row')}: "
    text += f"{listed(parts)}; see audit.csv." if parts else "no duplicates, outliers or hubs."
    return Finding("audit", text)


def on_dimension(study: Study) -> Finding | None:
    """State the intrinsic dimension."""
    dimension, n_features = study.intrinsic_dimension, study.shape.n_features
    if dimension is None or n_features < 2:
        return None
    method = DIMENSION_METHODS.get(dimension.method, dimension.method)
    low, high = dimension.interval
    figures = f"{dimension.estimate:.1f} ({method}, 95% CI {low:.1f}–{high:.1f})"
    if low > n_features:
        text = (
            f"Intrinsic dimension: not below the {n_features:,} features; the estimate is {figures}"
        )
    else:
        text = f"Intrinsic dimension {figures} of {n_features:,} features"
    kept = None if study.spectrum is None else study.spectrum.n_components_by_rule.get("0.95")
    if kept is not None:
        explain = "component explains" if kept == 1 else "components explain"
        text += f"; {kept} principal {explain} 95% of the variance"
    return Finding("intrinsic_dimension", text + ".")


def on_features(importance: tuple[FeatureImportance, ...], metric: str) -> Finding:
    """Name the columns of highest permutation importance."""
    sure = [one for one in importance if one.interval[0] > 0]
    if not sure:
        text = "Permutation importance: no column is significantly above 0."
        return Finding("feature_importance", text)
    title = "error" if metric == "error" else metric.upper()
    named = listed([f"{one.name} ({score(metric, one.importance)})" for one in sure[:NAMED]])
    text = f"Permutation importance (rise of the {title}): highest for {named}"
    if len(sure) > NAMED:
        text += f"; {len(sure)} columns are significantly above 0"
    return Finding("feature_importance", text + ".")


def on_terms(importance: tuple[FeatureImportance, ...]) -> Finding:
    """Name the terms of highest univariate score."""
    named = listed([repr(one.name) for one in importance[: 2 * NAMED]])
    return Finding(
        "feature_importance", f"Feature importance (univariate score): highest for {named}."
    )


def on_prototypes(selection: PrototypeSelection) -> Finding:
    """Compare 1-NN on prototypes with 1-NN on all training rows."""
    share = selection.n_prototypes / selection.n_train
    ends = f"95% CI {interval('error', selection.interval)}, n = {selection.n_held_out:,}"
    alike = selection.interval[0] <= selection.error_all_rows
    comparison = "no significant difference detected" if alike else "significantly worse"
    text = (
        f"Prototype selection (condensed 1-NN): {selection.n_prototypes:,} of "
        f"{selection.n_train:,} training rows ({share:.0%}) have a held-out error of "
        f"{percent(selection.error)}, all of them {percent(selection.error_all_rows)}: "
        f"{comparison} ({ends})."
    )
    return Finding("prototype_selection", text)


def on_clusters(clustering: Clustering) -> Finding:
    """Say how many clusters there are, and how well they are separated."""
    sizes = listed([f"{cluster.n_rows:,}" for cluster in clustering.clusters])
    best, n_clusters = max(clustering.silhouette), len(clustering.clusters)
    figures = f"mean silhouette {best:.2f}"
    if best > WEAK:
        how = "clearly" if best > CLEAR else "weakly"
        text = f"K-means: {n_clusters} {how} separated clusters of {sizes} rows ({figures})."
    else:
        text = f"K-means: no clear clusters; the best of 2 to {clustering.n_clusters_tried[-1]} "
        text += f"clusters, {n_clusters}, are hardly separated ({figures}, where 1 is best)."
    return Finding("clustering", text)
