"""Claims on the data: audit, intrinsic dimension, feature importance, clusters."""

from __future__ import annotations

from lookalike.studies.evaluate.significance import dimension_is_lower
from lookalike.studies.findings.claim import HELD_OUT, Figures, claim
from lookalike.studies.findings.splits import is_for_other_rows
from lookalike.studies.format import format_list
from lookalike.studies.results import Study

MAX_FEATURES_NAMED = 3
CLEAR_SILHOUETTE, WEAK_SILHOUETTE = 0.5, 0.2  # clusters above are clear, or there at all
FLAG_TITLES = {
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
DOUBTFUL_TITLES = (  # where classes that overlap would look alike
    "{target} to check (wrong, or only unusual)",
    "{target}s to check (wrong, or only unusual)",
)
REPORTED_ONLY = ("hub",)  # kinds of flags that the summary does not count
DIMENSION_METHODS = {"twonn": "TwoNN", "mle": "maximum likelihood", "pca": "PCA"}


@claim("audit", scope="audited rows", method="out-of-fold probabilities, distances, density")
def audit(study: Study, write: Figures) -> str | None:
    """Say how many rows of each kind the data audit flagged."""
    if study.audit is None:
        return None
    parts = []
    for kind, titles in FLAG_TITLES.items():
        flagged = study.audit.counts.get(kind, 0)
        if flagged and kind not in REPORTED_ONLY:
            doubtful = kind == "mislabel" and not study.audit.is_clear
            words = DOUBTFUL_TITLES if doubtful else titles
            noun = words[flagged != 1].format(target=study.audit.target_title)
            parts.append(f"{write.count(f'audit.counts.{kind}')} {noun}")
    text = f"Data audit of {write.count('audit.n_rows', 'row')}: "
    return f"{text}{format_list(parts)}; see audit.csv." if parts else f"{text}nothing flagged."


@claim("intrinsic_dimension", scope="preprocessed rows", method="TwoNN against shuffled columns")
def intrinsic_dimension(study: Study, write: Figures) -> str | None:
    """State the intrinsic dimension, where it is significantly below the number of features."""
    lower = dimension_is_lower(study.intrinsic_dimension, study.shape.n_features)
    return _dimension(study, write) if lower else None


@claim("estimated_dimension", scope="preprocessed rows", method="TwoNN against shuffled columns")
def estimated_dimension(study: Study, write: Figures) -> str | None:
    """State the intrinsic dimension, whatever it is, in the report alone."""
    return _dimension(study, write)


def _dimension(study: Study, write: Figures) -> str | None:
    dimension, n_features = study.intrinsic_dimension, study.shape.n_features
    if dimension is None or n_features < 2:
        return None
    method = DIMENSION_METHODS.get(dimension.method, dimension.method)
    text = (
        f"Intrinsic dimension {write.fixed('intrinsic_dimension.estimate', 1)} ({method}, 95% CI "
        f"{write.fixed('intrinsic_dimension.interval', 1)}) of "
        f"{write.count('shape.n_features')} features"
    )
    if not dimension_is_lower(dimension, n_features):
        text += ": not significantly lower"
        if dimension.interval[1] < n_features and dimension.shuffled is not None:
            shuffled = write.fixed("intrinsic_dimension.shuffled", 1)
            text += f" than with the values of each column shuffled (95% CI {shuffled})"
    kept = None if study.spectrum is None else study.spectrum.n_components_by_rule.get("0.95")
    if kept is not None:
        explain = "component explains" if kept == 1 else "components explain"
        components = write.count("spectrum.n_components_by_rule.0.95")
        text += f"; {components} principal {explain} 95% of the variance"
    return text + "."


@claim(
    "feature_importance",
    scope=HELD_OUT,
    method="permutation, Holm-adjusted; univariate scores of terms, max-T",
)
def feature_importance(study: Study, write: Figures) -> str | None:
    """Name the columns of highest significant importance, or the terms of highest score."""
    if study.held_out is None or not study.feature_importance or is_for_other_rows(study):
        return None
    significant = [
        i for i, feature in enumerate(study.feature_importance) if feature.is_significant
    ]
    named = []
    if study.data_kind == "texts":
        for index in significant[: 2 * MAX_FEATURES_NAMED]:
            score = write.fixed(f"feature_importance.{index}.univariate_score", 2)
            named.append(f"{study.feature_importance[index].name!r} ({score})")
        text = "Feature importance (univariate score): highest for "
        return f"{text}{format_list(named)}." if named else None
    for index in significant[:MAX_FEATURES_NAMED]:
        path = f"feature_importance.{index}"
        figures = (
            f"{write.score(f'{path}.importance')}, 95% CI {write.interval(f'{path}.interval')}"
        )
        named.append(f"{study.feature_importance[index].name} ({figures})")
    text = f"Permutation importance (rise of the {write.title}): highest for "
    return f"{text}{format_list(named)}." if named else None


@claim("clustering", scope="preprocessed rows", method="k-means, silhouette against chance")
def clustering(study: Study, write: Figures) -> str | None:
    """Say how many clusters there are, and how well they are separated."""
    found = study.clustering
    if found is None:
        return None
    n_clusters = len(found.clusters)
    at = found.n_clusters_tried.index(n_clusters)
    own = found.silhouette[at]
    figures = (
        f"mean silhouette {write.fixed(f'clustering.silhouette.{at}', 2)}, up to "
        f"{write.fixed('clustering.chance_silhouette', 2)} without clusters"
    )
    if own <= WEAK_SILHOUETTE or max(found.silhouette) <= found.chance_silhouette:
        return (
            f"K-means: no clear clusters; the best of 2 to {found.n_clusters_tried[-1]} clusters, "
            f"{n_clusters}, are hardly separated ({figures})."
        )
    sizes = [write.count(f"clustering.clusters.{number}.n_rows") for number in range(n_clusters)]
    how = "clearly" if own > CLEAR_SILHOUETTE else "weakly"
    return (
        f"K-means: {n_clusters} {how} separated clusters of {format_list(sizes)} rows ({figures})."
    )
