"""Draw functions of the package for the stranger's test: `python docs/drawn_functions.py`.

A reader sees names and places alone, says what each function may touch, and only then reads it.
"""

from __future__ import annotations

import ast
import random
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "lookalike"
DRAWN_FUNCTIONS = 12


def functions() -> Iterator[str]:
    """Give the place and name of every function and method, those of Python's protocols aside."""
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
                yield f"{path.relative_to(SOURCE)}: {node.name}"


if __name__ == "__main__":
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    print(*random.Random(seed).sample(list(functions()), DRAWN_FUNCTIONS), sep="\n")
