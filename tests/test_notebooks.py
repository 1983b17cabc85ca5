"""The four notebooks run from top to bottom, and print what is kept in them."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import runpy
from pathlib import Path

import pytest

SCRIPT = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "notebook_pages.py"))
NOTEBOOKS = SCRIPT["notebooks"]()


def run_cell(source, names):
    """Run a cell; return what it printed, and the value of its last line where it is one."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = None
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return printed.getvalue(), value


def kept(cell):
    """Return what a cell printed when the notebook was run."""
    return "".join("".join(out.get("text", "")) for out in cell["outputs"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_prints_what_the_notebook_shows(path, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    names = {}
    for cell in SCRIPT["code_cells"](path):
        source = "".join(cell["source"])
        printed, value = run_cell(source, names)
        if "print(study)" in source:  # its figures may improve; its sentences are there
            assert printed.startswith("Best model: ")
        else:
            assert printed == kept(cell)
        drawn = any("image/png" in out.get("data", {}) for out in cell["outputs"])
        assert drawn == (type(value).__name__ == "Figure")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_was_run_in_order_without_an_error_and_is_small(path):
    cells = SCRIPT["code_cells"](path)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert not any(out["output_type"] == "error" for cell in cells for out in cell["outputs"])
    assert path.stat().st_size < 200_000
    assert not re.search(r"/(home|tmp|work|root)/", path.read_text("utf-8"))


def test_a_page_of_a_notebook_has_its_cells_outputs_and_pictures(tmp_path, monkeypatch):
    monkeypatch.setitem(SCRIPT["write_page"].__globals__, "PAGES", tmp_path)
    path = NOTEBOOKS[0]
    SCRIPT["write_page"](path)
    page = (tmp_path / f"{path.stem}.md").read_text("utf-8")
    assert page.startswith(f"# {SCRIPT['title'](path)}")
    assert all("".join(cell["source"]) in page for cell in SCRIPT["code_cells"](path))
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", page):
        assert (tmp_path / picture).stat().st_size > 1000


def test_a_kernel_of_jupyter_runs_a_notebook_too(tmp_path):
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    path = tmp_path / "copy.ipynb"
    path.write_text(NOTEBOOKS[2].read_text("utf-8"), "utf-8")
    SCRIPT["run"](path)
    before, after = (SCRIPT["code_cells"](each) for each in (NOTEBOOKS[2], path))
    assert len(before) == len(after)
    assert kept(before[1]) == kept(after[1])
