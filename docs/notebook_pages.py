"""Notebooks: `make notebooks` runs them and keeps their outputs, `make docs` shows them as pages.

A page is Markdown with the cells, what they printed and their pictures, in docs/notebook_pages/.
Nothing of Jupyter is needed for pages; running takes `pip install nbclient ipykernel`.
"""

from __future__ import annotations

import base64
import json
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NOTEBOOKS = HERE / "notebooks"
PAGES = HERE / "notebook_pages"
FIRST_CELL = """%matplotlib inline
import matplotlib
matplotlib.rcParams["figure.dpi"] = 60"""
SECONDS_A_CELL = 120


def notebooks() -> list[Path]:
    """Return the notebooks, as a newcomer reads them."""
    order = ("tables", "images", "texts", "larger_than_memory")
    return [NOTEBOOKS / f"{name}.ipynb" for name in order]


def read(path: Path) -> Any:
    """Return a notebook as plain data."""
    return json.loads(path.read_text("utf-8"))


def code_cells(path: Path) -> list[Any]:
    """Return the cells that run."""
    return [cell for cell in read(path)["cells"] if cell["cell_type"] == "code"]


def title(path: Path) -> str:
    """Return the title of a notebook."""
    return read(path)["cells"][0]["source"][0].removeprefix("# ").strip()


def write_page(path: Path) -> None:
    """Write a notebook as a page with its pictures beside it."""
    PAGES.mkdir(exist_ok=True)
    parts, pictures = [], 0
    for cell in read(path)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                pictures += 1
                picture = PAGES / f"{path.stem}_{pictures}.png"
                picture.write_bytes(base64.b64decode(data["image/png"]))
                parts.append(f"![What the cell above draws]({picture.name})")
            elif text := "".join(output.get("text", data.get("text/plain", ""))):
                parts.append(f"```text\n{text.rstrip()}\n```")
    parts.append(f"The notebook itself: {{download}}`{path.name} <../notebooks/{path.name}>`.")
    (PAGES / f"{path.stem}.md").write_text("\n\n".join(parts) + "\n", "utf-8")


def write_pages() -> None:
    """Write all notebooks as pages."""
    for path in notebooks():
        write_page(path)


def run(path: Path) -> None:
    """Run a notebook in an empty folder and keep what its cells gave."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, 4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(FIRST_CELL))
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=SECONDS_A_CELL, resources=resources).execute()
    notebook.cells.pop(0)
    cells = (cell for cell in notebook.cells if cell.cell_type == "code")
    for number, cell in enumerate(cells, 1):  # no times, so that a run changes what it must
        cell.metadata.pop("execution", None)
        cell.execution_count = number
        for output in cell.outputs:
            if "execution_count" in output:
                output["execution_count"] = number
    notebook.metadata = read(path)["metadata"]
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for notebook in notebooks():
        run(notebook)
        print(notebook.name, flush=True)
