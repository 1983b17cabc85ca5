"""Findings on the data: audit, intrinsic dimension, feature importance, clusters."""

from __future__ import annotations

from lookalike.studies.analysis_results import AuditSummary, Clustering, FeatureImportance
from lookalike.studies.findings.evidence import StatedFigures
from lookalike.studies.format import listed, metric_title
from lookalike.studies.results import Finding, Study

NAMED = 3  # features in a sentence
CLEAR, WEAK = 0.5, 0.25  # mean silhouettes above which clusters are clear, or there at all
KINDS = {
    "mislabel": ("probable {target} error", "probable {target} errors"),
    "duplicate": ("exact duplicate", "exact duplicates"),
    "near_duplicate": ("near duplicate", "near duplicates"),
    "conflict": ("conflicting duplicate", "conflicting duplicates"),
    "empty": ("empty text", "empty texts"),
    "leak": (
        "held-out row with an exact or near duplicate in training (train/test leakage)",
        "held-out rows with an exact or near duplicate in training (train/test leakage)",
    ),
    "outlier": ("outlier (low local density)", "outliers (low local density)"),
    "hub": ("hub", "hubs"),
}
DIMENSION_METHODS = {"twonn": "TwoNN", "mle": "maximum likelihood", "pca": "PCA"}


def on_audit(audit: AuditSummary) -> Finding:
    """Say how many rows of each kind the data audit flagged."""
    say = StatedFigures()
    parts = []
    for kind, (one, several) in KINDS.items():
        flagged = audit.counts.get(kind, 0)
        if flagged:
            noun = (one if flagged == 1 else several).format(target=audit.target_title)
            parts.append(f"{say.count(f'audit.counts.{kind}', flagged)} {noun}")
    text = f"Data audit of {say.count('audit.n_rows', audit.n_rows, 'row')}: "
    text += f"{listed(parts)}; see audit.csv." if parts else "nothing flagged."
    return say.finding("audit", text)


def on_dimension(study: Study) -> Finding | None:
    """State the intrinsic dimension; whether it is below the number of features is another matter.

    The summary leaves it out where it is not.
    """
    dimension, n_features = study.intrinsic_dimension, study.shape.n_features
    if dimension is None or n_features < 2:
        return None
    say = StatedFigures()
    method = DIMENSION_METHODS.get(dimension.method, dimension.method)
    low, high = dimension.interval
    estimate = say("intrinsic_dimension.estimate", f"{dimension.estimate:.1f}")
    ends = say("intrinsic_dimension.interval", f"{low:.1f}–{high:.1f}")
    text = f"Intrinsic dimension {estimate} ({method}, 95% CI {ends}) of "
    text += f"{say.count('shape.n_features', n_features)} features"
    if not dimension_is_lower(study):
        text += ": not significantly lower"
        if high < n_features and dimension.shuffled is not None:
            of_shuffled = "{:.1f}–{:.1f}".format(*dimension.shuffled)
            of_shuffled = say("intrinsic_dimension.shuffled", of_shuffled)
            text += f" than with the values of each column shuffled (95% CI {of_shuffled})"
    kept = None if study.spectrum is None else study.spectrum.n_components_by_rule.get("0.95")
    if kept is not None:
        explain = "component explains" if kept == 1 else "components explain"
        place = say.count("spectrum.n_components_by_rule.0.95", kept)
        text += f"; {place} principal {explain} 95% of the variance"
    return say.finding("intrinsic_dimension", text + ".")


def dimension_is_lower(study: Study) -> bool:
    """Return whether the intrinsic dimension is significantly below that of independent features.

    That is the number of features, and no more than what is estimated where each is shuffled.
    """
    dimension = study.intrinsic_dimension
    if dimension is None:
        return False
    least = study.shape.n_features if dimension.shuffled is None else dimension.shuffled[0]
    return dimension.interval[1] < min(study.shape.n_features, least)


def on_features(importance: tuple[FeatureImportance, ...], metric: str) -> Finding | None:
    """Name the columns of highest permutation importance; None where none is above 0."""
    say = StatedFigures()
    sure = [(place, one) for place, one in enumerate(importance) if one.interval[0] > 0]
    if not sure:
        return None
    title = metric_title(metric)
    named = []
    for place, one in sure[:NAMED]:
        path = f"feature_importance.{place}"
        value = say.score(f"{path}.importance", metric, one.importance)
        ends = say.interval(f"{path}.interval", metric, one.interval)
        named.append(f"{one.name} ({value}, 95% CI {ends})")
    text = f"Permutation importance (rise of the {title}): highest for {listed(named)}"
    return say.finding("feature_importance", text + ".")


def on_terms(importance: tuple[FeatureImportance, ...]) -> Finding:
    """Name the terms of highest univariate score."""
    say = StatedFigures()
    named = [
        f"{one.name!r} ({say(f'feature_importance.{place}.univariate_score', f'{value:.2f}')})"
        for place, one in enumerate(importance[: 2 * NAMED])
        for value in [one.univariate_score]
    ]
    text = f"Feature importance (univariate score): highest for {listed(named)}."
    return say.finding("feature_importance", text)


def on_clusters(clustering: Clustering) -> Finding:
    """Say how many clusters there are, and how well they are separated."""
    say = StatedFigures()
    sizes = listed(
        [
            say.count(f"clustering.clusters.{place}.n_rows", cluster.n_rows)
            for place, cluster in enumerate(clustering.clusters)
        ]
    )
    best, n_clusters = max(clustering.silhouette), len(clustering.clusters)
    place = clustering.silhouette.index(best)
    figures = f"mean silhouette {say(f'clustering.silhouette.{place}', f'{best:.2f}')}"
    uniform = clustering.uniform_silhouette
    by_chance = uniform is not None and best <= uniform
    if by_chance:
        of_uniform = say("clustering.uniform_silhouette", f"{uniform:.2f}")
        figures += f", up to {of_uniform} by chance in uniformly distributed rows"
    if best > WEAK and not by_chance:
        how = "clearly" if best > CLEAR else "weakly"
        text = f"K-means: {n_clusters} {how} separated clusters of {sizes} rows ({figures})."
    else:
        text = f"K-means: no clear clusters; the best of 2 to {clustering.n_clusters_tried[-1]} "
        text += f"clusters, {n_clusters}, are hardly separated ({figures}, where 1 is best)."
    return say.finding("clustering", text)
