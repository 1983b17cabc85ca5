"""Figures of single rows that a study keeps: audit, predictions, probabilities and clusters."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lookalike.data.csv_writer import FORMULA
from lookalike.explain.audit.table import AuditTable
from lookalike.studies.results import Study
from lookalike.typing import AnyArray, Array, Rows

TEXTS = ("part", "row", "flags", "suggested_label", "leak_of")  # columns that hold no score


@dataclass(frozen=True)
class StudyRows:
    """What a study says of single rows; None where it says nothing."""

    audit: AuditTable | None = None
    predictions: tuple[Rows, AnyArray] | None = None  # row numbers, once for every repeat
    out_of_fold: tuple[Rows, Array] | None = None  # row numbers, class probabilities
    cluster: Rows | None = None


def rows_of_study(study: Study) -> StudyRows:
    """Return what a study in memory says of rows."""
    predictions = study.predictions
    return StudyRows(
        None if study.audit is None else study.audit.table,
        None if predictions is None else (predictions.row, predictions.y_pred),
        study.out_of_fold,
        None if study.clustering is None else study.clustering.labels,
    )


def rows_of_folder(folder: Path) -> StudyRows:
    """Return what the files of a study say of rows."""
    out_of_fold = cluster = None
    if (folder / "rows.npz").is_file():
        with np.load(folder / "rows.npz", allow_pickle=False) as arrays:
            cluster = arrays.get("cluster")
            if "out_of_fold_row" in arrays:
                out_of_fold = arrays["out_of_fold_row"], arrays["out_of_fold_probability"]
    return StudyRows(
        _audit(folder / "audit.csv"), _predictions(folder / "predictions.csv"), out_of_fold, cluster
    )


def _audit(path: Path) -> AuditTable | None:
    if not path.is_file():
        return None
    names, columns = _columns(path)
    data = [part == "data" for part in columns[names.index("part")]]
    kept = {
        name: [value for value, inside in zip(column, data, strict=True) if inside]
        for name, column in zip(names, columns, strict=True)
    }
    scores: dict[str, AnyArray] = {
        name: np.array([float(value) if value else np.nan for value in column])
        for name, column in kept.items()
        if name not in TEXTS
    }
    if "suggested_label" in kept:
        suggested = [plain_cell(one) for one in kept["suggested_label"]]
        scores["suggested_label"] = np.array(suggested, object)
    return AuditTable(np.array(kept["row"], np.int64), tuple(kept["flags"]), scores, {})


def _predictions(path: Path) -> tuple[Rows, AnyArray] | None:
    if not path.is_file():
        return None
    names, columns = _columns(path)
    y_pred = np.array([plain_cell(one) for one in columns[names.index("y_pred")]], object)
    return np.array(columns[names.index("row")], np.int64), y_pred


def _columns(path: Path) -> tuple[list[str], list[tuple[str, ...]]]:
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        names = next(reader)
        lines = list(reader)
    return names, list(zip(*lines, strict=True)) or [()] * len(names)


def plain_cell(text: str) -> str:
    """Return a cell without the apostrophe that keeps a spreadsheet from running it."""
    return text[1:] if text.startswith("'") and text[1:].startswith(FORMULA) else text
