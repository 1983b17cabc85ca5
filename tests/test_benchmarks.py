"""Benchmarks and the gallery are run by hand: what they take from the package is there."""

import ast
import importlib
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = [path for folder in ("benchmarks", "gallery") for path in (ROOT / folder).glob("*.py")]


@pytest.mark.parametrize(
    "script", sorted(SCRIPTS), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_a_script_finds_what_it_imports_from_the_package(script):
    absent = []
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "lookalike":
            absent += [f"{node.module}.{one.name}" for one in node.names if not _has(node, one)]
    assert not absent


def _has(node: ast.ImportFrom, name: ast.alias) -> bool:
    try:
        module = importlib.import_module(node.module)
    except ModuleNotFoundError as missing:
        return missing.name == "torch" and find_spec(node.module) is not None
    submodule = hasattr(module, "__path__") and find_spec(f"{node.module}.{name.name}")
    return hasattr(module, name.name) or bool(submodule)
