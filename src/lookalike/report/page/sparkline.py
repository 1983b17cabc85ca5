"""Small histograms inside of a table: inline SVG in the colors of the page."""

from __future__ import annotations

from html import escape

from lookalike.report.page.html import Html
from lookalike.studies.profile_results import ColumnProfile

WIDTH, HEIGHT, GAP = 96, 24, 1


def sparkline(profile: ColumnProfile, alt: str) -> Html | str:
    """Return the histogram of a column, or bars of its most frequent categories; "" for neither."""
    counts = [n for _, n in profile.top_values]
    if profile.histogram is not None:
        counts = list(profile.histogram.counts)
    if len(counts) < 2 or not max(counts):
        return ""
    step = WIDTH / len(counts)
    bars = "".join(
        f'<rect x="{step * place:.1f}" y="{HEIGHT - tall:.1f}" width="{step - GAP:.1f}" '
        f'height="{tall:.1f}"/>'
        for place, n in enumerate(counts)
        for tall in [max(HEIGHT * n / max(counts), 1.0 if n else 0.0)]
    )
    return Html(
        f'<svg class="spark" role="img" aria-label="{escape(alt)}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}">{bars}</svg>'
    )
