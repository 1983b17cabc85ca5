"""Draw which folder imports which, from the code: `make figures` writes it into architecture.md."""

from __future__ import annotations

import ast
from pathlib import Path

PAGE = Path(__file__).with_name("architecture.md")
SOURCE = Path(__file__).parents[1] / "src" / "lookalike"
BEGIN, END = "<!-- diagram of {} -->\n", "<!-- end of {} -->"
PARTS = {"folders": SOURCE, "models": SOURCE / "models"}


def draw(root: Path) -> str:
    """Return a table of the folders under `root`: a row imports the columns that are marked.

    Folders come after all that they import. So one-way imports leave every mark below the
    diagonal.
    """
    graph = imports_between_folders(root)
    order = _sorted(graph)
    labels = [f"{number:2} {name:{max(map(len, order))}}" for number, name in enumerate(order, 1)]
    lines = [" " * len(labels[0]) + "".join(f"{number:4}" for number in range(1, len(order) + 1))]
    for label, row in zip(labels, order, strict=True):
        cells = "".join(f"{_cell(row, column, graph):>4}" for column in order)
        lines.append(f"{label}{cells}".rstrip())
    return "\n".join(lines)


def imports_between_folders(root: Path) -> dict[str, set[str]]:
    """Return the folders under `root` that every folder there imports."""
    prefix = ".".join(("lookalike", *root.relative_to(SOURCE).parts))
    folders = sorted(path.parent.name for path in root.glob("*/__init__.py"))
    return {
        folder: {
            name
            for path in (root / folder).rglob("*.py")
            for name in _imported(path, prefix)
            if name in folders and name != folder
        }
        for folder in folders
    }


def updated(page: str) -> str:
    """Return the text of the page with its diagrams drawn again."""
    for name, root in PARTS.items():
        begin, end = BEGIN.format(name), END.format(name)
        before, rest = page.split(begin)
        _, after = rest.split(end)
        page = f"{before}{begin}```text\n{draw(root)}\n```\n{end}{after}"
    return page


def _imported(path: Path, prefix: str) -> set[str]:
    """Return the names that follow `prefix` in the imports of a file."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    parts = prefix.count(".") + 1
    return {name.split(".")[parts] for name in names if name.startswith(f"{prefix}.")}


def _sorted(graph: dict[str, set[str]]) -> list[str]:
    """Return the folders, each after those that it imports; a cycle goes last."""
    order: list[str] = []
    while ready := [name for name in graph if name not in order and graph[name] <= set(order)]:
        order.extend(ready)
    return order + [name for name in graph if name not in order]


def _cell(row: str, column: str, graph: dict[str, set[str]]) -> str:
    if row == column:
        return "·"
    return "●" if column in graph[row] else ""


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
