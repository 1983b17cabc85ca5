"""Small histograms inside of a table: inline SVG in the colors of the page."""

from __future__ import annotations

from html import escape

from lookalike.report.page.html import Html
from lookalike.studies.profile_results import ColumnProfile

SPARKLINE_WIDTH, SPARKLINE_HEIGHT, SPARKLINE_BAR_GAP = 96, 24, 1


def sparkline(profile: ColumnProfile, alt: str) -> Html | str:
    """Return the histogram of a column, or bars of its most frequent categories; "" for neither."""
    counts = [n for _, n in profile.top_values]
    if profile.histogram is not None:
        counts = list(profile.histogram.counts)
    if len(counts) < 2 or not max(counts):
        return ""
    step = SPARKLINE_WIDTH / len(counts)
    bars = "".join(
        f'<rect x="{step * index:.1f}" y="{SPARKLINE_HEIGHT - tall:.1f}" '
        f'width="{step - SPARKLINE_BAR_GAP:.1f}" height="{tall:.1f}"/>'
        for index, n in enumerate(counts)
        for tall in [max(SPARKLINE_HEIGHT * n / max(counts), 1.0 if n else 0.0)]
    )
    return Html(
        f'<svg class="spark" role="img" aria-label="{escape(alt)}" '
        f'viewBox="0 0 {SPARKLINE_WIDTH} {SPARKLINE_HEIGHT}">{bars}</svg>'
    )
