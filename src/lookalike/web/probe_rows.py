"""Rows that a model can read, made from what it keeps: with them it is probed before it serves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from lookalike.explain.prediction.table_model import TableModel
from lookalike.models.neighbors.training_rows import training_rows
from lookalike.web.row_batch import RowBatch
from lookalike.web.row_reader import RowReader


def example_rows(table: TableModel, reader: RowReader) -> Iterator[RowBatch]:
    """Give batches of one row, the likeliest to be of use first."""
    if reader.form == "documents":
        words = getattr(table.first, "vocabulary_", None) or getattr(table.first, "terms_", None)
        yield [str(next(iter(words)))] if words is not None and len(words) else ["a"]
        yield ["a"]
        return
    stored = training_rows(table.first)
    if reader.form == "matrix":
        width = reader.width or 1
        if isinstance(stored, np.ndarray) and stored.shape[1:] == (width,):
            yield np.array(stored[:1], np.float64)
        yield np.zeros((1, width))
        yield np.arange(1.0, width + 1)[None]
        return
    for number in (0.0, 1.0):
        yield {name: _example(table.first, name, kind, number) for name, kind, *_ in reader.columns}


def _example(first: object, name: str, kind: str, number: float) -> Any:
    if kind == "date":
        return np.array(["2000-01-01"], "datetime64[us]")
    if kind in ("number", "boolean"):
        return np.full(1, number)
    known = getattr(first, "categories_", {})
    categories = known.get(name, ()) if isinstance(known, dict) else ()
    return np.array([next(iter(categories), "a")], object)
