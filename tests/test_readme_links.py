"""Links of README work where it is read: in the tree, and on a package index."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCRIPT = runpy.run_path(str(ROOT / "docs" / "readme_links.py"))
README = (ROOT / "README.md").read_text("utf-8")


def test_links_into_the_tree_become_absolute_and_others_stay():
    text = "![map](docs/map.png) [guide](docs/index.md) [top](#top) [us](https://example.org)"
    assert SCRIPT["absolute"](text, "https://example.org/us") == (
        "![map](https://example.org/us/raw/main/docs/map.png) "
        "[guide](https://example.org/us/blob/main/docs/index.md) "
        "[top](#top) [us](https://example.org)"
    )


def test_every_link_is_absolute_where_the_repository_has_an_address():
    address = SCRIPT["source"]()
    if address is not None:
        assert SCRIPT["absolute"](README, address) == README, "run `make figures`"
        for place in re.findall(rf"{re.escape(address)}/(?:raw|blob)/main/([^)\s#]+)", README):
            assert (ROOT / place).exists() or "gallery_page" in place, place


def test_the_readme_is_short_and_says_what_a_newcomer_needs():
    assert len(README.splitlines()) <= 120
    for title in ("Install", "The first minute", "What it does that others do not", "How quick"):
        assert f"\n## {title}\n" in README
    assert README.count("![") == 2  # report and explorer


def test_every_row_of_what_others_do_not_do_leads_to_a_test():
    table = re.search(r"\| \| held by \|\n\|---\|---\|\n((?:\|.*\n)+)", README)
    rows = table[1].splitlines()
    assert len(rows) == 8
    for row in rows:
        test = re.search(r"\[test\]\(\S*?(tests/[\w/]+\.py)\) \|$", row)
        assert test is not None, row
        assert (ROOT / test[1]).is_file()
