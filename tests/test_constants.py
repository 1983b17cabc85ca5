"""A constant is named by what it is, in two words at least, and one name has one value."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "lookalike"
CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")
VARIABLES_OF_TYPES = ("TypeVar", "ParamSpec")


def assigned(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """Give the constants that a statement of a module defines, with their values as written."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        targets, value = [node.target], node.value
    elif isinstance(node, ast.Assign):
        targets, value = node.targets, node.value
    else:
        return
    for target in targets:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=True))
        else:
            pairs = [(target, value)]
        for name, part in pairs:
            if isinstance(name, ast.Name) and CONSTANT.fullmatch(name.id):
                yield name.id, ast.unparse(part)


@cache
def constants() -> list[tuple[str, str, str]]:
    """Return the file, name and value of every constant of a module."""
    return [
        (path.relative_to(SOURCE).as_posix(), name, value)
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        for name, value in assigned(node)
        if not value.startswith(VARIABLES_OF_TYPES)
    ]


def test_names_of_constants_have_two_words_at_least():
    short = [f"{file}: {name}" for file, name, _ in constants() if "_" not in name.strip("_")]
    assert not short


def test_one_name_has_one_value_in_the_whole_tree():
    values = defaultdict(set)
    for _, name, value in constants():
        values[name].add(value)
    assert not {name: several for name, several in values.items() if len(several) > 1}
