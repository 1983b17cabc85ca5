"""The table that ends every example: what the source prints and what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def compare(title: str, rows: Sequence[tuple[str, Any, Any]]) -> None:
    """Print one line a figure: its name, the printed value, ours."""
    cells = [("figure", "printed", "measured"), *((n, f"{p}", f"{m}") for n, p, m in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(3)]
    print(f"\n{title}")
    for row in cells:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))
