"""Plots as part of a page: inline SVG in the colors of the page, with a text alternative."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

from lookalike.report.page.html import Html, tag
from lookalike.report.plots.axes import axes_or_new
from lookalike.report.plots.palette import SIX_COLORS, TEN_COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MIN_SEPARATED = 1000  # from which on numbers have separators
YEARS_END = 10_000  # numbers of an axis from a thousand up to this may be years
INK_COLOR, PAPER_COLOR = "#010203", "#fefdfc"  # stand for the colors of the page
PLOT_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "lookalike",
    "svg.fonttype": "none",  # the letters are the reader's
    "text.parse_math": False,  # a label may hold any sign
    "font.family": "sans-serif",
    "font.size": 11.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": "medium",
    "legend.frameon": False,
    "text.color": INK_COLOR,
    "axes.edgecolor": INK_COLOR,
    "axes.labelcolor": INK_COLOR,
    "xtick.color": INK_COLOR,
    "ytick.color": INK_COLOR,
    "patch.edgecolor": PAPER_COLOR,
}


def figure(
    draw: Callable[[Axes], object],
    *,
    name: str,
    alt: str,
    caption: str,
    size: tuple[float, float] = (6.4, 4.0),
    percent: str = "",
) -> Html:
    """Return what `draw` draws on new axes, as a figure of a page.

    Parameters
    ----------
    draw : callable
        Is given the axes.
    name : str
        Of the figure in its page: marks inside of it begin with it, so that all are distinct.
    alt : str
        Text alternative.
    caption : str
        Stands below.
    size : pair of float, default=(6.4, 4.0)
        Width and height in inches.
    percent : str, default=""
        The axes that show shares as percentages: "x", "y", "xy" or none.
    """
    import matplotlib as mpl

    with mpl.rc_context(PLOT_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # the reader's letters may have it
        axes = axes_or_new(None, size=size)
        axes.set_prop_cycle(color=TEN_COLORS)
        draw(axes)
        _separate_thousands(axes)
        for direction in percent:
            getattr(axes, f"{direction}axis").set_major_formatter(_tick_percent)
        text = _drawn(axes.get_figure(root=True))
    return tag("figure", inline(text, name, alt), tag("figcaption", caption))


def _drawn(drawing: Any) -> str:
    """Return a transparent drawing as SVG, laid out and drawn once: `savefig` does both twice."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    for patch in (drawing.patch, *(axes.patch for axes in drawing.axes)):
        patch.set(facecolor="none", edgecolor="none")
    text = io.StringIO()
    canvas: Any = FigureCanvasSVG(drawing)
    canvas.print_svg(text, metadata={"Date": None})
    return text.getvalue()


def _separate_thousands(axes: Axes) -> None:
    """Let the tick labels of large numbers have separators, as all numbers of a page."""
    drawing: Any = axes.get_figure(root=True)
    for one in drawing.axes:  # those of a color bar too
        for axis in (one.xaxis, one.yaxis):
            low, high = sorted(axis.get_view_interval())
            large = max(-low, high) >= MIN_SEPARATED
            if (
                axis.get_scale() == "linear"
                and large
                and not MIN_SEPARATED <= low < high < YEARS_END
            ):
                axis.set_major_formatter(lambda value, _: f"{value:,.0f}".replace("-", "−"))


def _tick_percent(value: float, _: int) -> str:
    """Return a tick of shares as a page writes it.

    >>> _tick_percent(0.25, 0), _tick_percent(-0.005, 1)
    ('25%', '−0.5%')
    """
    return f"{round(100 * value, 6):g}%".replace("-", "−")


def inline(svg: str, name: str, alt: str) -> Html:
    """Return a drawing for a page that holds others, light or dark."""
    body = svg[svg.index("<svg") :]
    opening, rest = body.split(">", 1)
    box = re.search(r'viewBox="[^"]*"', opening)
    head = f'<svg role="img" aria-label="{escape(alt)}" {box.group() if box else ""}'
    rest = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", rest, flags=re.DOTALL)
    rest = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", rest)
    rest = rest.replace(INK_COLOR, "currentColor").replace(PAPER_COLOR, "var(--paper)")
    for colors, title in ((SIX_COLORS, "six"), (TEN_COLORS, "ten")):
        for index, color in enumerate(colors):
            rest = rest.replace(f": {color}", f": var(--{title}-{index}, {color})")
    return Html(f'{head} xmlns:xlink="http://www.w3.org/1999/xlink">{rest}')
