"""A flagged row beside its nearest rows: cell by cell, word by word, or as pictures."""

from __future__ import annotations

import re
from itertools import chain

from lookalike.report.page.html import Html, join, tag
from lookalike.settings import SERVICE_PORT
from lookalike.studies.analysis_results import FlaggedRow, Neighbor
from lookalike.studies.format import count

EXPLORER_ADDRESS = f"http://127.0.0.1:{SERVICE_PORT}/row/"  # where `lookalike serve` shows a row
CARD_ID = "{kind}-row-{row}"  # of an article, by which the explorer leads to it
SPLIT_WORDS = re.compile(r"(\w+)")
MIN_SHARED_LETTERS = 3  # of a word that is marked where both texts have it
EMPTY_CELL = "–"


def row_card(one: FlaggedRow, score: str) -> Html:
    """Return a flagged row with its score, beside its nearest rows."""
    link = tag("a", f"row {one.row}", href=f"{EXPLORER_ADDRESS}{one.row}", class_="explore")
    head = join([tag("strong", link), f" · {score}" if score else None])
    if one.suggested_label:
        head = join([head, " · suggested ", tag("span", one.suggested_label, class_="right")])
    shows = _images if one.thumbnail else _texts if one.text is not None else _cells
    name = CARD_ID.format(kind=one.kind, row=one.row)
    return tag("article", tag("p", head, class_="head"), shows(one), class_="flagged", id=name)


def _cells(one: FlaggedRow) -> Html:
    """Return a line for each column: the row's cell, and those of its nearest rows."""
    near = one.neighbors
    names = list(dict.fromkeys(chain(one.values, *(other.values for other in near))))
    lines = []
    if one.label or any(other.label for other in near):
        label_cell = tag("td", one.label, class_="wrong" if one.suggested_label else None)
        cells = [_cell(other.label, one.label) for other in near]
        lines.append(tag("tr", tag("th", "label", scope="row"), label_cell, *cells, class_="label"))
    equal = []
    for name in names:
        value = one.values.get(name, "")
        if near and all(other.values.get(name, "") == value for other in near):
            equal.append(f"{name} {value or EMPTY_CELL}")
            continue
        cells = [_cell(other.values.get(name, ""), value) for other in near]
        lines.append(
            tag("tr", tag("th", name, scope="row"), tag("td", value or EMPTY_CELL), *cells)
        )
    head = [tag("td"), tag("th", "flagged", scope="col")]
    head += [tag("th", f"row {other.row}", scope="col") for other in near]
    caption = f"Row {one.row} and {count(len(near), 'nearest row')}"
    shown = tag(
        "table",
        tag("caption", caption, class_="unseen"),
        tag("thead", tag("tr", *head)),
        tag("tbody", *lines),
        class_="cells",
    )
    note = tag("p", f"Equal in all: {'; '.join(equal)}.", class_="under") if equal else None
    return join([shown if lines else None, note])


def _cell(value: str, reference: str) -> Html:
    return tag("td", value or EMPTY_CELL, class_="same" if value == reference else "differs")


def _texts(one: FlaggedRow) -> Html:
    """Return the text of the row and those of its nearest rows, with shared words marked."""
    words = {word.lower() for word in SPLIT_WORDS.findall(one.text or "")}
    lines = [_text_line("flagged", one.label, join([one.text or "(empty)"]), one.suggested_label)]
    for other in one.neighbors:
        text = _mark(other.text or "", words) if other.text else join(["(empty)"])
        lines.append(_text_line(f"row {other.row}", other.label, text, ""))
    return tag("dl", *lines, class_="texts")


def _text_line(title: str, label: str, text: Html, suggested: str) -> Html:
    shown = tag("span", label, class_="wrong" if suggested else None) if label else None
    head = tag("dt", title, ": " if shown else None, shown)
    return tag("div", head, tag("dd", text))


def _mark(text: str, words: set[str]) -> Html:
    """Return a text in which words of a set are marked."""
    parts = (
        tag("mark", part)
        if index % 2 and len(part) >= MIN_SHARED_LETTERS and part.lower() in words
        else part
        for index, part in enumerate(SPLIT_WORDS.split(text))
    )
    return join(parts)


def _images(one: FlaggedRow) -> Html:
    pictures = [_image(one, "flagged", "wrong" if one.suggested_label else None)]
    pictures += [_image(other, f"row {other.row}", None) for other in one.neighbors]
    return tag("div", *pictures, class_="pictures")


def _image(row: FlaggedRow | Neighbor, title: str, side: str | None) -> Html:
    alt = f"row {row.row}" + (f", label {row.label}" if row.label else "")
    image = tag("img", src=row.thumbnail, alt=alt) if row.thumbnail else None
    return tag("div", image, tag("span", title), tag("span", row.label, class_=side), class_="row")
