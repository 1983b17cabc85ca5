"""Colors of classes: sets that color-blind readers tell apart, the same on the explorer's map.

They are those of Petroff (2021), "Accessible color sequences for data visualization", grays last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.colors import Colormap

SIX_COLORS = ("#5790fc", "#f89c20", "#e42536", "#964a8b", "#7a21dd", "#9c9ca1")
TEN_COLORS = (
    "#3f90da",
    "#ffa90e",
    "#bd1f01",
    "#832db6",
    "#92dadd",
    "#a96b59",
    "#e76300",
    "#b9ac70",
    "#94a4a2",
    "#717581",
)
FIRST_COLOR, SECOND_COLOR, ALERT_COLOR = TEN_COLORS[0], TEN_COLORS[6], TEN_COLORS[2]
NUMBER_COLORS = "cividis"  # the color map of numbers, whose lightness grows evenly
DARKEST_SHARE = 0.2  # part of it that would vanish on a dark ground


def class_colors(n_classes: int) -> tuple[str, ...]:
    """Return a color for each class; after ten they come again, with another marker.

    >>> class_colors(2)
    ('#5790fc', '#f89c20')
    """
    colors = SIX_COLORS if n_classes <= len(SIX_COLORS) else TEN_COLORS
    return tuple(colors[number % len(colors)] for number in range(n_classes))


def number_colors() -> Colormap:
    """Return the color map of numbers, without its end that would vanish on a dark ground."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(
        colormaps[NUMBER_COLORS](np.linspace(DARKEST_SHARE, 1.0, 256)), NUMBER_COLORS
    )
