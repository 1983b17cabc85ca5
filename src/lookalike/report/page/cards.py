"""A row as a small card of a page: its thumbnail, text or columns, and its label."""

from __future__ import annotations

from collections.abc import Mapping

from lookalike.report.page.html import Html, join, tag
from lookalike.studies.analysis_results import FlaggedRow, Neighbor


def card(one: FlaggedRow | Neighbor, values: Mapping[str, str] | None = None) -> Html:
    """Return one row as a small card: its thumbnail, text or columns, and its label.

    `values` are the columns to show, all that it has when None.
    """
    parts: list[object] = []
    if one.thumbnail:
        alt = f"row {one.row}" + (f", label {one.label}" if one.label else "")
        parts.append(tag("img", src=one.thumbnail, alt=alt))
    if one.text is not None:
        parts.append(tag("div", one.text or "(empty)"))
    if one.values and not one.thumbnail:
        cells = one.values if values is None else values
        shown = "; ".join(f"{name} {cell or '–'}" for name, cell in cells.items())
        parts.append(tag("div", shown or "equal in the columns shown"))
    if isinstance(one, FlaggedRow):
        if one.label:
            parts.append(tag("span", one.label, class_="wrong" if one.suggested_label else None))
        if one.suggested_label:
            suggested = tag("span", one.suggested_label, class_="right")
            parts.append(join([", suggested ", suggested]))
    else:
        parts.append(tag("span", f"row {one.row}"))
        if one.label:
            parts.append(tag("span", f": {one.label}"))
    return tag("div", *parts, class_="row" if one.thumbnail else "row text")
