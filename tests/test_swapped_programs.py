"""The five programs for users of scikit-learn: the same figures with both imports."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils.discovery import all_estimators

PAGE = Path(__file__).parents[1] / "docs" / "swapped_programs.md"
PROGRAMS = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]
OUR_IMPORT = re.compile(r"^from lookalike(?:\.neighbors)? import (.+)\n", re.MULTILINE)


def their_import(found):
    """Return the lines that import these names from scikit-learn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = {name: kind.__module__.rsplit("._", 1)[0] for name, kind in all_estimators()}
    return "".join(f"from {module[name]} import {name}\n" for name in found[1].split(", "))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.splitlines()[0])
def test_the_figures_are_the_same_with_both_imports(program):
    ours = re.search(r"```python\n(.*?)```", program, re.DOTALL)[1]
    theirs, changed = OUR_IMPORT.subn(their_import, ours)
    assert changed == 1
    assert "lookalike" not in theirs
    figures = []
    for block in (ours, theirs):
        names = {}
        exec(compile(block, PAGE.name, "exec"), names)
        figures.append(names["figures"])
    assert figures[0].keys() == figures[1].keys()
    for name, value in figures[0].items():
        np.testing.assert_allclose(value, figures[1][name], rtol=1e-7, atol=1e-9, err_msg=name)


def test_there_are_five_programs():
    assert len(PROGRAMS) == 5
