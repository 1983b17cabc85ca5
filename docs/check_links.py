"""Check every link of the built pages: files, anchors and pictures exist. Run by `make docs`.

Usage: python docs/check_links.py docs/_build
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The anchors of a page, and where its links lead."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the names of a tag, and its links."""
        for name, value in attrs:
            if name in {"id", "name"} and value:
                self.anchors.add(value)
            elif name in {"href", "src"} and value and tag != "link":
                self.links.append(value)


def broken(folder: Path) -> tuple[int, list[str]]:
    """Return how many links of the pages of a folder stay inside, and those that lead nowhere."""
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    lost, count = [], 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            there = target.is_file()
            anchor = unquote(parts.fragment)
            if there and anchor and target in pages:
                there = anchor in pages[target].anchors
            if not there:
                lost.append(f"{path.relative_to(folder)}: {link}")
    return count, lost


def main() -> None:
    """Print what leads nowhere, and end with an error if there is any."""
    folder = Path(sys.argv[1]).resolve()
    count, lost = broken(folder)
    print("\n".join(lost), end="\n" if lost else "")
    print(f"{count} links checked, {len(lost)} lead nowhere")
    sys.exit(bool(lost))


if __name__ == "__main__":
    main()
