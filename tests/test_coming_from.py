"""The pages for users of other tools name what there is: every name, method and parameter."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "coming_from.md"
TOOLS = ("FAISS", "cleanlab", "umap-learn", "AutoGluon", "MATLAB")


def sections():
    parts = re.split(r"^## (.+)$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def our_names(section):
    """Return the code of the middle column of a table."""
    rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| ")][1:]
    return [code for row in rows for code in re.findall(r"`([^`]+)`", row[1])]


def resolve(node):
    """Return the object that a dotted name stands for, modules imported on the way."""
    if isinstance(node, ast.Call):
        return check_call(node)
    if isinstance(node, ast.Name):
        return importlib.import_module(node.id)
    parent = resolve(node.value)
    if inspect.ismodule(parent) and not hasattr(parent, node.attr):
        return importlib.import_module(f"{parent.__name__}.{node.attr}")
    return getattr(parent, node.attr)


def check_call(node):
    """Check that an object can be called so, and return what its methods are looked up in."""
    called = resolve(node.func)
    parameters = inspect.signature(called).parameters
    several = inspect.Parameter.VAR_KEYWORD in {one.kind for one in parameters.values()}
    unknown = {one.arg for one in node.keywords} - set(parameters)
    assert several or not unknown, f"{ast.unparse(node)}: {unknown}"
    assert len(node.args) <= len(parameters)
    return called


@pytest.mark.parametrize("tool", TOOLS)
def test_every_name_on_our_side_is_there(tool):
    names = our_names(sections()[tool])
    assert len(names) >= 7
    for name in names:
        assert name.startswith("lookalike."), name
        assert resolve(ast.parse(name, mode="eval").body) is not None


def test_every_tool_has_a_table():
    assert tuple(sections()) == TOOLS
