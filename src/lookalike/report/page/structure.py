"""The parts of a page on what the data look like and which columns tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.report.page.cluster_profiles import groups
from lookalike.report.page.format import count, percent
from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.svg import figure
from lookalike.report.plots.pca import plot_spectrum
from lookalike.report.plots.ranking import plot_ranking
from lookalike.report.plots.scatter import NAMED, plot_scatter
from lookalike.studies.analysis_results import Projection
from lookalike.studies.results import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DRAWN = 15  # features in the picture
LISTED = 30  # features in the table
METHODS = {"twonn": "the two nearest neighbors", "mle": "maximum likelihood", "pca": "PCA"}


def shape(study: Study) -> Html | None:
    """Return the maps, the spectrum, the number of dimensions and the groups."""
    maps = [_map(study, one) for one in study.projections]
    parts = [tag("div", *maps, class_="pair") if maps else None, _spectrum(study), groups(study)]
    return join(parts) if any(parts) else None


def _map(study: Study, found: Projection) -> Html:
    value = found.value if found.value is not None else np.array(found.label)
    rows = study.audit.flagged_rows if study.audit else ()
    wrong = {suspect.row for suspect in rows if suspect.kind == "mislabel"}
    flagged = np.flatnonzero(np.isin(found.row, sorted(wrong)))
    points = np.column_stack([found.x, found.y])
    told = f"{count(len(found.row), 'row')} by {found.method}"
    if found.sampled:
        told += ", a sample"
    classes = len(set(found.label))
    if classes > NAMED:
        told += f"; the colors and marks are of {classes} classes"
    if len(flagged):
        told += "; circled: the labels most probably wrong"

    def draw(ax: Axes) -> None:
        plot_scatter(points, value if len(value) else None, flagged=flagged, ax=ax)
        ax.set(xlabel=found.axis_labels[0], ylabel=found.axis_labels[1])

    name = "map-" + found.method.replace(" ", "-")
    return figure(draw, name=name, alt=f"Map of {told}.", caption=f"{told}.", size=(6.4, 4.8))


def _spectrum(study: Study) -> Html | None:
    found = study.spectrum
    if found is None:
        return None
    told = []
    if study.intrinsic_dimension is not None:
        dims = study.intrinsic_dimension
        low, high = dims.interval
        told.append(
            f"Around a typical row the data vary in {dims.estimate:.1f} directions (95 %: "
            f"{low:.1f} to {high:.1f}, by {METHODS.get(dims.method, dims.method)} on "
            f"{count(len(dims.local), 'row')})."
        )
        kept = found.n_components_by_rule.get("0.95")
        if kept is not None:
            told.append(
                f"{kept} of {found.n_components} principal directions hold 95 % of the variance."
            )
    rules = table(
        "Principal directions that each rule would keep",
        ["rule", "directions"],
        [[_rule(name), kept] for name, kept in found.n_components_by_rule.items()],
    )
    first = found.explained_variance_ratio[0]
    drawn = figure(
        lambda ax: plot_spectrum(
            np.array(found.explained_variance), np.cumsum(found.explained_variance_ratio), ax=ax
        ).set(title=""),
        name="scree",
        alt=f"Scree plot: the first component explains {percent(first)} of the variance.",
        caption="Variance along each principal direction, and what the first ones explain.",
    )
    return join(
        [
            tag("h3", "How many dimensions"),
            tag("p", " ".join(told)) if told else None,
            tag("div", drawn, rules if found.n_components_by_rule else None, class_="pair"),
        ]
    )


def _rule(name: str) -> str:
    return name if name[:1].isalpha() else f"{float(name):.0%} of the variance"


def features(study: Study) -> Html | None:
    """Return the ranking of features as a picture and a table."""
    found = study.feature_importance
    if not found:
        return None
    measure, told = (
        ("how much the word tells by itself", "The words that tell most by themselves.")
        if study.data_kind == "texts"
        else (
            "rise of the error when the column is shuffled",
            "How much worse the winner answers when a column is shuffled, with 95 % intervals.",
        )
    )
    names, scores = [one.name for one in found], [one.importance for one in found]
    low, high = [one.interval[0] for one in found], [one.interval[1] for one in found]

    def draw(ax: Axes) -> None:
        plot_ranking(names, scores, low=low, high=high, most=DRAWN, ax=ax)
        ax.set_xlabel(measure)

    drawn = None
    if max(scores) > 0:
        drawn = figure(
            draw,
            name="features",
            alt=f"Ranking of features. The most telling: {', '.join(names[:5])}.",
            caption=told,
            size=(6.4, 1.0 + 0.28 * min(len(found), DRAWN)),
        )
    lines = [
        [
            one.name,
            f"{one.importance:.4f}",
            f"{one.interval[0]:.4f} to {one.interval[1]:.4f}",
            f"{one.univariate_score:.3f}",
        ]
        for one in found[:LISTED]
    ]
    caption = f"The {len(lines)} most telling of {len(found)}"
    head = ["", measure, "interval", "tells by itself"]
    listed = tag("details", tag("summary", caption), table(caption, head, lines))
    nothing = None if drawn else tag("p", "No single column matters: shuffling any changes little.")
    return join([_relief(study), drawn or nothing, listed])


def _relief(study: Study) -> Html | None:
    if study.pixel_importance is None:
        return None
    what = "classes" if study.task == "classification" else "numbers"
    told = (
        f"Where the pictures of different {what} differ: the brighter a pixel, the more it tells."
    )
    return tag(
        "figure",
        tag("img", src=study.pixel_importance, alt=told, class_="relief"),
        tag("figcaption", told),
    )
