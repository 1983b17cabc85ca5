"""Parsers of untrusted cells, files and names take a time that grows as the text does."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import re
import time
from pathlib import Path

import pytest
from growth import require_linear

import lookalike
import lookalike.printable as printable_module
from lookalike.data.source import open_source
from lookalike.errors import LookalikeError
from lookalike.printable import printable

ROOT = Path(lookalike.__file__).parent
PACKAGES = ("data", "store", "web", "cli")


def expressions():
    """Return the compiled expressions of the modules that read what others wrote, by name."""
    names = [
        module.name
        for package in PACKAGES
        for module in pkgutil.walk_packages([f"{ROOT}/{package}"], f"lookalike.{package}.")
    ]
    found = {}
    for module in [*map(importlib.import_module, names), printable_module]:
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                found[f"{module.__name__}.{name}"] = value
    return found


EXPRESSIONS = expressions()
CELLS = (
    *("1", "1,", "1.", "1.1", "1.111", "+1", "1e", " 1", "1_", "0x", "inf", "a", "1 ", "-1", "1/"),
    *("\\", '"', "(", "[a", "{1,", "`", "\x1b[", "row ", "a-", "é", "\\w", "--"),
)
LONG_TEXT = 32_000  # characters
SUSPICIOUS_SECONDS = 0.01


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions_on_cells_do_not_backtrack_without_end(name):
    expression = EXPRESSIONS[name]
    for part in CELLS:
        for end in ("", "x", "\n", "e", ","):
            text = part * (LONG_TEXT // len(part)) + end
            given = text if isinstance(expression.pattern, str) else text.encode()
            begun = time.process_time()
            expression.fullmatch(given)
            if time.process_time() - begun > SUSPICIOUS_SECONDS:
                require_linear(expression.fullmatch, lambda n, given=given: given[-n:], 8000)


@pytest.mark.parametrize(
    "make_text",
    [
        lambda n: "a,b\n" + "1" * n + ",2\n",
        lambda n: "a,b\n" + "1,2\n" * n,
        lambda n: "a,b\n" + '"' * n,
        lambda n: "a,b\n" + '"x' * n + "\n",
        lambda n: "a" + ",b" * (n // 10) + "\n" + "1" + ",2" * (n // 10) + "\n",
        lambda n: "a,b\n" + "1.1" * n + ",2\n",
        lambda n: ";" * n + "\n",
        lambda n: "\n" * n,
        lambda n: "a;b|c\t" * n,
    ],
)
def test_the_time_of_a_csv_file_grows_as_its_size(make_text, tmp_path):
    def read(text):
        path = tmp_path / "table.csv"
        path.write_text(text, encoding="utf-8")
        with contextlib.suppress(LookalikeError):
            for _ in open_source(path).chunks():
                pass

    require_linear(read, make_text, 4000)


def test_the_time_to_print_a_text_grows_as_its_length():
    for part in ("\x1b[31m", "\u202e", "\0", "a", "\x1b["):
        require_linear(printable, lambda n, part=part: part * n, 4000)
