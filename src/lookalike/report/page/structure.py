"""The section on the structure of the data: projections, spectrum, clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.report.page.cluster_profiles import clusters
from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.svg import figure
from lookalike.report.plots.neighbor_map import quality_text
from lookalike.report.plots.pca import plot_spectrum
from lookalike.report.plots.scatter import NAMED, plot_scatter
from lookalike.studies.analysis_results import Projection
from lookalike.studies.findings.data import estimated_dimension
from lookalike.studies.format import count, percent
from lookalike.studies.results import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RULES = {"knee": "knee of the scree plot", "parallel": "parallel analysis", "mle": "Minka's MLE"}


def structure(study: Study) -> Html | None:
    """Return the projections, the spectrum, the intrinsic dimension and the clusters."""
    planes = [_projection(study, one) for one in study.projections]
    drawn = tag("div", *planes, class_="pair") if planes else None
    parts = [drawn, _spectrum(study), clusters(study)]
    return join(parts) if any(parts) else None


def _projection(study: Study, projection: Projection) -> Html:
    value = projection.value if projection.value is not None else np.array(projection.label)
    rows = study.audit.flagged_rows if study.audit else ()
    mislabeled = {one.row for one in rows if one.kind == "mislabel"}
    flagged = np.flatnonzero(np.isin(projection.row, sorted(mislabeled)))
    points = np.column_stack([projection.x, projection.y])
    what = f"{projection.method} projection"
    if projection.quality is not None:
        what = "Neighbor map (t-SNE)"
    caption = f"{what} of {count(len(projection.row), 'row')}"
    if projection.sampled:
        caption += ", a sample"
    if projection.quality is not None:
        caption += f"; {quality_text(projection.quality)}"
    n_classes = len(set(projection.label))
    if n_classes > NAMED:
        caption += f"; colors and markers are {n_classes} classes"
    if len(flagged):
        kind = study.audit.target_title if study.audit else "label"
        caption += f"; circled: probable {kind} errors"

    def draw(ax: Axes) -> None:
        plot_scatter(points, value if len(value) else None, flagged=flagged, ax=ax)
        ax.set(xlabel=projection.axis_labels[0], ylabel=projection.axis_labels[1])

    name = f"projection-{projection.method.lower().replace(' ', '-')}"
    return figure(draw, name=name, alt=f"{caption}.", caption=f"{caption}.", size=(6.4, 4.8))


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
    return RULES.get(name, name) if name[:1].isalpha() else f"{float(name):.0%} of the variance"
