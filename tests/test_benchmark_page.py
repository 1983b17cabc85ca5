"""The figures of README and of the page of benchmarks are those of the files of results."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = runpy.run_path(str(ROOT / "docs" / "benchmark_page.py"))


def test_both_pages_are_as_the_program_writes_them():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert SCRIPT["PAGE"].read_text("utf-8") == SCRIPT["page"](), "run `make figures`"
    assert readme == SCRIPT["readme_with_figures"](readme), "run `make figures`"


def test_the_readme_has_eight_rows_and_every_figure_stands_in_a_file_of_results():
    assert len(SCRIPT["ANCHORS"]) == 8
    rows = SCRIPT["table_of_readme"]().splitlines()[2:]
    assert all(re.search(r"\d+(\.\d+)?×", row) for row in rows)


def test_the_quickest_peer_is_taken(tmp_path):
    file = tmp_path / "some.txt"
    file.write_text(
        "rows 100 x 3: x86_64, 2 threads\n\nwork\n"
        "                        median     least      most   ratio       CPU\n"
        "  lookalike             0.500s    0.400s    0.600s   8.00x    0.900s\n"
        "  quick peer            1.000s    0.900s    1.100s   4.00x    1.000s\n"
        "  slow peer             4.000s    3.900s    4.100s   1.00x    4.000s\n"
    )
    (table,) = SCRIPT["timed_tables"](file)
    assert (table.work, table.peer, table.ratio) == ("rows 100 x 3, work", "quick peer", 2.0)


@pytest.mark.parametrize("file", sorted(SCRIPT["RESULTS"].glob("*.txt")), ids=lambda f: f.stem)
def test_every_file_of_results_has_a_program_that_says_what_it_measures(file):
    program = ROOT / "benchmarks" / f"{SCRIPT['program_of'](file.stem)}.py"
    assert ast.get_docstring(ast.parse(program.read_text("utf-8")))


def text_blocks():
    for page in sorted((ROOT / "docs").glob("*.md")):
        for block in re.findall(r"```text\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            if re.search(r"^python -m benchmarks\.|tables of at most", block):
                yield pytest.param(block, id=f"{page.stem}: {block.splitlines()[0][:50]}")


@pytest.mark.parametrize("block", [*text_blocks()])
def test_a_table_that_a_page_quotes_stands_in_a_file_of_results(block):
    lines = [line for line in block.splitlines() if len(re.findall(r"\d+", line)) > 5]
    assert lines
    kept = [file.read_text("utf-8") for file in SCRIPT["RESULTS"].glob("*.txt")]
    assert any(all(line in text for line in lines) for text in kept)
