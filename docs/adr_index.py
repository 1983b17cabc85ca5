"""Write docs/adr/index.md, the table of all decision records: `make figures`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "adr"
PAGE = FOLDER / "index.md"
TITLE = re.compile(r"# (\d+)\. (.+)\n\nStatus: (.+)\n")
HEAD = """# Decisions

Why things are as they are: what was asked, what was decided, what was measured and what did not
help. A decision that no longer holds stays, and names the one that replaces it. `make figures`
writes this page.

| | decision | status |
|---|---|---|
"""
TOCTREE = """
```{toctree}
:hidden:
:glob:

0*
```
"""


class Record(NamedTuple):
    """A decision record: its number, what it decided, whether it still holds."""

    number: int
    title: str
    status: str
    file: str


def read(path: Path) -> Record:
    """Return what the head of a record says."""
    match = TITLE.match(path.read_text("utf-8"))
    assert match is not None, f"{path.name} does not begin with '# N. Title' and 'Status: …'"
    return Record(int(match[1]), match[2], match[3], path.name)


def records() -> list[Record]:
    """Return all records in the order of their files."""
    return [read(path) for path in sorted(FOLDER.glob("[0-9]*.md"))]


def page() -> str:
    """Return the page."""
    rows = (f"| {r.number} | [{r.title}]({r.file}) | {r.status} |\n" for r in records())
    return f"{HEAD}{''.join(rows)}{TOCTREE}"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
