"""Studies of known data, their held-out predictions computed again with scikit-learn.

The gallery runs the small ones. All of them, in a quarter of an hour, with their reports:
python gallery/studies.py [--out FOLDER] [digits heart letter adult faces cranfield mnist]
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from record import Record
from sklearn.datasets import load_digits
from twins import Answer, answers, distances, latent

import lookalike
from lookalike.data.samples import DATA_FOLDER_VARIABLE
from lookalike.studies.results import Study

SOURCE = "lookalike.study"
SYSTEMS = ()
DATA = ("heart_cleveland.csv",)
SMALL = ("digits", "heart")  # that the gallery runs
ROUNDING = 1e-6  # how near two answers are that rounding may choose between
TIE = 1e-9  # of distances that are the same but for rounding


class Known(NamedTuple):
    """Data as a study takes them, and as they are read without lookalike: rows and targets."""

    data: Any
    options: dict[str, Any]
    rows: Any
    target: np.ndarray | None
    test: Any = None  # rows for testing with their targets, where they are given

    def truth(self, study: Study) -> np.ndarray:
        """Return the targets of the held-out rows."""
        return (self.target if self.test is None else self.test[1])[study.predictions.row]


def figures(record: Record) -> None:
    for name in SMALL:
        known = KNOWN[name](record.folder)
        study = lookalike.study(known.data, **known.options)
        winner, error, _, rows, equal, reason = evaluated_again(study, known)
        record.measured(f"{name}: selected", winner)
        record.measured(f"{name}: held-out error of {rows} predictions", error)
        record.claim(
            f"{name}: held-out predictions that scikit-learn gives too",
            "all",
            f"{equal} {reason}".strip(),
            equal == "100.00%",
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path(tempfile.mkdtemp()))
    parser.add_argument("names", nargs="*", default=list(KNOWN))
    options = parser.parse_args()
    lines = [("data", "winner", "error", "again", "rows", "equal", "")]
    for name in options.names:
        known = KNOWN[name](options.out)
        study = lookalike.study(known.data, **known.options)
        lookalike.write_study(study, options.out / name)
        print(f"\n{name}: {study.seconds:.0f} s\n{study}", flush=True)
        lines.append(
            (name, *(evaluated_again if known.target is not None else searched_again)(study, known))
        )
    widths = [max(len(line[column]) for line in lines) for column in range(7)]
    print()
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))


def evaluated_again(study: Study, known: Known) -> tuple[str, ...]:
    """Return the error and how many held-out predictions are equal to those computed again."""
    first = study.predictions.fold < len(study.fold_models)  # repeats keep no models of folds
    predicted, clear = (part[first] for part in predicted_again(study, known))
    truth = known.truth(study)[first]
    same = predicted == study.predictions.y_pred[first]
    error = float((predicted != truth).mean())
    reason = ""
    if not same.all():
        unsure = int((clear[~same] < ROUNDING).sum())
        widest = float(clear[~same].max())
        reason = f"{unsure} of {(~same).sum()} differ by rounding (margins up to {widest:.1e})"
    names = sorted({model[-1].__class__.__name__ for model, _ in study.fold_models})
    winner = study.winner if len(names) == 1 else f"of folds: {', '.join(names)}"
    exact = f"{study.held_out.error:.4%}"
    return winner, exact, f"{error:.4%}", str(len(same)), f"{same.mean():.2%}", reason


def predicted_again(study: Study, known: Known) -> Answer:
    """Return the predictions for all held-out rows, fold by fold, in their order."""
    predictions = study.predictions
    predicted, clear = np.empty(len(predictions.row), object), np.empty(len(predictions.row))
    for fold, (model, trained) in enumerate(study.fold_models):
        here = np.flatnonzero(predictions.fold == fold)
        rows = known.rows if known.test is None else known.test[0]
        train, test = _rows(known.rows, trained), _rows(rows, predictions.row[here])
        predicted[here], clear[here] = answers(model, train, known.target[trained], test)
    return Answer(predicted, clear)


def searched_again(study: Study, known: Known) -> tuple[str, ...]:
    """Return how many of the rows shown have the neighbors that are computed again."""
    columns = latent(LatentOf(study.shape.n_features), known.rows, known.rows)[0]
    shown = [one for one in study.audit.flagged_rows if one.neighbors]
    same = []
    for one in shown:
        gap = distances("cosine", columns, columns[one.row : one.row + 1])[0]
        gap[one.row] = np.inf
        nearest = np.sort(gap)[: len(one.neighbors)]
        ours = [gap[other.row] for other in one.neighbors]
        shown_distances = [other.distance for other in one.neighbors]
        same.append(
            np.allclose(ours, nearest, atol=TIE) and np.allclose(shown_distances, nearest, atol=TIE)
        )
    note = "no target: the neighbors of the rows shown"
    return "", "", "", str(len(shown)), f"{np.mean(same):.2%}", note


class LatentOf(NamedTuple):
    """How many directions documents are described by."""

    n_components: int


def _rows(rows: Any, which: np.ndarray) -> Any:
    if isinstance(rows, pd.DataFrame):
        return rows.iloc[which]
    return rows[which] if isinstance(rows, np.ndarray) else [rows[row] for row in which]


def _file(name: str) -> Path:
    return Path(os.environ[DATA_FOLDER_VARIABLE]) / name


def digits(_: Path) -> Known:
    X, y = load_digits(return_X_y=True)
    return Known("digits", {}, X, y)


def table(file: str, target: str, **options: Any) -> Callable[[Path], Known]:
    """Return how a csv file with a target is read."""

    def read(_: Path) -> Known:
        rows = pd.read_csv(_file(file))
        return Known(_file(file), {"target": target, **options}, rows, _named(rows[target]))

    return read


def _named(values: Any) -> np.ndarray:
    labels = np.asarray(values)
    return labels if labels.dtype.kind in "iu" else labels.astype(str)


def faces(out: Path) -> Known:
    """Write the ORL faces as pictures, a folder for each person."""
    from PIL import Image

    with np.load(_file("orl_faces_112x92.npz")) as archive:
        images, people = archive["images"], archive["target"]
    for number, (image, person) in enumerate(zip(images, people, strict=True)):
        place = out / "pictures" / f"person{person:02d}"
        place.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(place / f"{number % 10}.png")
    names = np.array([f"person{person:02d}" for person in people])
    return Known(out / "pictures", {}, images.reshape(len(images), -1), names)


def cranfield(_: Path) -> Known:
    texts = pd.read_csv(_file("cranfield_docs.csv.gz")).text.fillna("").tolist()
    return Known(_file("cranfield_docs.csv.gz"), {"text": "text"}, texts, None)


def mnist(_: Path) -> Known:
    with np.load(_file("mnist.npz")) as archive:
        parts = [
            (archive[f"x_{part}"].reshape(-1, 784), _named(archive[f"y_{part}"]))
            for part in ("train", "test")
        ]
    return Known(_file("mnist.npz"), {}, *parts[0], test=parts[1])


KNOWN: dict[str, Callable[[Path], Known]] = {
    "digits": digits,
    "heart": table("heart_cleveland.csv", "num", models=["knn"]),  # an ensemble has no twin
    "letter": table("letter_recognition.csv.gz", "letter"),
    "faces": faces,
    "cranfield": cranfield,
    "adult": table("adult.csv.gz", "income", split="split"),
    "mnist": mnist,
}

if __name__ == "__main__":
    main()
