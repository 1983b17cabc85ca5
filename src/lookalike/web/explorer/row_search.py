"""Rows found by number, label or text."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import numpy as np

from lookalike.missing import is_missing
from lookalike.typing import AnyArray
from lookalike.web.limits import INT64_DIGITS

if TYPE_CHECKING:
    from lookalike.web.explorer.explored_rows import ExploredRows

SHOWN = 1000  # rows that are listed by number; the mask holds all


def search_rows(rows: ExploredRows, text: str, limit: int = SHOWN) -> dict[str, object]:
    """Return the rows of a number, else those of a label, else those that hold a text.

    `rows` are the first `limit` of them, `mask` is a bitmask of all.
    """
    wanted = text.strip()
    kind, here = "text", np.zeros(len(rows), bool)
    if wanted.isdecimal() and len(wanted) <= INT64_DIGITS:
        kind, here = "row", rows.dataset.row == int(wanted)
    if not here.any() and rows.code is not None:
        codes = [
            place for place, name in enumerate(rows.class_names) if name.lower() == wanted.lower()
        ]
        if codes:
            kind, here = "label", rows.code == codes[0]
    if not here.any() and wanted:
        kind, here = "text", _holding(rows, wanted.lower())
    found = np.flatnonzero(here)
    return {
        "rows": found[:limit].tolist(),
        "total": len(found),
        "kind": kind,
        "mask": bitmask(here),
    }


def _holding(rows: ExploredRows, text: str) -> AnyArray:
    """Return which rows hold a text in a cell that is not a number."""
    dataset, here = rows.dataset, np.zeros(len(rows), bool)
    for name, kind in dataset.kinds.items():
        if kind in ("number", "boolean"):
            continue
        cells = np.asarray(dataset.column(name)).tolist()
        here |= np.array([not is_missing(cell) and text in str(cell).lower() for cell in cells])
    return here


def bitmask(here: AnyArray) -> str:
    """Return booleans as base64: bit i of byte i // 8, the least significant first."""
    return base64.b64encode(np.packbits(here, bitorder="little").tobytes()).decode("ascii")
