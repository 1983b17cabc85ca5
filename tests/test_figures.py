"""What README and the pages say was measured stands in a file that a command wrote."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MADE = {"_build", "api", "gallery_page", "notebook_pages", "plots"}
MEASURED = re.compile(  # a number with a unit that only measuring gives, or a setting has
    r"(?<![\w.])(\d[\d,.]*)\s?(?:seconds?|s|ms|minutes?|MB|GB|MiB|×|x|times)(?![\w(])(?! ?\d)"
)
COMMAND = re.compile(r"benchmarks[./]|gallery/|make (?:bench|walk|figures)")
SETTINGS = {  # sections whose seconds and bytes are limits, rules or letters of a formula
    "docs/architecture.md: ## Work is stopped from outside",
    "docs/clusters.md: ## Why it is exact, and quick",
    "docs/data.md: # Reading data",
    "docs/model_files.md: ## What is promised",
    "docs/model_files.md: ## The format, version 1.0",
    "docs/serve.md: ## Batching",
    "docs/serve.md: ## Safety",
    "docs/study.md: ## How long it takes",
    "docs/study.md: ## Columns and target",
}
ELSEWHERE = ("adr", "theory")  # history, and formulas
PAGES = [
    path
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if not MADE & set(path.parts)
    and path.parent.name not in ELSEWHERE
    and path.stem not in {"cases", "benchmarks"}  # tested claims; written from the files
]


def sections(path):
    """Return title and text of every section, without code and without tables made by programs."""
    text = re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
    text = re.sub(r"<!-- figures.*?<!-- end of figures -->", "", text, flags=re.DOTALL)
    for part in re.split(r"^(?=#)", text, flags=re.MULTILINE):
        title = part.strip().splitlines()[0] if part.strip() else ""
        yield f"{path.relative_to(ROOT).as_posix()}: {title}", part


def without_code(text):
    """Return the text without what stands in backticks, unless it names where figures come from."""
    return re.sub(r"`[^`\n]*`", lambda m: m[0] if COMMAND.search(m[0]) else "", text)


def kept_numbers():
    """Return every number of every file of results, without separators of thousands."""
    texts = [path.read_text("utf-8") for path in (ROOT / "benchmarks" / "results").glob("*.txt")]
    return set(re.findall(r"\d[\d.]*\d|\d", "\n".join(texts).replace(",", "")))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_was_measured_names_its_command_and_stands_in_a_file_of_results(path):
    kept, lost = kept_numbers(), []
    if path.stem == "first_walk":  # by `make walk`, which prints it
        return
    for name, text in sections(path):
        body = without_code(text)
        numbers = [match[1].replace(",", "").rstrip(".") for match in MEASURED.finditer(body)]
        if not numbers or name in SETTINGS:
            continue
        if not COMMAND.search(body):
            lost.append(f"{name} names no command")
        lost += [f"{name}: {number}" for number in numbers if number not in kept]
    assert lost == []


def test_settings_are_sections_that_there_are():
    names = {name for path in PAGES for name, _ in sections(path)}
    assert names >= SETTINGS
