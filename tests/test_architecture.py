"""The tree is the path of the data: imports point one way."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import lookalike

ROOT = Path(lookalike.__file__).parent
BASE = {
    "errors",
    "lazy",
    "typing",
    "validation",
    "settings",
    "threads",
    "decisions",
    "progress",
    "_core",
}
MAY_IMPORT = {
    "data": set(),
    "kernels": set(),
    "reductions": {"data", "kernels"},
    "engines": {"data", "reductions"},
    "index": {"data", "kernels", "reductions", "engines"},
    "models": {"data", "kernels", "reductions", "engines", "index"},
    "explain": {"data", "kernels", "reductions", "engines", "index", "models"},
    "store": {"data", "index", "models"},
    "studies": {"data", "kernels", "engines", "index", "models", "explain", "store"},
    "report": {"data", "models", "explain", "store", "studies"},
    "cli": {"data", "index", "models", "explain", "studies", "store", "report", "web"},
    "web": {"data", "index", "models", "explain", "studies", "store", "report"},
}
OWNERS = {
    "dask": {"data/dask.py", "engines/dask.py"},
    "distributed": {"engines/dask.py"},
    "pandas": set(),
    "polars": set(),
    "torch": {"models/decomposition/mlp_torch.py"},
}


def modules():
    return sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))


def imported(path):
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "lookalike":
                yield from (f"lookalike.{alias.name}" for alias in node.names)
            yield node.module


def native_files(pattern):
    """Return the files of the native core, without its bindings and tests."""
    csrc = ROOT.parents[1] / "csrc"
    found = [path for path in csrc.rglob(pattern) if path.parent.name not in ("bind", "tests")]
    assert len(found) > 20
    return sorted(found)


@pytest.mark.parametrize("path", [path for path in modules() if "/" in path])
def test_each_folder_imports_only_from_the_folders_before_it(path):
    floor = path.split("/")[0]
    allowed = MAY_IMPORT[floor] | BASE | {floor}
    for name in imported(path):
        if name.startswith("lookalike.") and not (floor == "cli" and name[10:11].isupper()):
            assert name.split(".")[1] in allowed, f"{path} imports {name}"


@pytest.mark.parametrize("path", modules())
def test_optional_libraries_are_imported_only_by_the_files_that_own_them(path):
    for name in imported(path):
        owners = OWNERS.get(name.split(".")[0])
        assert owners is None or path in owners, f"{path} imports {name}"


def test_the_native_code_knows_no_python():
    for path in native_files("*.[ch]pp"):
        text = path.read_text(encoding="utf-8")
        assert "nanobind" not in text, path
        assert "Python.h" not in text, path


def test_there_is_no_folder_or_file_called_utils():
    assert not [path for path in modules() if "util" in path]


def test_no_two_headers_define_a_class_of_one_name():
    found = {}
    for path in native_files("*.hpp"):
        if path.parent.name == "simd":  # a namespace for every vector level
            continue
        for name in re.findall(
            r"^(?:struct|class) (\w+)(?: :[^;{]*)? \{", path.read_text(), re.MULTILINE
        ):
            assert name not in found, f"{name} in {found[name]} and {path.name}"
            found[name] = path.name
