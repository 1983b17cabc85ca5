"""Every key in brackets is among the references, and what has a page leads to what is related."""

from __future__ import annotations

import importlib
import inspect
import re
import runpy
from pathlib import Path

import pytest

pytest.importorskip("docutils", reason="docutils, which comes with Sphinx, is not installed")

ROOT = Path(__file__).parents[1]
RELATED = runpy.run_path(str(ROOT / "docs" / "related.py"))
REFERENCE = ROOT / "docs" / "reference.rst"
KEY = re.compile(r"\b([A-Z]\w*[a-zöéø]\d\d(?:\d\d)?)\b")
IN_BRACKETS = re.compile(r"\[([^\[\]`]{4,90})\](?!\()")


def listed():
    """Return the full names of all objects that have a page of the reference."""
    return re.findall(r"^   (lookalike\.[\w.]+)$", REFERENCE.read_text("utf-8"), re.MULTILINE)


def resolve(name):
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def cited():
    """Return every key that a docstring or a page has in brackets, and a file that has it."""
    pages = [page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts]
    keys = {}
    for path in (*(ROOT / "src").rglob("*.py"), *pages):
        for place in IN_BRACKETS.findall(path.read_text("utf-8")):
            keys |= dict.fromkeys(KEY.findall(place), path.relative_to(ROOT).as_posix())
    return keys


def test_every_key_is_among_the_references():
    known = set(RELATED["known_keys"]())
    keys = cited()
    assert len(keys) > 60
    assert {key: file for key, file in keys.items() if key not in known} == {}


def test_references_are_in_order_and_none_stands_twice():
    keys = RELATED["known_keys"]()
    assert len(set(keys)) == len(keys)
    assert keys == sorted(keys, key=str.lower)


def test_families_name_what_the_reference_has_and_pages_that_exist():
    names = set(listed())
    for family in RELATED["FAMILIES"]:
        assert {f"lookalike.{name}" for name in family.names} <= names
        for page in (family.theory, family.guide):
            assert (ROOT / "docs" / f"{page}.md").is_file(), page


@pytest.mark.parametrize("name", listed())
def test_a_page_of_the_reference_has_parameters_an_example_and_related_objects(name):
    thing = resolve(name)
    text = inspect.getdoc(thing) or ""
    if inspect.isclass(thing) and hasattr(thing, "fit"):
        for section in ("Parameters", "Attributes", "Examples"):
            assert re.search(rf"^{section}\n-", text, re.MULTILINE), section
        assert RELATED["see_also"](name.removeprefix("lookalike."))
    assert len(text.split()) > 5
