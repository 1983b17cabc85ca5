"""The section on the structure of the data: projections, spectrum, clusters."""

from __future__ import annotations

import numpy as np

from lookalike.report.page.cluster_profiles import clusters
from lookalike.report.page.data_figure import figure_kind
from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.maps import best_map, map_figure
from lookalike.report.page.svg import figure
from lookalike.report.plots.pca import plot_spectrum
from lookalike.studies.findings.data import estimated_dimension
from lookalike.studies.format import percent
from lookalike.studies.results import Study

COMPONENT_RULE_TITLES = {
    "knee": "knee of the scree plot",
    "parallel": "parallel analysis",
    "mle": "Minka's MLE",
}


def structure(study: Study) -> Html | None:
    """Return the projections, the spectrum, the intrinsic dimension and the clusters."""
    first = best_map(study) if figure_kind(study) == "map" else None
    planes = [
        map_figure(study, one, f"projection-{one.method.lower().replace(' ', '-')}")
        for one in study.projections
        if one is not first
    ]
    drawn = tag("div", *planes, class_="pair") if planes else None
    parts = [drawn, _spectrum(study), clusters(study)]
    return join(parts) if any(parts) else None


def _spectrum(study: Study) -> Html | None:
    spectrum, finding = study.spectrum, estimated_dimension(study)
    if spectrum is None:
        return None
    ratio = np.array(spectrum.explained_variance_ratio)
    rules = table(
        "Number of principal components by each rule",
        ["rule", "components"],
        [[_rule(name), kept] for name, kept in spectrum.n_components_by_rule.items()],
    )
    drawn = figure(
        lambda ax: plot_spectrum(
            np.array(spectrum.explained_variance), np.cumsum(ratio), ax=ax
        ).set(title=""),
        name="scree",
        alt=f"Scree plot: the first component explains {percent(ratio[0])} of the variance.",
        caption="Scree plot: variance of each principal component, and cumulative ratio.",
    )
    return join(
        [
            tag("h3", "Intrinsic dimension and principal components"),
            tag("p", finding.text) if finding else None,
            tag("div", drawn, rules if spectrum.n_components_by_rule else None, class_="pair"),
        ]
    )


def _rule(name: str) -> str:
    return (
        COMPONENT_RULE_TITLES.get(name, name)
        if name[:1].isalpha()
        else f"{float(name):.0%} of the variance"
    )
