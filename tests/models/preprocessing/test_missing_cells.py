"""Missing cells of arrays: which they are, and what fills them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lookalike import SimpleImputer
from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.models.preprocessing.missing_cells import are_cells, column_fills, missing_mask


@pytest.mark.parametrize("marker", [np.nan, None, 0, "", "NA"])
def test_cells_that_equal_the_marker_are_missing_and_no_other(marker):
    cells = np.array([["a", marker], [3, "0"]], dtype=object)
    assert missing_mask(cells, marker).tolist() == [[False, True], [False, False]]


def test_typed_columns_stay_a_table_and_markers_objects_and_sparse_rows_are_cells():
    numbers, text = np.eye(2), np.array([["a", None]], dtype=object)
    assert not are_cells(numbers, SimpleImputer())
    assert are_cells(numbers, SimpleImputer(missing_values=-1))
    assert are_cells(text, SimpleImputer("most_frequent"))
    assert are_cells(sp.csr_array(numbers), SimpleImputer())


def test_of_equally_frequent_values_the_smallest_fills_also_among_several_kinds():
    cells = np.array([["b", 2], ["a", "x"], [None, None]], dtype=object)
    assert column_fills(cells, SimpleImputer("most_frequent")).tolist() == ["a", 2]


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent"])
@pytest.mark.parametrize("place", [np.asarray, sp.csr_array])
def test_a_weight_counts_as_that_many_rows(strategy, place):
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (40, 3)).astype(float)
    X[rng.random(X.shape) < 0.2] = 9.0  # which is the marker
    weight = rng.integers(0, 4, 40)
    model = SimpleImputer(strategy, missing_values=9.0)
    weighted = model.fit(place(X), sample_weight=weight).statistics_
    repeated = model.fit(place(np.repeat(X, weight, axis=0))).statistics_
    np.testing.assert_allclose(weighted, repeated)


def test_a_constant_of_another_kind_is_refused():
    with pytest.raises(ParameterError, match="cannot be cast"):
        SimpleImputer("constant", missing_values=2, fill_value=1.5).fit(np.array([[1, 2]]))


@pytest.mark.parametrize("returned", ["text", None, [1.0], np.array([1.0, 2.0]), {}])
@pytest.mark.parametrize("place", [np.asarray, sp.csc_array])
def test_a_function_that_returns_no_number_is_refused(place, returned):
    X = place(np.array([[1.0, np.nan], [2.0, 3.0]]))
    with pytest.raises(ParameterTypeError, match="returns one number"):
        SimpleImputer(strategy=lambda _: returned).fit(X)


def test_a_function_may_return_any_number():
    X = np.array([[1.0], [np.nan], [4.0]])
    for function in (np.median, len, np.ma.median, lambda _: np.array(2.5)):
        filled = SimpleImputer(strategy=function).fit_transform(X)[1, 0]
        assert filled == function(np.array([1.0, 4.0]))


@pytest.mark.parametrize("marker", [10**400, [1.0], np.zeros((2, 2, 2)), {}, object()])
def test_a_marker_that_is_no_number_and_no_text_is_refused(marker):
    with pytest.raises(ParameterTypeError, match="neither number nor text"):
        SimpleImputer(missing_values=marker).fit([[1.0], [2.0]])
