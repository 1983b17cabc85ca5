"""Parsers of untrusted cells, files and names take a time that grows as the text does."""

from __future__ import annotations

import ast
import contextlib
import re
import time
from importlib import import_module
from itertools import product
from pathlib import Path

import pytest
from growth import require_linear

import lookalike
from lookalike.data.source import open_source
from lookalike.errors import LookalikeError
from lookalike.printable import printable

ROOT = Path(lookalike.__file__).parent
OF_OUR_OWN_PAGES = {"report/page/svg.py", "report/notebook.py"}  # which read what we wrote
METHODS = ("match", "fullmatch", "search", "findall", "finditer", "split", "sub")
CELLS = (
    *("1", "1,", "1.", "1.1", "1.111", "+1", "1e", " 1", "1_", "0x", "inf", "a", "1 ", "-1", "1/"),
    *("\\", '"', "(", "[a", "{1,", "`", "\x1b[", "row ", "a-", "é", "\\w", "--", " ", "\n", "aA"),
    *("types={'", "drop=['", "column '", "pixel_1_", "_id", ", (", "a1.", "date", "<", "sep="),
)
LONG_TEXT = 32_000  # characters
SUSPICIOUS_SECONDS = 0.01


def expressions():
    """Return every regular expression of the package with the methods that it is used by."""
    sources = {path: path.read_text(encoding="utf-8") for path in sorted(ROOT.rglob("*.py"))}
    whole, found = "\n".join(sources.values()), {}
    for path, source in sources.items():
        place = path.relative_to(ROOT).as_posix()
        if place in OF_OUR_OWN_PAGES or "re." not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Assign) and called(node.value) == "compile":
                module = import_module(f"lookalike.{place[:-3].replace('/', '.')}")
                name = node.targets[0].id
                used = re.findall(rf"\b{name}\.({'|'.join(METHODS)})\b", whole)
                found[f"{place} {name}"] = getattr(module, name), sorted(set(used))
            elif called(node) in METHODS and isinstance(node.args[0], ast.Constant):
                pattern = re.compile(node.args[0].value)
                found[f"{place} {pattern.pattern[:40]!r}"] = pattern, [called(node)]
    return found


def called(node):
    """Return which function of the module `re` a node calls; None if it calls none."""
    function = node.func if isinstance(node, ast.Call) else None
    of_module = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)
    return function.attr if of_module and function.value.id == "re" else None


EXPRESSIONS = expressions()


def use(expression, method, text):
    """Apply an expression to all of a text."""
    if method == "finditer":
        return list(expression.finditer(text))
    given = ("", text) if method == "sub" and isinstance(text, str) else (text,)
    return getattr(expression, method)(*given)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions_on_texts_of_others_do_not_backtrack_without_end(name):
    expression, methods = EXPRESSIONS[name]
    assert methods, "it is used nowhere"
    for part, end, method in product(CELLS, ("", "x", "\n"), methods):
        text = part * (LONG_TEXT // len(part)) + end
        given = text if isinstance(expression.pattern, str) else text.encode()
        begun = time.process_time()
        use(expression, method, given)
        if time.process_time() - begun > SUSPICIOUS_SECONDS:
            require_linear(
                lambda text, method=method: use(expression, method, text),
                lambda n, given=given: given[-n:],
                LONG_TEXT // 8,
            )


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
