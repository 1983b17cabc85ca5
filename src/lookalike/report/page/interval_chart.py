"""Errors as dots with their intervals on one axis, line by line, in the colors of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from lookalike.report.page.html import Html, join, tag
from lookalike.studies.format import Interval, interval, score

MAX_TICKS = 4
TRACK_HEIGHT, TICK_HEIGHT = 22, 18  # pixels
AXIS_MARGIN = 0.04  # of its range, on either side
NEAR_ZERO = 0.5  # part of the highest end, below which the axis begins at 0
BASELINE_REACH = 0.5  # part of the way to the baseline, up to which models are on the axis
SELECTED_COLOR, BASELINE_COLOR = "var(--accent, #3f90da)", "var(--soft, #7c8590)"
MARK_COLORS = {
    "selected": SELECTED_COLOR,
    "baseline": BASELINE_COLOR,
    "bayes": "var(--good, #2f9e6e)",
}

Point = tuple[float, float]  # percent of the width, and pixels


@dataclass(frozen=True)
class Mark:
    """What is drawn on one line: a dot with its interval; without a value the interval alone."""

    kind: str  # selected, baseline, reference, bayes, or another word for all others
    value: float | None
    interval: Interval | None
    compared: float | None = None  # the error that it was selected by, where that is another

    @property
    def ends(self) -> list[float]:
        """All that the mark covers."""
        single = [value for value in (self.value, self.compared) if value is not None]
        return [*(self.interval or ()), *single]


@dataclass(frozen=True)
class ChartAxis:
    """The range of errors that is drawn, which what is far worse than the models lies beyond."""

    low: float
    high: float
    metric: str

    @classmethod
    def fit(cls, marks: Sequence[Mark], metric: str) -> ChartAxis:
        """Return the axis of the models; the baseline is on it where it is near them."""
        values = [
            mark.value for mark in marks if mark.value is not None and mark.kind != "baseline"
        ]
        best = min(values, default=0.0)
        uncertain = [max(mark.ends) for mark in marks if mark.value == best]
        baseline = [
            mark.value for mark in marks if mark.kind == "baseline" and mark.value is not None
        ]
        reach = best + BASELINE_REACH * (baseline[0] - best) if baseline else np.inf
        reach = max([reach, *uncertain])  # as far as the best model may be, at least
        near = [
            end for mark in marks if mark.value is None or mark.value <= reach for end in mark.ends
        ]
        if baseline and baseline[0] <= max(near, default=np.inf):
            near.append(baseline[0])
        low, high = min(near, default=0.0), max(near, default=1.0)
        if low < NEAR_ZERO * high:
            low = min(low, 0.0)
        margin = AXIS_MARGIN * (high - low or abs(high) or 1.0)
        return cls(low if low == 0 else low - margin, high + margin, metric)

    def place(self, value: float) -> float:
        """Return where a value is, in percent of the width; beyond 100 where it is outside."""
        return 100.0 * (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Return a few round values inside of the axis."""
        from matplotlib.ticker import MaxNLocator

        steps = MaxNLocator(MAX_TICKS, steps=[1, 2, 5, 10]).tick_values(self.low, self.high)
        return [float(step) for step in steps if 1.0 < self.place(step) < 97.0 or step == self.low]


def track(mark: Mark, axis: ChartAxis, alt: str) -> Html:
    """Return one line of the chart; it is as wide as there is room, and keeps its height."""
    middle, color = TRACK_HEIGHT / 2, MARK_COLORS.get(mark.kind, "currentColor")
    parts = [
        _line((percent, 0), (percent, TRACK_HEIGHT), "var(--line, #8884)", 1)
        for percent in map(axis.place, axis.ticks())
    ]
    if mark.interval is not None:
        low, high = (float(np.clip(axis.place(end), 0.0, 100.0)) for end in mark.interval)
        if low < 100.0:
            width = 8 if mark.kind == "bayes" else 2
            parts.append(_line((low, middle), (high, middle), color, width))
    if mark.compared is not None and 0.0 <= axis.place(mark.compared) <= 100.0:
        parts.append(_ring(axis.place(mark.compared), color))
    if mark.value is not None:
        parts.append(_point(mark, axis.place(mark.value), color))
    return Html(
        f'<svg class="track" role="img" aria-label="{escape(alt)}" width="100%" '
        f'height="{TRACK_HEIGHT}">{"".join(parts)}</svg>'
    )


def _point(mark: Mark, percent: float, color: str) -> str:
    middle = TRACK_HEIGHT / 2
    if percent > 100.0:  # outside: an arrow at the edge
        shape = f'<path d="M-13 {middle}h10m-4 -4l4 4l-4 4" fill="none" stroke="{color}" '
        return f'<svg x="100%" overflow="visible">{shape}stroke-width="1.5"/></svg>'
    if mark.kind == "baseline":
        shape = f'<path d="M-4 {middle - 4}h8v8h-8z" fill="{color}"/>'
        return f'<svg x="{percent:.2f}%" overflow="visible">{shape}</svg>'
    if mark.kind == "reference":
        return _ring(percent, color)
    radius = 5.5 if mark.kind == "selected" else 4
    return f'<circle cx="{percent:.2f}%" cy="{middle}" r="{radius}" fill="{color}"/>'


def _ring(percent: float, color: str) -> str:
    return (
        f'<circle cx="{percent:.2f}%" cy="{TRACK_HEIGHT / 2}" r="4" fill="var(--paper, #fff0)" '
        f'stroke="{color}" stroke-width="1.5"/>'
    )


def _line(begin: Point, end: Point, color: str, width: int) -> str:
    (x1, y1), (x2, y2) = begin, end
    return (
        f'<line x1="{x1:.2f}%" x2="{x2:.2f}%" y1="{y1:g}" y2="{y2:g}" stroke="{color}" '
        f'stroke-width="{width}"/>'
    )


def tick_labels(axis: ChartAxis) -> Html:
    """Return the figures at the ticks of the axis."""
    labels = "".join(
        f'<text x="{axis.place(value):.2f}%" y="{TICK_HEIGHT - 5}" font-size="12" '
        f'fill="currentColor" text-anchor="middle">'
        f"{escape(tick_text(axis.metric, value))}</text>"
        for value in axis.ticks()
    )
    return Html(
        f'<svg class="track ticks" aria-hidden="true" width="100%" height="{TICK_HEIGHT}">'
        f"{labels}</svg>"
    )


def tick_text(metric: str, value: float) -> str:
    """Return a round value as it stands at the axis.

    >>> tick_text("error", 0.2), tick_text("error", 0.025), tick_text("rmse", 2500.0)
    ('20%', '2.5%', '2,500')
    """
    return f"{100 * value:g}%" if metric == "error" else f"{value:,g}"


def figures(mark: Mark, metric: str) -> Html:
    """Return the figures of a line: the error, and softly its interval."""
    ends = "" if mark.interval is None else interval(metric, mark.interval)
    if mark.value is None:
        return join([ends])
    error = score(metric, mark.value)
    return join([error, " ", tag("span", f"({ends})", class_="soft")] if ends else [error])


def chart(lines: Iterable[tuple[str, Mark]], metric: str, caption: str) -> Html:
    """Return a table of titles, dots and figures, one line each, on an axis of their own."""
    all_lines = list(lines)
    axis = ChartAxis.fit([mark for _, mark in all_lines], metric)
    rows = [
        tag(
            "tr",
            tag("th", title, scope="row", class_=mark.kind),
            tag("td", track(mark, axis, f"{title}, {_speak(mark, metric)}"), class_="dots"),
            tag("td", figures(mark, metric), class_="number"),
        )
        for title, mark in all_lines
    ]
    ticks = tag("tr", tag("td"), tag("td", tick_labels(axis), class_="dots"), tag("td"))
    body = tag("tbody", *rows, ticks)
    return tag("table", tag("caption", caption), body, class_="chart")


def _speak(mark: Mark, metric: str) -> str:
    ends = "" if mark.interval is None else interval(metric, mark.interval)
    return ends if mark.value is None else f"{score(metric, mark.value)}, {ends}".rstrip(", ")
