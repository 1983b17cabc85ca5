"""The pages of cases and of sources name tests; every test that they name exists."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "cases.md"
SOURCES = PAGE.with_name("sources.md")
NOT_LISTED = {10, 20, 21, 34, 35, 40, 47, 52, 59, 63, 78, 83, 97, 103, 104, 106, 114}


def listed_tests():
    """Return (case, file, tests) of every file named in a row of the tables."""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if row := re.match(r"\| (\d+) \|.*\| ([^|]+) \|$", line):
            for part in row[2].split("; "):
                file, *tests = re.findall(r"`([^`]+)`", part)
                yield int(row[1]), file, tests


def test_every_test_that_the_page_names_exists():
    for case, file, tests in listed_tests():
        text = (TESTS / file).read_text(encoding="utf-8")
        assert tests, f"case {case} names no test of {file}"
        for name in tests:
            assert re.search(rf"^\s*def {name}\(", text, re.MULTILINE), f"{case}: {file}: {name}"


def test_every_case_is_on_the_page():
    listed = set(range(1, 191)) - NOT_LISTED
    assert {case for case, _, _ in listed_tests()} >= listed


def test_every_test_that_the_page_of_sources_names_exists():
    text = SOURCES.read_text(encoding="utf-8").split("## Where scikit-learn's own tests")[0]
    files = list(TESTS.rglob("test_*.py"))
    names = {name for file in files for name in re.findall(r"def (test_\w+)\(", file.read_text())}
    named = set(re.findall(r"\b(test_\w+)\b(?!\.py)", text))
    assert len(named) > 30
    assert not named - names - {file.stem for file in files}
