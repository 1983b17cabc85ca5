"""Columns of Arrow batches become the same arrays on the quick way and on the long one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lookalike.data import open_source
from lookalike.data.formats.arrow_values import quick_values

COLUMNS = {
    "float32": pa.array([0.5, -1.0, 2.0, 3.0], pa.float32()),
    "whole": pa.array([1, 2, 3, 4], pa.int16()),
    "gaps": pa.array([1.0, None, 3.0, 4.0]),
    "flag": pa.array([True, False, True, None]),
    "kind": pa.array(["a", None, "b", "a"]),
    "coded": pa.array(["x", "y", None, "x"]).dictionary_encode(),
}


def test_numbers_without_missing_values_are_not_copied():
    column = COLUMNS["float32"]
    values = quick_values(column, "number")
    assert values is not None
    assert values.ctypes.data == column.buffers()[1].address


@pytest.mark.parametrize(("name", "kind"), [("gaps", "number"), ("flag", "boolean")])
def test_columns_with_missing_numbers_take_the_long_way(name, kind):
    assert quick_values(COLUMNS[name], kind) is None


def test_a_parquet_file_gives_the_cells_that_the_table_has(tmp_path):
    path = tmp_path / "mixed.parquet"
    pq.write_table(pa.table(COLUMNS), path)
    from_file = next(open_source(path).tables()).values
    from_table = next(open_source(pa.table(COLUMNS)).tables()).values
    for name in COLUMNS:
        np.testing.assert_array_equal(from_file[name], from_table[name])


def test_a_slice_of_a_column_of_texts_begins_where_it_begins():
    column = COLUMNS["kind"].slice(1, 2)
    assert quick_values(column, "category").tolist() == [None, "b"]
    assert quick_values(COLUMNS["coded"].slice(1, 2), "category").tolist() == ["y", None]
