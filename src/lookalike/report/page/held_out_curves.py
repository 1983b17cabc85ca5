"""Curves of held-out predictions: ROC, precision and recall, calibration, residuals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lookalike.printable import number
from lookalike.report.page.html import Html, join, table, tag
from lookalike.report.page.svg import figure
from lookalike.report.plots.calibration import plot_calibration
from lookalike.report.plots.residuals import plot_residuals
from lookalike.report.plots.roc import (
    MAX_CURVES_NAMED,
    plot_precision_recall_curves,
    plot_roc_curves,
    worst_curves,
)
from lookalike.studies.findings import reliability
from lookalike.studies.format import count, interval, percent
from lookalike.studies.results import Study

SQUARE_FIGURE_SIZE = (5.2, 4.6)
CLASSES_WITH_AUC_LISTED = 40  # classes whose AUC is listed

WITHOUT_PROBABILITIES = {  # of one model, of several
    False: "The selected model has no probabilities: rows are ranked by its decision values, the "
    "log loss is that of their softmax, and there is nothing to calibrate.",
    True: "Not all models that were selected in the folds have probabilities. In place of them "
    "the softmax of decision values ranks rows and enters the log loss; there is nothing to "
    "calibrate.",
}


def curves(study: Study) -> Html | None:
    """Return the ROC curves and the calibration, or the residuals."""
    return join([_roc(study), _calibration(study), _residuals(study)])


def _roc(study: Study) -> Html | None:
    found = study.roc_curves
    if not found:
        return None
    shown = worst_curves(found)
    if len(found) == 1:
        which = f" of class {found[0].label}"
    elif len(found) > MAX_CURVES_NAMED:
        which = f" of the {MAX_CURVES_NAMED} classes of the lowest AUC, of {len(found)}, "
        which += "each against the rest"
    else:
        which = " of each class against the rest"
    areas = "; ".join(f"{curve.label}: AUC {curve.auc:.3f}" for curve in shown)

    def drawn(name: str, plot: Callable[..., Any], alt: str, caption: str) -> Html:
        def draw(ax: object) -> None:
            plot(found, ax=ax).set(title="")

        return figure(
            draw, name=name, alt=alt, caption=f"{caption}{which}.", size=SQUARE_FIGURE_SIZE
        )

    both = "Precision and recall"
    pair = tag(
        "div",
        drawn("roc", plot_roc_curves, f"ROC curves{which}. {areas}.", "ROC"),
        drawn("precision-recall", plot_precision_recall_curves, f"{both}{which}.", both),
        class_="pair",
    )
    title = tag("h3", "ROC, precision and recall", id="roc")
    note = None
    if study.predictions is not None and study.predictions.probability is None:
        note = tag("p", WITHOUT_PROBABILITIES[len(study.fold_models) > 1])
    return join([title, note, pair, _areas(study)])


def _areas(study: Study) -> Html | None:
    curves = sorted(study.roc_curves, key=lambda curve: curve.auc)
    if len(curves) < 2:
        return None
    lines = [
        [
            curve.label,
            f"{curve.auc:.3f}",
            interval("auc", curve.auc_interval),
            f"{curve.average_precision:.3f}",
            count(curve.n_positive),
        ]
        for curve in curves[:CLASSES_WITH_AUC_LISTED]
    ]
    head = ["class", "AUC", "95% CI", "average precision", "rows"]
    more = len(curves) - len(lines)
    caption = "AUC of each class against the rest, the lowest first"
    caption += f"; {more} more are in study.json" if more else ""
    return tag("details", tag("summary", "AUC of each class"), table(caption, head, lines))


def _calibration(study: Study) -> Html | None:
    found = study.calibration
    if found is None:
        return None
    drawn = figure(
        lambda ax: plot_calibration(found, ax=ax).set(title=""),
        name="calibration",
        alt=f"Calibration curve; expected calibration error {percent(found.ece)}.",
        caption=f"Calibration on {count(found.n_rows, 'held-out row')}, each predicted once.",
        size=SQUARE_FIGURE_SIZE,
    )
    lines = [
        [
            percent(rows_of_bin.mean_probability),
            percent(rows_of_bin.share),
            interval("error", rows_of_bin.interval),
            count(rows_of_bin.n_rows),
        ]
        for rows_of_bin in found.bins
    ]
    came = "share correct" if found.label is None else f"share of {found.label}"
    bins = table("Bins of the curve", ["mean probability", came, "95% CI", "rows"], lines)
    brier = f"Brier score {found.brier:.3f}, of the class frequencies {found.brier_baseline:.3f}."
    stated = reliability.calibration(study)
    text = f"{stated.text if stated else ''} {brier}"
    title = tag("h3", "Calibration of probabilities", id="calibration-title")
    return tag(
        "div", title, tag("p", text), tag("div", drawn, bins, class_="pair"), id="calibration"
    )


def _residuals(study: Study) -> Html | None:
    found = study.residuals
    if found is None:
        return None
    lines = [[share, number(value)] for share, value in found.quantiles.items()]
    quantiles = table("Quantiles of the residuals", ["quantile", "residual"], lines)
    parts = [tag("h3", "Residuals and prediction intervals", id="residuals-title")]
    if (stated := reliability.prediction_intervals(study)) is not None:
        parts.append(tag("p", stated.text))
    low, high = found.spread_interval
    if low > 0 or high < 0:
        where = "larger" if low > 0 else "smaller"
        text = (
            f"Absolute residuals are {where} where predictions are larger (Spearman's rank "
            f"correlation {found.spread_correlation:.2f}, 95% CI {low:.2f} to {high:.2f})."
        )
        parts.append(tag("p", text))
    return tag("div", *parts, quantiles, id="residuals")


def residual_plot(study: Study, name: str) -> Html | None:
    """Return the residuals of a regression against its predictions."""
    residuals = study.residuals
    if residuals is None:
        return None
    coverage, x, residual = study.prediction_intervals, np.zeros(0), np.zeros(0)
    if study.predictions is not None and study.held_out is not None:
        n_folds = max((int(study.predictions.fold.max()) + 1) // study.held_out.n_repeats, 1)
        once = study.predictions.fold < n_folds
        x = study.predictions.y_pred[once].astype(np.float64)
        residual = study.predictions.y_true[once].astype(np.float64) - x
    half_width = None if coverage is None or coverage.factors else coverage.half_width
    return figure(
        lambda ax: plot_residuals(residuals, x, residual, half_width=half_width, ax=ax).set(
            title=""
        ),
        name=name,
        alt="Residuals against predictions.",
        caption=f"Residuals of {count(residuals.n_rows, 'held-out row')}, each predicted once.",
    )
