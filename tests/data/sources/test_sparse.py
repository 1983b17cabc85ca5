"""Sparse matrices as sources, never dense (case 44)."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from lookalike import (
    KernelDensityClassifier,
    KernelRegressor,
    KNeighborsClassifier,
    NearestNeighbors,
    StandardScaler,
)
from lookalike.data import gather, open_source, require_finite
from lookalike.errors import MemoryBudgetError, MissingValueError, ParameterTypeError, ShapeError

DENSE = np.array([[0, 1, 0, 2], [0, 0, 0, 0], [3, 0, 4, 0], [0, 5, 0, 0], [6, 0, 0, 7.0]])
FORMATS = ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csr_array])
def test_every_format_gives_csr_chunks(form, make):
    source = open_source(make(DENSE).asformat(form), y=range(5))
    chunks = list(source.chunks(2))
    assert all(isinstance(chunk.X, sp.csr_array) for chunk in chunks)
    assert [chunk.offset for chunk in chunks] == [0, 2, 4]
    np.testing.assert_array_equal(np.vstack([chunk.X.toarray() for chunk in chunks]), DENSE)
    np.testing.assert_array_equal(gather(source).X.toarray(), DENSE)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.uint8, bool])
def test_the_type_is_kept(dtype):
    source = open_source(sp.csr_array(DENSE.astype(dtype)))
    assert source.dtype == dtype
    assert next(source.chunks()).X.dtype == dtype


def test_indices_of_64_bits_are_read():
    A = sp.csr_array(DENSE)
    A.indices, A.indptr = A.indices.astype(np.int64), A.indptr.astype(np.int64)
    np.testing.assert_array_equal(gather(open_source(A)).X.toarray(), DENSE)


def test_unsorted_and_doubled_indices_are_put_in_order_and_the_input_is_unchanged():
    A = sp.csr_array(
        (np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3, 3])), shape=(2, 3)
    )
    before = A.data.copy(), A.indices.copy(), A.indptr.copy()
    X = gather(open_source(A)).X
    assert X.has_canonical_format
    assert X.toarray().tolist() == [[2.0, 0.0, 4.0], [0.0, 0.0, 0.0]]
    for kept, old in zip((A.data, A.indices, A.indptr), before, strict=True):
        np.testing.assert_array_equal(kept, old)


def test_doubled_entries_of_coo_are_summed():
    A = sp.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(1, 2))
    assert gather(open_source(A)).X.toarray().tolist() == [[0.0, 3.0]]


def test_explicit_zeros_are_kept_and_count_as_zeros():
    A = sp.csr_array(([0.0, 1.0], ([0, 0], [0, 1])), shape=(1, 2))
    X = gather(open_source(A)).X
    assert X.nnz == 2
    assert X.toarray().tolist() == [[0.0, 1.0]]


def test_an_explicit_nan_is_found_by_its_row_and_column():
    A = sp.csr_array(([1.0, np.nan], ([0, 3], [0, 2])), shape=(5, 4))
    chunk = list(open_source(A).chunks(2))[1]
    with pytest.raises(MissingValueError, match="NaN at row 3, column 'x2'"):
        require_finite(chunk.X, chunk.offset)


def test_a_wide_matrix_is_never_made_dense():
    A = sp.csr_array(([1.0], ([999_999], [9_999_999])), shape=(1_000_000, 10_000_000))
    (chunk,) = open_source(A).chunks(rows=1_000_000)
    assert chunk.X.nnz == 1
    with pytest.raises(ParameterTypeError, match="dense"):
        next(open_source(A).tables())


def test_columns_and_target_are_chosen_and_stay_sparse():
    (chunk,) = open_source(sp.csc_array(DENSE), columns=[0, 1], target=3).chunks()
    assert sp.issparse(chunk.X)
    np.testing.assert_array_equal(chunk.X.toarray(), DENSE[:, :2])
    np.testing.assert_array_equal(chunk.y, DENSE[:, 3])


def test_what_is_no_matrix_of_real_numbers_is_refused():
    with pytest.raises(ParameterTypeError, match="complex128"):
        open_source(sp.csr_array(DENSE.astype(complex)))
    with pytest.raises(ShapeError, match=r"\(0, 3\)"):
        open_source(sp.csr_array((0, 3)))
    with pytest.raises(ShapeError, match=r"\(3,\)"):
        open_source(sp.coo_array(np.ones(3)))
    with pytest.raises(ShapeError, match="X has 5 rows"):
        open_source(sp.csr_array(DENSE), y=[1])


def test_longdouble_is_cast_down_with_one_warning():
    A = sp.csr_array(DENSE.astype(np.longdouble))
    with pytest.warns(UserWarning, match="computed in float64"):
        assert open_source(A).dtype == np.float64


def test_a_whole_number_that_float64_cannot_hold_warns_and_names_the_cell():
    A = sp.csr_array(([1, 2**53 + 1], ([0, 2], [1, 3])), shape=(4, 5))
    with pytest.warns(UserWarning, match="at row 2, column 'x3' is not exact"):
        open_source(A)


@pytest.mark.parametrize("columns", [10**7, 10**9])
def test_sparse_rows_cost_by_their_entries_not_by_their_columns(columns):
    rng = np.random.default_rng(0)
    places = (rng.integers(0, 50, 500), rng.integers(0, columns, 500))
    X = sp.csr_array((rng.random(500), places), shape=(50, columns))
    tracemalloc.start()
    try:
        model = KNeighborsClassifier(3).fit(X, np.arange(50) % 2)
        assert model.predict(X).shape == (50,)
        assert NearestNeighbors(metric="cosine").fit(X).kneighbors()[1].shape == (50, 5)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000
    names = open_source(X).columns
    assert len(names) == columns
    assert names[-1].name == f"x{columns - 1}"


def test_models_that_keep_numbers_for_every_column_say_what_these_would_take():
    X = sp.csr_array(([1.0, 2.0], ([0, 1], [5, 10**9 - 1])), shape=(4, 10**9))
    for model in (KernelRegressor(), KernelDensityClassifier(), StandardScaler(with_mean=False)):
        with pytest.raises(MemoryBudgetError, match="1,000,000,000 columns take"):
            model.fit(X, [0, 1, 0, 1])
