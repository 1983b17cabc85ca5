"""Every plot has an example in docs/plot_examples.py, which `make docs` draws and shows."""

from __future__ import annotations

import ast
from pathlib import Path

from lookalike.report import plots

EXAMPLES = Path(__file__).parents[1] / "docs" / "plot_examples.py"


def test_every_plot_has_an_example_that_calls_it():
    calls = {}
    for node in ast.parse(EXAMPLES.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            calls[node.name] = ast.unparse(node)
    missing = [name for name in plots.__all__ if f"plots.{name}(" not in calls.get(name[5:], "")]
    assert missing == []
