"""The value of a given rank in every column."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from laws import gather

from lookalike.data.chunk import Chunk
from lookalike.reductions.quantiles import (
    N_DIGITS,
    DigitCounts,
    extend,
    sortable,
    start,
    unsortable,
)

floats = st.floats(allow_nan=False, allow_infinity=False)


@given(arrays(np.float64, st.integers(1, 30), elements=floats))
def test_keys_sort_as_the_values_and_lead_back_to_them(values):
    keys = sortable(values)
    np.testing.assert_array_equal(unsortable(keys), values)
    np.testing.assert_array_equal(values[np.argsort(keys, kind="stable")], np.sort(values))


@settings(deadline=None, max_examples=50)
@given(arrays(np.float64, st.tuples(st.integers(1, 20), st.integers(1, 3)), elements=floats))
def test_six_passes_find_every_order_statistic_exactly(X):
    n_rows, n_features = X.shape
    ranks = np.repeat(np.arange(n_rows, dtype=float)[:, None], n_features, axis=1)
    prefix = start(n_rows, n_features)
    for _ in range(N_DIGITS):
        reduction = DigitCounts(prefix)
        prefix = extend(prefix, gather(reduction, [Chunk(X)], n_features), ranks)
    np.testing.assert_array_equal(unsortable(prefix[0]), np.sort(X, axis=0) + 0.0)
