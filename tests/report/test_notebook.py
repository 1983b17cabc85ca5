"""A notebook shows a study as its report begins, on any ground, and names nothing twice."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from example_study import NASTY, example_study

CELLS = """
import lookalike
study = lookalike.study("iris", models=["knn"], effort="quick", time="20s")
study
"""
EXPLORE = """
frame = study.explore()
frame
"""
ANSWER = """
import re, urllib.request
address = re.search('src="([^"]+)"', frame._repr_html_())[1]
print(urllib.request.urlopen(address).read().decode())
frame.close()
"""


@pytest.fixture(scope="module")
def shown():
    return example_study()._repr_html_()


def test_the_verdict_comes_first_and_findings_and_models_on_demand(shown):
    assert shown.index("10.0% wrong (95% CI 3.0–30.0%)") < shown.index("<svg")
    assert "<summary>All findings</summary>" in shown
    assert "1 label is probably wrong." in shown
    assert "<summary>K nearest neighbors</summary>" in shown


def test_names_and_labels_never_become_markup_and_nothing_runs(shown):
    assert NASTY not in shown
    assert "<script" not in shown
    assert shown.count("<style>") == 1


def test_every_link_has_its_place_in_the_output_and_every_name_is_its_own(shown):
    names = re.findall(r'\bid="([^"]*)"', shown)
    assert len(names) == len(set(names))
    prefix = re.match(r'<div class="(lookalike-\w+)">', shown)[1]
    assert all(name.startswith(f"{prefix}-") for name in names)
    assert set(re.findall(r'href="#([^"]*)"', shown)) <= set(names)
    assert f'href="#{prefix}-leakage"' in shown
    other = replace(example_study(), title="another")._repr_html_()
    assert not set(names) & set(re.findall(r'\bid="([^"]*)"', other))


def test_text_has_the_color_of_the_notebook(shown):
    style = shown[shown.index("<style>") : shown.index("</style>")]
    assert "prefers-color-scheme" not in style
    assert ":root" not in style
    assert style.count("{") == style.count("}")


def test_an_exploratory_study_is_shown_without_errors():
    bare = replace(example_study(), candidates=(), held_out=None, task="exploratory")
    shown = bare._repr_html_()
    assert "--target COLUMN" in shown


def test_a_real_notebook_shows_the_study_and_its_explorer():
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    from nbformat.v4 import new_code_cell, new_notebook

    notebook = new_notebook(cells=[new_code_cell(cell) for cell in (CELLS, EXPLORE, ANSWER)])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    assert "% wrong (95% CI" in _result(notebook.cells[0])
    assert '<iframe src="http://127.0.0.1:' in _result(notebook.cells[1])
    assert "<title>lookalike</title>" in notebook.cells[2].outputs[0].text


def _result(cell):
    """Return the markup that a notebook shows for the last line of a cell."""
    (output,) = [one for one in cell.outputs if one.output_type == "execute_result"]
    return output.data["text/html"]
