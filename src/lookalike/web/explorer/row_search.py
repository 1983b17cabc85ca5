"""Rows found by number, label or text."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import numpy as np

from lookalike.errors import ParameterError
from lookalike.missing import is_missing
from lookalike.typing import AnyArray
from lookalike.web.limits import INT64_DIGITS

if TYPE_CHECKING:
    from lookalike.web.explorer.explored_rows import ExploredRows

ROWS_LISTED = 1000  # rows that are listed by number; the mask holds all
SEARCH_KINDS = ("row", "label", "text")  # of what is searched, the first that there is
LABELS_OFFERED = 6  # labels that a text may mean


def search_rows(
    rows: ExploredRows, text: str, limit: int = ROWS_LISTED, kind: str | None = None
) -> dict[str, object]:
    """Return the rows of a number, else those of a label, else those that hold a text.

    `rows` are the first `limit` of them, `mask` is a bitmask of all; `kind` asks for one of these.
    """
    if kind is not None and kind not in SEARCH_KINDS:
        raise ParameterError(
            f"kind={kind!r} is not one of {', '.join(SEARCH_KINDS)}. Give one of them."
        )
    searches = {"row": _of_number, "label": _of_label, "text": _holding}
    chosen = np.zeros(len(rows), bool)
    for name in SEARCH_KINDS if kind is None else (kind,):
        chosen = searches[name](rows, text.strip())
        if chosen.any():
            break
    return {
        "rows": np.flatnonzero(chosen)[:limit].tolist(),
        "total": int(chosen.sum()),
        "kind": name,
        "mask": bitmask(chosen),
    }


def search_matches(rows: ExploredRows, text: str) -> list[dict[str, object]]:
    """Return what a text may mean, while it is typed: a row, labels with their rows, a text."""
    wanted, matches = text.strip(), list[dict[str, object]]()
    if not wanted:
        return matches
    for row in np.flatnonzero(_of_number(rows, wanted)).tolist():
        matches.append({"kind": "row", "text": wanted, "row": row})
    if rows.code is not None:
        names = [name for name in rows.class_names if wanted.lower() in name.lower()]
        names.sort(key=lambda name: (name.lower() != wanted.lower(), name))
        for name in names[:LABELS_OFFERED]:
            total = int(_of_label(rows, name).sum())
            matches.append({"kind": "label", "text": name, "total": total})
    return [*matches, {"kind": "text", "text": wanted}]


def _of_number(rows: ExploredRows, text: str) -> AnyArray:
    """Return which row has a number."""
    if not text.isdecimal() or len(text) > INT64_DIGITS:
        return np.zeros(len(rows), bool)
    chosen: AnyArray = rows.dataset.row == int(text)
    return chosen


def _of_label(rows: ExploredRows, text: str) -> AnyArray:
    """Return which rows have a label: of this name, or of one that differs in case alone."""
    names = rows.class_names
    alike = [index for index, name in enumerate(names) if name.lower() == text.lower()]
    if rows.code is None or not alike:
        return np.zeros(len(rows), bool)
    chosen: AnyArray = rows.code == (names.index(text) if text in names else alike[0])
    return chosen


def _holding(rows: ExploredRows, text: str) -> AnyArray:
    """Return which rows hold a text in a cell that is not a number."""
    dataset, holding, text = rows.dataset, np.zeros(len(rows), bool), text.lower()
    if not text:
        return holding
    for name, kind in dataset.kinds.items():
        if kind in ("number", "boolean"):
            continue
        cells = np.asarray(dataset.column(name)).tolist()
        holding |= np.array([not is_missing(cell) and text in str(cell).lower() for cell in cells])
    return holding


def bitmask(mask: AnyArray) -> str:
    """Return booleans as base64: bit i of byte i // 8, the least significant first."""
    return base64.b64encode(np.packbits(mask, bitorder="little").tobytes()).decode("ascii")
