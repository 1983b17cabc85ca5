"""The part of a page on groups found without a target: what each is like, and their number."""

from __future__ import annotations

from lookalike.report.page.cards import card
from lookalike.report.page.format import count
from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.svg import figure
from lookalike.report.plots.kmeans import plot_criterion
from lookalike.studies.analysis_results import Clustering, ClusterTrait
from lookalike.studies.results import Study


def groups(study: Study) -> Html | None:
    """Return every group with its traits and typical rows, and the numbers of groups tried."""
    found = study.clustering
    if found is None:
        return None
    told = any(group.traits for group in found.clusters)
    head = ["group", "rows", *(["stands out by"] if told else []), "typical rows"]
    lines = [
        [
            number,
            group.n_rows,
            *([join([tag("div", _trait(one)) for one in group.traits])] if told else []),
            join(map(card, group.typical_rows)),
        ]
        for number, group in enumerate(found.clusters, start=1)
    ]
    caption = "What each group is like" + ("; in brackets: the same of all rows" if told else "")
    return join(
        [
            tag("h3", "Groups"),
            tag("p", f"{count(len(found.clusters), 'group')} by k-means, the largest first."),
            table(caption, head, lines),
            _tried(found),
        ]
    )


def _trait(one: ClusterTrait) -> str:
    """Return a mean or a share in the group, and that of all rows.

    >>> _trait(ClusterTrait("age", 61.27, 38.4, False)), _trait(ClusterTrait("f", 0.9, 0.5, True))
    ('age 61.3 (38.4)', 'f 90 % (50 %)')
    """
    here, overall = (
        f"{value * 100:.0f} %" if one.is_share else f"{value:.3g}"
        for value in (one.mean, one.overall_mean)
    )
    return f"{one.name} {here} ({overall})"


def _tried(found: Clustering) -> Html:
    best = found.n_clusters_tried[found.silhouette.index(max(found.silhouette))]

    told = f"How well numbers of groups fit: {best} have the largest mean silhouette."
    return figure(
        lambda ax: plot_criterion(found.n_clusters_tried, found.silhouette, best, ax=ax).set(
            title=""
        ),
        name="groups",
        alt=told,
        caption=told,
        size=(6.4, 3.2),
    )
