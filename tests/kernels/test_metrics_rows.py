"""Sparse rows become canonical, or are refused with the place that is wrong."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from lookalike.errors import MissingValueError, ParameterTypeError
from lookalike.kernels.metrics import metric_from
from lookalike.kernels.metrics.rows import SparseRows, sparse_rows


def test_sparse_rows_become_canonical_on_a_copy():
    data, column, start = np.array([2.0, 1.0, 3.0, 0.0]), np.array([3, 0, 3, 1]), np.array([0, 4])
    messy = scipy.sparse.csr_array((data, column.astype(np.int64), start), shape=(1, 5))
    rows = sparse_rows(messy)
    assert rows.column.tolist() == [0, 3]
    assert rows.value.tolist() == [1, 5]
    assert messy.data.tolist() == [2, 1, 3, 0]
    assert isinstance(rows, SparseRows)
    wrapping = scipy.sparse.coo_array(
        (np.array([200, 200], np.uint8), ([0, 0], [1, 1])), shape=(1, 2)
    )
    assert sparse_rows(wrapping).value.tolist() == [400]
    with pytest.raises(MissingValueError, match="nan at row 1, column 2"):
        sparse_rows(scipy.sparse.csr_array([[0, 0, 0], [1, 0, np.nan]]))
    with pytest.raises(ParameterTypeError, match="no sparse form"):
        metric_from("minkowski", p=3).rows(messy)
