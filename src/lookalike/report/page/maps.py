"""Rows on a plane: projections of a study as figures of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.report.page.html import Html
from lookalike.report.page.svg import figure
from lookalike.report.plots.neighbor_map import quality_text
from lookalike.report.plots.scatter import MAX_LEGEND_CLASSES, plot_scatter
from lookalike.studies.analysis_results import Projection
from lookalike.studies.format import count
from lookalike.studies.results import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def best_map(study: Study) -> Projection | None:
    """Return the neighbor map of a study, else its first projection."""
    maps = [projection for projection in study.projections if projection.quality is not None]
    return next(iter([*maps, *study.projections]), None)


def map_figure(study: Study, projection: Projection, name: str) -> Html:
    """Return a projection with its classes in color, and probable label errors circled."""
    value = projection.value if projection.value is not None else np.array(projection.label)
    rows = study.audit.flagged_rows if study.audit else ()
    mislabeled = {row.row for row in rows if row.kind == "mislabel"}
    flagged = np.flatnonzero(np.isin(projection.row, sorted(mislabeled)))
    points = np.column_stack([projection.x, projection.y])

    def draw(ax: Axes) -> None:
        classes = study.target.classes if study.target is not None else ()
        order = classes if set(projection.label) <= set(map(str, classes)) else None
        plot_scatter(points, value if len(value) else None, flagged=flagged, order=order, ax=ax)
        ax.set(xlabel=projection.axis_labels[0], ylabel=projection.axis_labels[1])
        if projection.quality is not None:  # the axes of a neighbor map are nothing
            ax.spines[:].set_visible(False)

    caption = f"{_caption(study, projection, len(flagged))}."
    return figure(draw, name=name, alt=caption, caption=caption, size=(6.4, 4.8))


def _caption(study: Study, projection: Projection, n_flagged: int) -> str:
    what = f"{projection.method} projection"
    if projection.quality is not None:
        what = "Neighbor map (t-SNE)"
    caption = f"{what} of {count(len(projection.row), 'row')}"
    if projection.sampled:
        caption += ", a sample"
    if projection.quality is not None:
        caption += f"; {quality_text(projection.quality)}"
    n_classes = len(set(projection.label))
    if n_classes > MAX_LEGEND_CLASSES:
        caption += f"; colors and markers are {n_classes} classes"
    if n_flagged:
        kind = study.audit.target_title if study.audit else "label"
        caption += f"; circled: probable {kind} errors"
    return caption
