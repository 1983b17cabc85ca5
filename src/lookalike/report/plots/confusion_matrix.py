"""The confusion matrix of a classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lookalike.printable import shortened
from lookalike.report.plots.axes import axes_or_new, figure_of
from lookalike.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELL_COLOR = "#1f5fae"
MAX_TICK_LETTERS = 18  # of the name of a class
MAX_COUNTED_CLASSES = 15  # up to which every cell shows its figures
MAX_NAMED_CLASSES = 30  # up to which each has its tick label
SMALL_TEXT_CLASSES = 8  # from which on figures are smaller
TICK_LETTERS = 40  # that fit below the plot
WHITE_TEXT_SHARE = 0.35  # of its row, from which on a cell is dark
SHARE_POWER = 0.5  # of the scale: errors that are few are seen


def plot_confusion_matrix(
    matrix: ArrayLike,
    classes: Sequence[object],
    *,
    target: str = "class",
    ax: Axes | None = None,
) -> Axes:
    """Draw which share of each true class (row) is predicted as each class (column).

    Each cell has its percentage of the true class and below it the number of rows. All cells are
    colored on one scale, that of the share, with small ones set off. `target` is what the classes
    are of, as the axes name it.
    """
    from matplotlib.colors import LinearSegmentedColormap, PowerNorm

    counts = np.asarray(matrix, dtype=np.float64)
    n = len(classes)
    ax = axes_or_new(ax, size=(6.0, 5.4))
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    colors = LinearSegmentedColormap.from_list("shares", [f"{CELL_COLOR}00", CELL_COLOR])
    drawn = ax.pcolormesh(share, cmap=colors, norm=PowerNorm(SHARE_POWER, 0.0, 1.0))
    if n <= MAX_COUNTED_CLASSES:
        _write_cells(ax, counts, share)
    else:
        figure_of(ax).colorbar(drawn, ax=ax, label="share of the true class", format="{x:.0%}")
    name = shortened(target, TICK_LETTERS)
    step = -(-n // MAX_NAMED_CLASSES)
    ticks = np.arange(0, n, step)
    names = [shortened(str(name), MAX_TICK_LETTERS) for name in classes[::step]]
    turned = 90 if len(names) * max(map(len, names)) > TICK_LETTERS else 0
    size = "medium" if n <= MAX_COUNTED_CLASSES else "x-small"
    ax.set_xticks(ticks + 0.5, names, rotation=turned, fontsize=size)
    ax.set_yticks(ticks + 0.5, names, fontsize=size)
    ax.set(xlabel=f"predicted {name}", ylabel=f"true {name}", aspect="equal")
    ax.invert_yaxis()
    ax.tick_params(length=0)
    return ax


def _write_cells(ax: Axes, counts: Array, share: Array) -> None:
    """Write the percentage and the number of rows into every cell that has rows."""
    n = len(counts)
    large, small = ("x-small", 5.5) if n > SMALL_TEXT_CLASSES else ("medium", "x-small")
    for true, predicted in zip(*np.nonzero(counts), strict=True):
        part = share[true, predicted]
        color = "#ffffff" if part > WHITE_TEXT_SHARE else None
        for text, size, y in (
            (_percent(part), large, 0.42),
            (_count(float(counts[true, predicted])), small, 0.74),
        ):
            ax.text(
                predicted + 0.5, true + y, text, ha="center", va="center", color=color,
                fontsize=size,
            )  # fmt: skip


def _count(rows: float) -> str:
    """Return a number of rows; a mean over repeats that is small keeps a decimal.

    >>> _count(1240.0), _count(12.7), _count(0.33)
    ('1,240', '13', '0.3')
    """
    small = rows < 9.95 and not rows.is_integer()
    return f"{rows:.1f}" if small else f"{rows:,.0f}"


def _percent(share: float) -> str:
    """Return a whole percentage, never 0% or 100% of what is between.

    >>> _percent(0.0012), _percent(0.5), _percent(0.999), _percent(1.0)
    ('<1%', '50%', '>99%', '100%')
    """
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"
