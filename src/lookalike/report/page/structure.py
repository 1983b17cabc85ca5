"""The sections on the structure of the data and on feature importance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.report.page.cluster_profiles import clusters
from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.svg import figure
from lookalike.report.plots.neighbor_map import quality_text
from lookalike.report.plots.pca import plot_spectrum
from lookalike.report.plots.ranking import plot_ranking
from lookalike.report.plots.scatter import NAMED, plot_scatter
from lookalike.studies.analysis_results import Projection
from lookalike.studies.findings.data import on_dimension
from lookalike.studies.format import count, interval, percent, score
from lookalike.studies.results import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DRAWN = 15  # features in the plot
LISTED = 30  # features in the table
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
        kind = study.audit.target_kind if study.audit else "label"
        caption += f"; circled: probable {kind} errors"

    def draw(ax: Axes) -> None:
        plot_scatter(points, value if len(value) else None, flagged=flagged, ax=ax)
        ax.set(xlabel=projection.axis_labels[0], ylabel=projection.axis_labels[1])

    name = f"projection-{projection.method.lower().replace(' ', '-')}"
    return figure(draw, name=name, alt=f"{caption}.", caption=f"{caption}.", size=(6.4, 4.8))


def _spectrum(study: Study) -> Html | None:
    spectrum, finding = study.spectrum, on_dimension(study)
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


def features(study: Study) -> Html | None:
    """Return the feature importance as a plot and a table."""
    importance = study.feature_importance
    if not importance or study.held_out is None:
        return None
    metric = study.held_out.metric
    texts = study.data_kind == "texts"
    title = "error" if metric == "error" else metric.upper()
    measure = "univariate score" if texts else f"permutation importance (rise of the {title})"
    names, values = [one.name for one in importance], [one.importance for one in importance]
    low, high = [one.interval[0] for one in importance], [one.interval[1] for one in importance]

    def draw(ax: Axes) -> None:
        plot_ranking(names, values, low=low, high=high, most=DRAWN, ax=ax)
        ax.set_xlabel(measure)

    drawn: Html = tag("p", "No column has a permutation importance above 0.")
    if max(values) > 0:
        note = "Terms by their univariate score." if texts else "Permutation importance, 95% CI."
        drawn = figure(
            draw,
            name="features",
            alt=f"Feature importance; highest: {', '.join(names[:5])}.",
            caption=note,
            size=(6.4, 1.0 + 0.28 * min(len(importance), DRAWN)),
        )
    lines = [
        [
            one.name,
            f"{one.importance:.3f}" if texts else score(metric, one.importance),
            *([] if texts else [interval(metric, one.interval), f"{one.univariate_score:.3f}"]),
        ]
        for one in importance[:LISTED]
    ]
    head = ["term", measure] if texts else ["column", measure, "95% CI", "univariate score"]
    caption = f"The {len(lines)} most important" if len(lines) < len(importance) else "All scores"
    details = tag("details", tag("summary", caption), table(caption, head, lines))
    return join([_pixels(study), drawn, details])


def _pixels(study: Study) -> Html | None:
    if study.pixel_importance is None:
        return None
    caption = "Univariate score of each pixel: the brighter, the higher."
    image = tag("img", src=study.pixel_importance, alt=caption, class_="pixels")
    return tag("figure", image, tag("figcaption", caption))
