"""Our exact neighbors inside of other libraries: results equal theirs, as the page shows."""

from __future__ import annotations

import importlib.util
import re
import warnings
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "graphs.md"
PACKAGES = {"umap-learn": "umap", "imbalanced-learn": "imblearn"}  # imported by another name
START, *SECTIONS = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)


def blocks(text):
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


@pytest.fixture(scope="module")
def rows():
    """What the first block of the page defines."""
    names = {}
    for block in blocks(START):
        exec(compile(block, PAGE.name, "exec"), names)
    return names


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.splitlines()[0])
def test_results_by_our_neighbors_are_those_of_the_library(section, rows):
    package = section.splitlines()[0].split(":")[0]
    name = PACKAGES.get(package, package.replace("scikit-learn", "sklearn"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of packages that are not ours
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{package} is not installed")
        for block in blocks(section):
            exec(compile(block, f"{PAGE.name}, {package}", "exec"), dict(rows))


def test_the_page_has_a_section_for_every_library_that_takes_neighbors():
    titles = [section.splitlines()[0].split(":")[0] for section in SECTIONS]
    libraries = "umap-learn hdbscan openTSNE scanpy cleanlab imbalanced-learn skrub igraph networkx"
    assert sorted(set(titles) - {"scikit-learn"}) == sorted(libraries.split())
    assert titles.count("scikit-learn") == 5
