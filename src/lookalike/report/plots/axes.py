"""Axes to draw on: those given, or new ones that need no screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.errors import ExtraMissingError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def axes_or_new(ax: Axes | None, *, size: tuple[float, float] = (6.0, 4.0)) -> Any:
    """Return `ax`, or axes of a new figure, which no window system has to show."""
    if ax is not None:
        return ax
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise ExtraMissingError.of("matplotlib, which draws plots,", "plots") from missing
    return Figure(figsize=size, layout="constrained").subplots()
