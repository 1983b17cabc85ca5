"""Tables of the docs, made from the figures that the examples measured.

A page has the lines ``<!-- figures: NAME -->`` and ``<!-- end of figures -->``; what is between
them is written again from gallery/measured.json. `make gallery` does so, and a test compares.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
BLOCK = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end of figures -->)", re.DOTALL)
HEAD = ("source", "figure", "in the source", "measured", "example")
KINDS = {
    "printed": "Figures that are printed:",
    "equation": "Equations, both sides computed:",
    "claim": "Claims in words, with a bound in the example:",
}
ALL = "all"  # the name of the table of all figures that a source prints or claims


def refresh_docs() -> None:
    """Write the tables of all pages again."""
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text("utf-8")
        new = refreshed(text)
        if new != text:
            page.write_text(new, "utf-8")


def refreshed(text: str) -> str:
    """Return the text of a page with its tables as they were last measured."""
    measured = json.loads((HERE / "measured.json").read_text("utf-8"))

    def block(match: re.Match[str]) -> str:
        name = match[2]
        table = everything(measured) if name == ALL else one(measured[name])
        return f"{match[1]}\n{table}\n\n{match[3]}"

    return BLOCK.sub(block, text)


def one(rows: list[dict]) -> str:
    """Return the figures of one example."""
    if any(row["printed"] for row in rows):
        return markdown(
            ("figure", "printed", "measured"),
            [(row["name"], row["printed"] or "—", row["measured"]) for row in rows],
        )
    return markdown(("figure", "measured"), [(row["name"], row["measured"]) for row in rows])


def everything(measured: dict[str, list[dict]]) -> str:
    """Return the figures of all examples that a source prints or claims."""
    parts = []
    for kind, title in KINDS.items():
        lines = [
            (row["source"], row["name"], row["printed"], row["measured"], f"`{name}`")
            for name, rows in measured.items()
            for row in rows
            if row["kind"] == kind
        ]
        parts.append(f"{title}\n\n{markdown(HEAD, lines)}")
    return "\n\n".join(parts)


def markdown(head: tuple[str, ...], lines: list[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    rows = [head, ("---",) * len(head), *lines]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows)
