"""The section on feature importance, and on how predictions depend on the important columns."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lookalike.printable import number
from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.svg import figure
from lookalike.report.plots.partial_dependence import plot_partial_dependence
from lookalike.report.plots.ranking import plot_ranking
from lookalike.studies.evaluation_results import PartialDependence
from lookalike.studies.format import count, interval, metric_title, percent, score
from lookalike.studies.results import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEATURES_PLOTTED = 15  # features in the plot
FEATURES_IN_TABLE = 30  # features in the table


def features(study: Study) -> Html | None:
    """Return the feature importance as a plot and a table."""
    importance = study.feature_importance
    if not importance or study.held_out is None:
        return None
    metric = study.held_out.metric
    texts = study.data_kind == "texts"
    title = metric_title(metric)
    measure = "univariate score" if texts else f"permutation importance (rise of the {title})"
    names, values = (
        [feature.name for feature in importance],
        [feature.importance for feature in importance],
    )
    low, high = (
        [feature.interval[0] for feature in importance],
        [feature.interval[1] for feature in importance],
    )

    def draw(ax: Axes) -> None:
        plot_ranking(names, values, low=low, high=high, most=FEATURES_PLOTTED, ax=ax)
        ax.set_xlabel(measure)

    which = "the column is not" if len(values) == 1 else f"none of {len(values):,} columns is"
    drawn: Html = tag("p", f"The permutation importance of {which} above 0.")
    if max(values) > 0:
        note = "Terms by their univariate score." if texts else "Permutation importance, 95% CI."
        drawn = figure(
            draw,
            name="features",
            alt=f"Feature importance; highest: {', '.join(names[:5])}.",
            caption=note,
            size=(6.4, 1.0 + 0.28 * min(len(importance), FEATURES_PLOTTED)),
            percent="x" if metric == "error" and not texts else "",
        )
    lines = [
        [
            feature.name,
            f"{feature.importance:.3f}" if texts else score(metric, feature.importance),
            *(
                []
                if texts
                else [interval(metric, feature.interval), f"{feature.univariate_score:.3f}"]
            ),
        ]
        for feature in importance[:FEATURES_IN_TABLE]
    ]
    head = ["term", measure] if texts else ["column", measure, "95% CI", "univariate score"]
    caption = f"The {len(lines)} most important" if len(lines) < len(importance) else "All scores"
    details = tag("details", tag("summary", caption), table(caption, head, lines))
    return join([_pixels(study), drawn, details, _dependence(study)])


def _dependence(study: Study) -> Html | None:
    """Return a plot for each column whose partial dependence is known."""
    if not study.partial_dependence:
        return None
    note = (
        "How the predictions of the selected model change when one column is set to each value in "
        f"turn: the mean over {count(study.partial_dependence[0].n_rows, 'row')}, and the range of "
        "the middle 80%. It describes the model, also for rows that may not exist, and is not a "
        "causal effect of the column."
    )
    plots = [
        figure(
            partial(_draw_dependence, one),
            name=f"dependence-{index}",
            alt=_describe(one),
            caption=_describe(one),
            size=(5.2, 3.4),
            percent="" if one.output == "prediction" else "y",
        )
        for index, one in enumerate(study.partial_dependence)
    ]
    title = tag("h3", "Partial dependence", id="partial-dependence")
    return join([title, tag("p", note), tag("div", *plots, class_="pair")])


def _draw_dependence(dependence: PartialDependence, ax: Axes) -> None:
    plot_partial_dependence(dependence, ax=ax)


def _describe(one: PartialDependence) -> str:
    write = number if one.output == "prediction" else percent
    ends = write(min(one.mean)), write(max(one.mean))
    return f"Partial dependence on {one.name}: mean {one.output} from {ends[0]} to {ends[1]}."


def _pixels(study: Study) -> Html | None:
    if study.pixel_importance is None:
        return None
    caption = "Univariate score of each pixel: the brighter, the higher."
    image = tag("img", src=study.pixel_importance, alt=caption, class_="pixels")
    return tag("figure", image, tag("figcaption", caption))
