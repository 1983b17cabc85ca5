"""The part of a page on clusters: the traits and typical rows of each, and their number."""

from __future__ import annotations

from lookalike.printable import number
from lookalike.report.page.cards import card
from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.svg import figure
from lookalike.report.plots.kmeans import plot_criterion
from lookalike.studies.analysis_results import Clustering, ClusterTrait
from lookalike.studies.format import count
from lookalike.studies.results import Study


def clusters(study: Study) -> Html | None:
    """Return every cluster with its traits and typical rows, and the numbers of clusters tried."""
    clustering = study.clustering
    if clustering is None:
        return None
    has_traits = any(cluster.traits for cluster in clustering.clusters)
    head = ["cluster", "rows", *(["traits"] if has_traits else []), "typical rows"]
    lines = [
        [
            index,
            count(cluster.n_rows),
            *(
                [join([tag("div", _trait(trait)) for trait in cluster.traits])]
                if has_traits
                else []
            ),
            join(map(card, cluster.typical_rows)),
        ]
        for index, cluster in enumerate(clustering.clusters, start=1)
    ]
    caption = "Clusters, the largest first"
    if has_traits:
        caption += "; traits: mean or share in the cluster (of all rows)"
    n_clusters = count(len(clustering.clusters), "cluster")
    return join(
        [
            tag("h3", "Clusters"),
            tag("p", f"{n_clusters} by k-means; their number by the mean silhouette."),
            table(caption, head, lines),
            _silhouettes(clustering),
        ]
    )


def _trait(trait: ClusterTrait) -> str:
    """Return a mean or a share in the cluster, and that of all rows.

    >>> _trait(ClusterTrait("age", 61.27, 38.4, False)), _trait(ClusterTrait("f", 0.9, 0.5, True))
    ('age 61.27 (38.4)', 'f 90% (50%)')
    """
    inside, overall = (
        f"{value:.0%}" if trait.is_share else number(value)
        for value in (trait.mean, trait.overall_mean)
    )
    return f"{trait.name} {inside} ({overall})".replace(" -", " −").replace("(-", "(−")


def _silhouettes(clustering: Clustering) -> Html:
    tried, silhouette = clustering.n_clusters_tried, clustering.silhouette
    chosen = len(clustering.clusters)
    caption = (
        f"Mean silhouette of every number of clusters; rows without clusters reach up to "
        f"{clustering.chance_silhouette:.2f}. {chosen} clusters exceed chance most."
    )
    return figure(
        lambda ax: plot_criterion(tried, silhouette, chosen, ax=ax).set(title=""),
        name="silhouettes",
        alt=caption,
        caption=caption,
        size=(6.4, 3.2),
    )
