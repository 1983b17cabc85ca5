"""Plots of a data audit: rows flagged of each kind, and their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.errors import ParameterError
from lookalike.explain.audit.audit import HUB_OCCURRENCES_PER_K, OUTLIER_DEVIATIONS, Audit
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import ALERT_COLOR, FIRST_COLOR

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_audit(audit: Audit, *, ax: Axes | None = None) -> Axes:
    """Draw the number of rows flagged for each kind of finding."""
    ax = axes_or_new(ax)
    count = [len(audit.rows(kind)) for kind in audit.kinds]
    bars = ax.barh(range(len(count)), count, color=FIRST_COLOR)
    ax.bar_label(bars, padding=3)
    ax.set_yticks(range(len(count)), [kind.replace("_", " ") for kind in audit.kinds])
    ax.invert_yaxis()
    ax.set(xlabel="flagged rows", xlim=(0, 1.15 * max(*count, 1)))
    ax.set_title(f"Data audit of {len(audit.outlier):,} rows, {audit.k} neighbors per row")
    return ax


def plot_flagged_rows(audit: Audit, *, ax: Axes | None = None) -> Axes:
    """Draw every row by its outlier score and the probability that its label or number is wrong."""
    if audit.mislabel is None:
        raise ParameterError("No label was audited. Give y to audit.")
    ax = axes_or_new(ax)
    doubted = "label" if audit.deviation is None else "number"
    hub = audit.occurrences > HUB_OCCURRENCES_PER_K * audit.k
    for inside, label, marker in ((~hub, "row", "."), (hub, "hub", "D")):
        ax.plot(audit.outlier[inside], audit.mislabel[inside], marker, alpha=0.5, label=label)
    ax.axvline(OUTLIER_DEVIATIONS, color="0.4", linestyle="--", label="outlier threshold")
    if audit.cutoff <= 1:
        ax.axhline(audit.cutoff, color=ALERT_COLOR, linestyle="--", label="mislabel threshold")
    ax.set(
        xlabel="outlier score (robust deviations)",
        ylabel=f"P({doubted} is wrong)",
        ylim=(-0.02, 1.05),
    )
    ax.set_title("Flagged rows")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax
