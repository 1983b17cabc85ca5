"""Figures of single rows that the folder of a study keeps: audit, predictions, clusters."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from lookalike.data.write.csv import FORMULA_PREFIXES
from lookalike.explain.audit.table import AuditTable
from lookalike.typing import AnyArray, Array, Rows

COLUMNS_WITHOUT_SCORE = (
    "part",
    "row",
    "flags",
    "suggested_label",
    "leak_of",
)  # columns that hold no score


def read_out_of_fold(path: Path) -> tuple[tuple[Rows, Array] | None, Rows | None]:
    """Return row numbers with class probabilities, and the cluster of every row, of rows.npz.

    Either is None where the study has none.
    """
    if not path.is_file():
        return None, None
    with np.load(path, allow_pickle=False) as arrays:
        out_of_fold = None
        if "out_of_fold_row" in arrays:
            out_of_fold = arrays["out_of_fold_row"], arrays["out_of_fold_probability"]
        return out_of_fold, arrays.get("cluster")


def read_audit(path: Path) -> AuditTable | None:
    """Return the rows of the data in audit.csv; None where there is no such file."""
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
        if name not in COLUMNS_WITHOUT_SCORE
    }
    if "suggested_label" in kept:
        suggested = [plain_cell(cell) for cell in kept["suggested_label"]]
        scores["suggested_label"] = np.array(suggested, object)
    return AuditTable(np.array(kept["row"], np.int64), tuple(kept["flags"]), scores, {})


def read_predictions(path: Path) -> tuple[Rows, AnyArray] | None:
    """Return the row numbers, once for every repeat, and predictions of predictions.csv."""
    if not path.is_file():
        return None
    names, columns = _columns(path)
    y_pred = np.array([plain_cell(cell) for cell in columns[names.index("y_pred")]], object)
    return np.array(columns[names.index("row")], np.int64), y_pred


def _columns(path: Path) -> tuple[list[str], list[tuple[str, ...]]]:
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        names = next(reader)
        lines = list(reader)
    return names, list(zip(*lines, strict=True)) or [()] * len(names)


def plain_cell(text: str) -> str:
    """Return a cell without the apostrophe that keeps a spreadsheet from running it."""
    return text[1:] if text.startswith("'") and text[1:].startswith(FORMULA_PREFIXES) else text
