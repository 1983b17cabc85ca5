"""Pieces of a page: every text is escaped, so that no name or label can become markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

MAX_PHONE_COLUMNS = 5  # of a table that a phone shows as such; others become lists of cells
NAME_COLUMNS = ("class", "quantile")  # first columns that name rows, also by numbers
VOID_ELEMENTS = {"meta", "img", "br", "link"}


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def tag(kind: str, *inside: object, **attributes: object) -> Html:
    """Return an element; what is inside is escaped unless it is `Html`, None is dropped.

    Attributes whose names are keywords of Python end in ``_``; others have ``-`` for ``_``.

    >>> tag("p", "1 < 2, ", tag("b", "surely"), class_="note")
    '<p class="note">1 &lt; 2, <b>surely</b></p>'
    """
    listed = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    if kind in VOID_ELEMENTS:
        return Html(f"<{kind}{listed}>")
    return Html(f"<{kind}{listed}>{join(inside)}</{kind}>")


def join(pieces: Iterable[object], between: str = "") -> Html:
    """Return the pieces one after the other, those that are plain text escaped."""
    return Html(
        between.join(
            piece if isinstance(piece, Html) else escape(str(piece))
            for piece in pieces
            if piece is not None
        )
    )


def table(caption: str, head: Sequence[object], rows: Iterable[Sequence[object]]) -> Html:
    """Return a table with its caption; columns of numbers are set to the right.

    On a phone, rows of many columns are shown as lists, each cell with the name of its column.
    """
    lines = [list(row) for row in rows]
    named = [0] if lines and head[0] in NAME_COLUMNS else []
    sides = [
        "number"
        if lines and j not in named and all(_reads_as_number(line[j]) for line in lines)
        else None
        for j in range(len(head))
    ]
    titles = [
        tag("th", cell, scope="col", class_=side) for cell, side in zip(head, sides, strict=True)
    ]
    stacked = len(head) > MAX_PHONE_COLUMNS
    labels = [str(cell) or None if stacked else None for cell in head]
    body = (
        tag(
            "tr",
            *(
                tag("td", _sign(cell), class_=side, data_label=label)
                for cell, side, label in zip(line, sides, labels, strict=True)
            ),
        )
        for line in lines
    )
    return tag(
        "div",
        tag(
            "table",
            tag("caption", caption),
            tag("thead", tag("tr", *titles)) if any(head) else None,
            tag("tbody", *body),
        ),
        class_="wide stacked" if stacked else "wide",
        role="region",
        tabindex="0",
        aria_label=caption,
    )


def _sign(cell: object) -> object:
    """Return a negative number with a minus sign."""
    text = str(cell)
    negative = not isinstance(cell, Html) and text[:1] == "-" and text[1:2].isdigit()
    return f"−{text[1:]}" if negative else cell


def _reads_as_number(cell: object) -> bool:
    """Return whether a cell is empty or a number, with a unit or an interval perhaps."""
    return not isinstance(cell, Html) and str(cell)[:1] in "0123456789−-–.±"
