"""One picture of the data: its map, the confusion matrix, or the residuals."""

from __future__ import annotations

from lookalike.report.page.confusion import confusion_matrix
from lookalike.report.page.held_out_curves import residual_plot
from lookalike.report.page.html import Html
from lookalike.report.page.maps import best_map, map_figure
from lookalike.studies.results import Study

FEW_CLASSES = 2  # up to which a confusion matrix says more than a map


def figure_kind(study: Study) -> str:
    """Return which picture says most: "residuals" of numbers, the "map" of several classes."""
    if study.residuals is not None:
        return "residuals"
    n_classes = 0 if study.held_out is None else len(study.held_out.labels)
    few = 1 <= n_classes <= FEW_CLASSES
    if best_map(study) is not None and not few:
        return "map"
    return "confusion" if n_classes > 1 else ""


def data_figure(study: Study) -> Html | None:
    """Return the picture of the first screen."""
    kind, projection = figure_kind(study), best_map(study)
    if kind == "residuals":
        return residual_plot(study, "first-picture")
    if kind == "map" and projection is not None:
        return map_figure(study, projection, "first-picture")
    if kind == "confusion":
        return confusion_matrix(study, "first-picture")
    return None
