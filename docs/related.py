"""What belongs together: "See Also" of every page of the reference, and keys that lead somewhere.

Sphinx calls `add_related` with every docstring and `link_citations` with every page.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes

KEY = re.compile(r"^- \*\*\[([^\]]+)\]\*\*", re.MULTILINE)
REFERENCES = Path(__file__).with_name("references.md")
OUTSIDE = (nodes.literal, nodes.reference, nodes.math, nodes.literal_block, nodes.title)


class Family(NamedTuple):
    """Objects that serve one purpose, the page that derives them and the page that shows them."""

    theory: str
    guide: str
    names: tuple[str, ...]


FAMILIES = (
    Family(
        "theory/neighbors",
        "neighbors",
        (
            "KNeighborsClassifier",
            "KNeighborsRegressor",
            "RadiusNeighborsClassifier",
            "RadiusNeighborsRegressor",
            "NearestNeighbors",
            "neighbors.NearestCentroid",
            "neighbors.leave_one_out",
            "neighbors.self_search",
            "CondensedNearestNeighbour",
            "EditedNearestNeighbours",
            "KNNImputer",
        ),
    ),
    Family(
        "exactness",
        "metrics",
        (
            "index.ExactIndex",
            "index.KDTreeIndex",
            "index.LSHIndex",
            "index.ScanIndex",
            "neighbors.KDTree",
            "neighbors.BallTree",
            "neighbors.search_plan",
            "neighbors.save_neighbors",
            "metrics.metric_axioms",
        ),
    ),
    Family(
        "theory/neighbors",
        "graphs",
        (
            "neighbors.KNeighborsTransformer",
            "neighbors.RadiusNeighborsTransformer",
            "neighbors.kneighbors_graph",
            "neighbors.radius_neighbors_graph",
            "neighbors.sort_graph_by_row_values",
            "LabelPropagation",
            "LabelSpreading",
        ),
    ),
    Family(
        "theory/kernels",
        "neighbors",
        ("KernelDensityClassifier", "KernelRegressor", "KernelClassifier", "KernelDensity"),
    ),
    Family(
        "theory/neighbors",
        "neighbors",
        (
            "ForestNeighborsClassifier",
            "ForestNeighborsRegressor",
            "BoostedNeighborsClassifier",
            "BoostedNeighborsRegressor",
        ),
    ),
    Family(
        "theory/rbf_networks",
        "rbf_networks",
        ("RBFNetworkRegressor", "RBFNetworkClassifier", "Ridge"),
    ),
    Family(
        "theory/clusters_mixtures",
        "clusters",
        (
            "KMeans",
            "cluster.MiniBatchKMeans",
            "cluster.BisectingKMeans",
            "cluster.KCenter",
            "cluster.choose_clusters",
            "GaussianMixture",
            "GaussianMixtureClassifier",
        ),
    ),
    Family(
        "theory/clusters_mixtures",
        "density",
        ("DBSCAN", "HDBSCAN", "OPTICS", "neighbors.LocalOutlierFactor"),
    ),
    Family(
        "theory/discriminants",
        "discriminant",
        (
            "LinearDiscriminantAnalysis",
            "discriminant_analysis.QuadraticDiscriminantAnalysis",
            "NeighborhoodComponentsAnalysis",
        ),
    ),
    Family(
        "theory/principal_components",
        "pca",
        (
            "PCA",
            "decomposition.IncrementalPCA",
            "decomposition.TruncatedSVD",
            "KernelPCA",
            "AutoEncoder",
            "decomposition.choose_components",
            "decomposition.choose_components_and_k",
        ),
    ),
    Family(
        "theory/principal_components",
        "lsa",
        (
            "LSA",
            "text.TermWeights",
            "text.ranking_average_precision",
            "text.mean_average_precision",
            "text.ranking_precision_recall",
            "text.mean_precision_recall_curve",
        ),
    ),
    Family(
        "theory/dimension",
        "neighbor_map",
        (
            "NeighborMap",
            "manifold.map_quality",
            "manifold.trustworthiness",
            "manifold.continuity",
            "manifold.neighbor_preservation",
            "manifold.torn_neighbors",
        ),
    ),
    Family(
        "theory/dimension",
        "dimension",
        ("explain.intrinsic_dimension", "explain.dimensionality_report"),
    ),
    Family(
        "theory/feature_selection",
        "features",
        (
            "feature_selection.SelectByFilter",
            "feature_selection.SelectByWrapper",
            "feature_selection.select_exhaustively",
            "feature_selection.feature_redundancy",
            "feature_selection.pearson",
            "feature_selection.f_classif",
            "feature_selection.f_regression",
            "feature_selection.chi2",
            "feature_selection.signal_to_noise",
            "feature_selection.mutual_info_classif",
            "feature_selection.mutual_info_regression",
        ),
    ),
    Family(
        "theory/study_statistics",
        "study",
        ("study", "studies.results.Study", "explain_prediction", "audit"),
    ),
    Family(
        "theory/bayes_error",
        "evidence",
        (
            "explain.measured_bayes_bracket",
            "explain.bayes_error_bracket",
            "explain.nn_error_bound",
            "explain.nn_sample_size",
            "explain.neighbor_learning_curve",
        ),
    ),
    Family(
        "theory/conformal",
        "evidence",
        (
            "explain.conformal_sets",
            "explain.conformal_intervals",
            "explain.out_of_fold_probabilities",
        ),
    ),
    Family(
        "engines",
        "tasks/missing_and_mixed",
        ("TablePreprocessor", "SimpleImputer", "StandardScaler", "MinMaxScaler"),
    ),
    Family("engines", "model_files", ("save", "load")),
    Family("engines", "data", ("data.open_source", "data.sample", "config")),
    Family("engines", "serve", ("Client", "web.create_app", "web.ServeOptions")),
    Family(
        "engines",
        "engines",
        (
            "reductions.base.Reduction",
            "reductions.covariance.Covariance",
            "reductions.columns.Columns",
            "reductions.by_class.ClassCovariance",
            "reductions.categories.Categories",
            "reductions.quantiles.DigitCounts",
        ),
    ),
)


def family_of(name: str) -> Family | None:
    """Return the family of a name of the reference."""
    return next((family for family in FAMILIES if name in family.names), None)


def see_also(name: str) -> list[str]:
    """Return the lines that end the docstring of `name`: its family and its pages."""
    family = family_of(name)
    if family is None:
        return []
    others = [
        f":py:obj:`{other.rsplit('.', 1)[-1]} <lookalike.{other}>`"
        for other in family.names
        if other != name
    ]
    pages = [f":doc:`/{page}`" for page in dict.fromkeys((family.theory, family.guide))]
    return ["", f".. seealso:: {', '.join([*others, *pages])}", ""]


def add_related(*of_object: Any) -> None:
    """Append "See Also" to a docstring: Sphinx gives its object's name third, its lines last."""
    name, lines = of_object[2], of_object[-1]
    lines += see_also(name.removeprefix("lookalike."))


def known_keys() -> list[str]:
    """Return the keys of the page of references."""
    return KEY.findall(REFERENCES.read_text("utf-8"))


def link_citations(app: Any, doctree: nodes.document, page: str) -> None:
    """Let every key in brackets lead to its entry among the references."""
    if page == "references":
        return
    keys = "|".join(sorted(map(re.escape, known_keys()), key=len, reverse=True))
    key, bracket = re.compile(rf"\b({keys})\b"), re.compile(rf"\[[^\[\]]*\b(?:{keys})\b[^\[\]]*\]")
    uri = app.builder.get_relative_uri(page, "references")
    for text in list(doctree.findall(nodes.Text)):
        if not any(isinstance(text.parent, kind) for kind in OUTSIDE) and bracket.search(text):
            text.parent.replace(text, linked(str(text), key, bracket, uri))


def linked(text: str, key: re.Pattern[str], bracket: re.Pattern[str], uri: str) -> list[nodes.Node]:
    """Return a text as nodes, the keys in its brackets as links."""
    parts: list[nodes.Node] = []
    end = 0
    for place in bracket.finditer(text):
        for match in key.finditer(text, place.start(), place.end()):
            target = f"{uri}#{nodes.make_id(match[1])}"
            parts += [
                nodes.Text(text[end : match.start()]),
                nodes.reference("", match[1], refuri=target, internal=True),
            ]
            end = match.end()
    return [*parts, nodes.Text(text[end:])]
