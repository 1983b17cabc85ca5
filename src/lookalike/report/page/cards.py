"""A row as a small card of a page: its picture, text or columns, and its label."""

from __future__ import annotations

from lookalike.report.page.html import Html, join, tag
from lookalike.studies.results import Neighbour, Suspect


def card(one: Suspect | Neighbour) -> Html:
    """Return one row as a small card: its picture, text or columns, and its label."""
    told: list[object] = []
    if one.picture:
        alt = f"row {one.row}" + (f", labelled {one.label}" if one.label else "")
        told.append(tag("img", src=one.picture, alt=alt))
    if one.text is not None:
        told.append(tag("div", one.text or "(empty)"))
    if one.values and not one.picture:
        told.append(tag("div", ", ".join(f"{name} {value}" for name, value in one.values.items())))
    if isinstance(one, Suspect):
        if one.label:
            told.append(tag("span", one.label, class_="wrong" if one.suggested else None))
        if one.suggested:
            told.append(join([" rather ", tag("span", one.suggested, class_="right")]))
    else:
        told.append(tag("span", f"row {one.row}"))
        if one.label:
            told.append(tag("span", f": {one.label}"))
    return tag("div", *told, class_="row" if one.picture else "row text")
