"""Studies of known data, their held-out answers beside an independent scikit-learn computation.

Run: python gallery/studies.py [--out FOLDER] [heart letter adult faces cranfield]
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
from printed import compare
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import StandardScaler

import lookalike
from lookalike.data import open_source
from lookalike.data.samples import FOLDER, STORED
from lookalike.decisions import Decisions
from lookalike.studies.reading import read
from lookalike.studies.results import Study


def known(name: str) -> Path:
    return Path(os.environ[FOLDER]) / next(iter(STORED[name].values())).file


def faces(folder: Path) -> Path:
    """Write the ORL faces as pictures, a folder for each person."""
    from PIL import Image

    with np.load(Path(os.environ[FOLDER]) / "orl_faces_112x92.npz") as archive:
        images, people = archive["images"], archive["target"]
    for number, (image, person) in enumerate(zip(images, people, strict=True)):
        place = folder / f"person{person:02d}"
        place.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(place / f"{number % 10}.png")
    return folder


TWINS = {  # how scikit-learn computes what each step of ours does
    "KNeighborsClassifier": lambda m: KNeighborsClassifier(
        m.n_neighbors, weights=m.weights, algorithm="brute"
    ),
    "KNeighborsRegressor": lambda m: KNeighborsRegressor(
        m.n_neighbors, weights=m.weights, algorithm="brute"
    ),
    "PCA": lambda m: PCA(m.n_components_, svd_solver="full"),
    "Standardizer": lambda _: StandardScaler(),
    "LinearDiscriminantAnalysis": lambda _: LinearDiscriminantAnalysis("lsqr", shrinkage="auto"),
}


def judged_again(study: Study, material: tuple) -> float | None:
    """Return the share of held-out rows on which scikit-learn's twin of the winner agrees."""
    steps = [step for _, step in study.model.steps[1:]]
    twins = [TWINS.get(type(step).__name__, clone)(step) for step in steps]
    if any(type(twin).__module__.startswith("lookalike") for twin in twins):
        return None
    X, y, held = material
    prepare = study.model.steps[0][1]
    train = np.setdiff1d(np.arange(len(y)), held)
    Z, queries = prepare.transform(X(train)), prepare.transform(X(held))
    for twin in twins[:-1]:
        Z, queries = twin.fit_transform(Z), twin.transform(queries)
    answers = twins[-1].fit(Z, y[train]).predict(queries)
    return float((answers == study.predictions.answer).mean())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path(tempfile.mkdtemp()))
    parser.add_argument("names", nargs="*", default=["heart", "letter", "faces", "cranfield"])
    asked = parser.parse_args()
    for name in asked.names:
        begin = time.time()
        options: dict = {"out": asked.out / name}
        if name == "faces":
            data = faces(asked.out / "pictures")
        elif name == "cranfield":
            data, options["text"] = known(name), "text"
        else:
            data = known(name)
            options["target"] = {"heart": "num", "letter": "letter", "adult": "income"}[name]
            if name == "adult":
                options["split"] = "split"
        found = lookalike.study(data, **options)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"\n{name}: {time.time() - begin:.0f} s, {peak:.0f} MB\n{found}")
        if found.predictions is not None and not found.predictions.fold.any():
            again = judged_again(found, rows_of(found, data, options))
            if again is not None:
                same = f"{again:.2%}"
                compare(name, [("held-out answers equal to scikit-learn's", "100.00%", same)])


def rows_of(found: Study, data: Path, options: dict) -> tuple:
    """Return rows by number, their targets as text, and the held-out row numbers."""
    source = open_source(data, target=options.get("target"))
    reading = read(source, Decisions(), seed=0)
    y = np.array([str(value) for value in reading.y.tolist()])
    return (lambda rows: reading.material.take(rows).source()), y, found.predictions.row


if __name__ == "__main__":
    main()
