"""Figures of single rows that the folder of a study keeps: audit, predictions, clusters."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from lookalike.data.formats.npy import read_array
from lookalike.data.write.csv import FORMULA_PREFIXES
from lookalike.errors import ModelFileError
from lookalike.explain.audit.table import AuditTable
from lookalike.studies.written_files import checked_file
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
    with checked_file(path), open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
        arrays = {name: read_array(archive, name, str(path)) for name in archive.files}
        cluster = arrays.get("cluster")
        if cluster is not None:
            _require_array(cluster, "cluster", "iu", axes=1)
        if "out_of_fold_row" not in arrays:
            return None, cluster
        row, shares = arrays["out_of_fold_row"], arrays["out_of_fold_probability"]
        _require_array(row, "out_of_fold_row", "iu", axes=1)
        _require_array(shares, "out_of_fold_probability", "f", axes=2)
        if len(row) != len(shares):
            raise ModelFileError(f"it has {len(row)} row numbers for {len(shares)} rows")
        return (row.astype(np.int64), shares.astype(np.float64)), cluster


def read_audit(path: Path) -> AuditTable | None:
    """Return the rows of the data in audit.csv; None where there is no such file."""
    if not path.is_file():
        return None
    with checked_file(path):
        columns = _columns(path, "part", "row", "flags")
        data = [part == "data" for part in columns["part"]]
        kept = {
            name: [value for value, inside in zip(column, data, strict=True) if inside]
            for name, column in columns.items()
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
    with checked_file(path):
        columns = _columns(path, "row", "y_pred")
        y_pred = np.array([plain_cell(cell) for cell in columns["y_pred"]], object)
        return np.array(columns["row"], np.int64), y_pred


def _columns(path: Path, *needed: str) -> dict[str, tuple[str, ...]]:
    """Return the columns of a csv file by their names, those that are needed among them."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        names = next(reader, [])
        lines = list(reader)
    if absent := [name for name in needed if name not in names]:
        raise ModelFileError(f"it has no column {absent[0]!r}")
    for number, line in enumerate(lines, start=2):
        if len(line) != len(names):
            raise ModelFileError(f"line {number} has {len(line)} cells, its header {len(names)}")
    columns = list(zip(*lines, strict=True)) or [()] * len(names)
    return dict(zip(names, columns, strict=True))


def _require_array(array: AnyArray, name: str, kinds: str, *, axes: int) -> None:
    if array.dtype.kind not in kinds or array.ndim != axes:
        raise ModelFileError(f"{name} is an array of {array.dtype} of shape {array.shape}")


def plain_cell(text: str) -> str:
    """Return a cell without the apostrophe that keeps a spreadsheet from running it."""
    return text[1:] if text.startswith("'") and text[1:].startswith(FORMULA_PREFIXES) else text
