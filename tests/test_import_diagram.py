"""The import diagram of the page on architecture is that of the code."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "docs" / "import_diagram.py"


def _script():
    spec = importlib.util.spec_from_file_location("import_diagram", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_diagram_on_the_page_is_up_to_date():
    script = _script()
    page = script.PAGE.read_text(encoding="utf-8")
    assert page == script.updated(page), "run `make figures`"


def test_every_file_that_the_page_names_exists():
    script = _script()
    root = SCRIPT.parents[1]
    named = re.findall(r"`([\w/]+/[\w/]+\.\w+)`", script.PAGE.read_text(encoding="utf-8"))
    assert len(named) > 10
    for name in named:
        assert (root / name).exists() or (script.SOURCE / name).exists(), name
