"""Columns that a source lacks are there, and every cell of them is missing."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lookalike.data import open_source
from lookalike.data.sources.absent_columns import AbsentColumns


def test_absent_columns_follow_those_that_are_there_in_matrices_and_tables():
    rows = AbsentColumns(open_source(pd.DataFrame({"a": [1, 2, 3]})), {"b": "number"})
    assert [column.name for column in rows.columns] == ["a", "b"]
    X = np.vstack([chunk.X for chunk in rows.chunks(2)])
    assert np.array_equal(X, [[1, np.nan], [2, np.nan], [3, np.nan]], equal_nan=True)


def test_missing_cells_are_of_the_kind_of_their_column():
    absent = {"n": "number", "d": "date", "c": "category", "t": "text"}
    rows = AbsentColumns(open_source(pd.DataFrame({"a": [1.0, 2.0]})), absent)
    (table,) = rows.tables()
    assert np.isnan(table.values["n"]).all()
    assert np.isnat(table.values["d"]).all()
    assert table.values["c"].tolist() == table.values["t"].tolist() == [None, None]
    assert table.values["a"].tolist() == [1.0, 2.0]
