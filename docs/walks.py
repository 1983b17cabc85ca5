"""Count the hops of the walks in architecture.md: `python docs/walks.py`.

A hop is a call of a Python function of this package, on any thread of this process.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import numpy as np
from sklearn.datasets import load_iris

import lookalike
from lookalike.studies.to_json import to_jsonable
from lookalike.web.explorer import explore_study

ROOT = str(Path(lookalike.__file__).parent) + "/"


def files_of_calls(work: Callable[[], object]) -> list[str]:
    """Return the file of every call that `work` makes, in order."""
    files: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(ROOT):
            files.append(frame.f_code.co_filename.removeprefix(ROOT))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return files


def show(title: str, files: list[str], depth: int = 2) -> None:
    """Print the hops of a walk, by folder in the order of its stations."""
    print(f"{title}: {len(files):,} calls in {len(set(files))} files")
    places = ["/".join(name.split("/")[:-1][:depth]) or "(shared files)" for name in files]
    for place, calls in Counter(places).items():
        n_files = len({name for name, of in zip(files, places, strict=True) if of == place})
        print(f"  {place:24} {calls:6,} calls {n_files:4} files")


def main() -> None:
    """Take the walks, each once before it is counted."""
    X, y = load_iris(return_X_y=True)
    searcher, query = lookalike.NearestNeighbors(n_neighbors=3).fit(X), X[:1]
    searcher.kneighbors(query)
    show("kneighbors of one query", files_of_calls(lambda: searcher.kneighbors(query)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        np.savetxt(path, X, delimiter=",", header="a,b,c,d", comments="")
        lookalike.PCA(2).fit(path)
        show("PCA of a path", files_of_calls(lambda: lookalike.PCA(2).fit(path)))

    def study() -> lookalike.studies.results.Study:
        return lookalike.study(X, y, effort="quick", models=["baseline", "knn"])

    exploration = explore_study(study())
    show("study", files_of_calls(study))

    def click(row: int) -> object:
        return to_jsonable(exploration.state.evidence.of_row(row, 5))

    click(7)
    show("click on row 9, from the route on", files_of_calls(lambda: click(9)))


if __name__ == "__main__":
    main()
