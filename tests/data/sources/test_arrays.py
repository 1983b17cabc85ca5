"""Arrays of every type and layout as sources (cases 32-39, 45, 46)."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lookalike.data import gather, open_source
from lookalike.data.sources.arrays import ArraySource
from lookalike.errors import (
    ColumnError,
    ExtraMissingError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)
from lookalike.inexact import first_inexact

X = np.arange(24.0).reshape(6, 4)


def rows_of(source, rows=None):
    return np.concatenate([chunk.X for chunk in source.chunks(rows)])


@given(
    hnp.arrays(
        st.sampled_from(["f2", "f4", "f8", "i1", "i4", "u1", "u2", "?"]),
        hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9),
    ),
    st.integers(1, 10),
)
@settings(max_examples=60, deadline=None)
def test_chunks_give_every_row_once_in_order_and_of_the_same_type(A, rows):
    chunks = list(open_source(A).chunks(rows))
    assert [chunk.offset for chunk in chunks] == list(range(0, len(A), rows))
    assert all(chunk.X.dtype == A.dtype for chunk in chunks)
    np.testing.assert_array_equal(np.concatenate([chunk.X for chunk in chunks]), A)


@pytest.mark.parametrize(
    "A",
    [
        np.asfortranarray(X),
        X[:, ::2],
        X[::-1, ::-1],
        X.T,
        np.broadcast_to(X[0], (6, 4)),
        np.lib.stride_tricks.as_strided(X, (5, 3), (8, 8)),
        X.view(np.ndarray)[1:, 1:],
    ],
    ids=[
        "fortran",
        "sliced",
        "reversed",
        "transposed",
        "broadcast",
        "overlapping",
        "inner",
    ],
)
def test_every_layout_is_read_in_place(A):
    for chunk in open_source(A).chunks(2):
        assert np.shares_memory(chunk.X, A)
    np.testing.assert_array_equal(rows_of(open_source(A), 2), A)


def test_numbers_of_another_byte_order_come_in_that_of_the_machine():
    swapped = X.astype(X.dtype.newbyteorder(">"))
    source = open_source(swapped)
    assert source.dtype.isnative
    for chunk in source.chunks(2):
        assert chunk.X.dtype.isnative
    np.testing.assert_array_equal(rows_of(source, 2), X)


def test_a_read_only_array_and_a_memory_map_are_read_without_copy_and_unchanged(tmp_path):
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    frozen = X.copy()
    frozen.flags.writeable = False
    for A in (mapped, frozen):
        for chunk in open_source(A).chunks(4):
            assert np.shares_memory(chunk.X, A)
            assert not chunk.X.flags.writeable
    np.testing.assert_array_equal(mapped, X)


def test_float16_is_kept_for_the_kernels_to_widen():
    big = np.array([[65504.0, -65504.0]], np.float16)
    (chunk,) = open_source(big).chunks()
    assert chunk.X.dtype == np.float16
    assert chunk.X.astype(np.float32).tolist() == [[65504.0, -65504.0]]


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"])
def test_whole_numbers_and_truth_values_keep_their_type(dtype):
    A = np.array([[0, 1], [1, 1]], dtype)
    assert open_source(A).dtype == A.dtype
    assert open_source(A).columns[0].kind == ("boolean" if dtype == "?" else "number")
    np.testing.assert_array_equal(rows_of(open_source(A)), A)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(2**53 + 1, "i8"), (-(2**53) - 1, "i8"), (2**64 - 1, "u8"), (2**63 - 1, "i8")],
)
def test_a_whole_number_that_float64_cannot_hold_warns_once_and_names_the_cell(value, dtype):
    A = np.zeros((4, 2), dtype)
    A[1:, 1] = value
    source = open_source(A)
    with pytest.warns(UserWarning, match=rf"{value} at row 1, column 'x1' is not exact") as seen:
        np.testing.assert_array_equal(rows_of(source, 2), A)
    assert len(seen) == 1
    rows_of(source)  # a second pass is silent


@pytest.mark.parametrize(
    ("value", "dtype"), [(2**60, "i8"), (-(2**63), "i8"), (2**63, "u8"), (2**53, "i8")]
)
def test_a_large_whole_number_that_is_exact_does_not_warn(value, dtype):
    assert rows_of(open_source(np.array([[value]], dtype)))[0, 0] == value


@given(hnp.arrays(st.sampled_from(["i8", "u8"]), (3, 2)))
@settings(max_examples=80, deadline=None)
def test_the_first_number_that_python_finds_inexact_is_found(A):
    odd = [i for i, value in enumerate(A.ravel().tolist()) if int(float(value)) != value]
    assert first_inexact(A) == ((odd[0], A.ravel()[odd[0]]) if odd else None)


def test_masked_numbers_are_not_looked_at():
    A = np.ma.masked_array([[2**53 + 1, 1]], mask=[[True, False]])
    np.testing.assert_array_equal(rows_of(open_source(A)), [[np.nan, 1]])


def test_longdouble_is_cast_down_with_one_warning():
    A = X.astype(np.longdouble)
    with pytest.warns(UserWarning, match="computed in float64") as seen:
        source = open_source(A)
    assert len(seen) == 1
    assert rows_of(source).dtype == source.dtype == np.float64


def test_complex_numbers_are_refused():
    with pytest.raises(ParameterError, match=r"complex128.*X\.real"):
        open_source(X.astype(complex))


def test_objects_that_are_numbers_become_float64():
    source = open_source(np.array([[1, 2.5], [True, np.float32(3)]], object))
    assert rows_of(source).tolist() == [[1.0, 2.5], [1.0, 3.0]]


@pytest.mark.parametrize(
    ("odd", "error"),
    [
        ("abc", ColumnError),
        (None, ColumnError),
        ([1], ParameterTypeError),
        (1j, ParameterTypeError),
    ],
)
def test_objects_that_are_no_numbers_are_named_by_their_cell(odd, error):
    A = np.zeros((3, 2), object)
    A[2, 1] = odd
    with pytest.raises(error, match="row 2, column 1"):
        open_source(A)


def test_text_is_named_by_the_first_cell_that_is_no_number():
    with pytest.raises(ColumnError, match="'abc' at row 1, column 0"):
        open_source([["1", "2"], ["abc", "4"]])
    with pytest.raises(ColumnError, match="'1' at row 0, column 0"):
        open_source([["1", "2"]])


def test_dates_and_records_are_refused():
    with pytest.raises(ColumnError, match="dates"):
        open_source(np.array([["2020-01-01"]], "datetime64[D]"))
    with pytest.raises(ParameterTypeError, match="array of numbers"):
        open_source(np.zeros((2, 2), [("a", float)]))


def test_masked_cells_are_missing_and_never_ignored():
    A = np.ma.masked_array(
        np.arange(6, dtype=np.uint8).reshape(3, 2), mask=[[0, 1], [0, 0], [1, 0]]
    )
    got = rows_of(open_source(A), 2)
    np.testing.assert_array_equal(got, [[0, np.nan], [2, 3], [np.nan, 5]])
    assert got.dtype == np.float32
    assert open_source(np.ma.masked_array(X)).dtype == X.dtype
    objects = np.ma.masked_array([[1, "n/a"]], mask=[[False, True]], dtype=object)
    np.testing.assert_array_equal(rows_of(open_source(objects)), [[1, np.nan]])
    wide = np.ma.masked_equal(X, 3.0)
    assert np.isnan(rows_of(open_source(wide))[0, 3])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([[1, 2], [3]], "ragged: row 1 has 1 values, row 0 has 2"),
        ([[1, 2], 3], "ragged: row 1 has 1 values"),
        (5, "single value 5"),
        ([1, 2, 3], r"reshape\(-1, 1\) for one feature, X.reshape\(1, -1\)"),
        (np.zeros((4, 2, 2)), r"reshape\(4, -1\)"),
        (np.zeros((0, 3)), r"shape=\(0, 3\)"),
        (np.zeros((3, 0)), r"shape=\(3, 0\)"),
        ([], "one dimension"),
    ],
)
def test_what_is_no_matrix_is_refused_with_the_way_out(data, message):
    with pytest.raises(ShapeError, match=message):
        open_source(data)


class Dataset:
    """What xarray offers of several arrays at once, which are no array."""

    def __array__(self, dtype=None, copy=None):
        raise TypeError("cannot directly convert an xarray.Dataset into a numpy array")


def test_an_object_that_cannot_become_an_array_is_refused_in_our_words():
    with pytest.raises(ParameterTypeError, match="Dataset cannot be read as rows"):
        open_source(Dataset())


class Tensor:
    """What torch and cupy offer of their arrays, on a device of our choice."""

    def __init__(self, array, device_type, requires_grad=False):
        self.array, self.device_type, self.requires_grad = array, device_type, requires_grad
        self.device = {1: "cpu", 2: "cuda:0", 10: "rocm:0"}[device_type]

    def detach(self):
        return Tensor(self.array, self.device_type)

    def __dlpack_device__(self):
        return (self.device_type, 0)

    def __dlpack__(self, **options):
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient")
        return self.array.__dlpack__(**options)


def test_a_tensor_in_memory_is_read_in_place_also_when_it_requires_gradients():
    for grad in (False, True):
        (chunk,) = open_source(Tensor(X, 1, grad)).chunks()
        assert np.shares_memory(chunk.X, X)


def test_a_tensor_on_another_device_is_never_copied_silently():
    with pytest.raises(ParameterTypeError, match=r"lies on rocm:0.*X\.cpu\(\)"):
        open_source(Tensor(X, 10))  # the number of ROCm


def test_a_tensor_on_a_cuda_card_needs_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ExtraMissingError, match=r"lookalike\[gpu\]"):
        open_source(Tensor(X, 2))


def test_a_tensor_that_numpy_cannot_read_is_refused():
    class Odd(Tensor):
        def __dlpack__(self, **options):
            raise BufferError("bfloat16 is not supported")

    with pytest.raises(ParameterTypeError, match="bfloat16"):
        open_source(Odd(X, 1))


def test_a_torch_tensor_is_read_in_place():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    tensor = torch.ones((3, 2), requires_grad=True)
    assert rows_of(open_source(tensor)).tolist() == [[1, 1]] * 3


def test_labels_and_weights_travel_with_their_rows():
    y, weight = list("abcdef"), range(6)
    chunks = list(open_source(X, y, weight=weight).chunks(4))
    assert [chunk.y.tolist() for chunk in chunks] == [list("abcd"), list("ef")]
    assert [chunk.weight.tolist() for chunk in chunks] == [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0]]
    assert chunks[0].weight.dtype == np.float64


def test_labels_and_weights_of_another_length_are_refused_with_both_numbers():
    with pytest.raises(ShapeError, match=r"y holds 5 entries, X has 6 rows"):
        open_source(X, y=range(5))
    with pytest.raises(ShapeError, match=r"weight has shape \(5,\), X has 6 rows"):
        open_source(X, weight=np.ones(5))
    with pytest.raises(ShapeError, match="single value"):
        open_source(X, y=3)
    with pytest.raises(ShapeError, match="y is ragged"):
        open_source(X, y=[[1], [2, 3], [4], [5], [6], [7]])
    with pytest.raises(ParameterTypeError, match="weight holds 'a' at row 0"):
        open_source(X, weight=list("abcdef"))


def test_several_targets_are_kept_as_columns():
    (chunk,) = open_source(X, y=X[:, :2]).chunks()
    assert chunk.y.shape == (6, 2)


def test_columns_target_and_weight_are_chosen_by_place_or_name():
    (chunk,) = open_source(X, columns=[0, "x2"], target=3, weight="x1").chunks()
    np.testing.assert_array_equal(chunk.X, X[:, [0, 2]])
    np.testing.assert_array_equal(chunk.y, X[:, 3])
    np.testing.assert_array_equal(chunk.weight, X[:, 1])
    source = open_source(X, target=-1)
    assert [column.name for column in source.columns] == ["x0", "x1", "x2"]
    table = next(source.tables(2))
    assert list(table.values) == ["x0", "x1", "x2"]
    assert table.y.tolist() == [3.0, 7.0]


def test_gather_returns_the_array_itself():
    got = gather(open_source(X, y=range(6)))
    assert np.shares_memory(got.X, X)
    assert got.X.shape == X.shape


def test_names_are_one_a_column():
    assert ArraySource(X, names=list("abcd")).columns[3].name == "d"
    with pytest.raises(ShapeError, match="3 names are given for 4 columns"):
        ArraySource(X, names=list("abc"))


def test_tables_give_the_columns_by_name():
    tables = list(open_source(X).tables(5))
    assert [table.offset for table in tables] == [0, 5]
    np.testing.assert_array_equal(tables[0].values["x1"], X[:5, 1])


def test_a_row_number_beyond_32_bits_is_kept():
    A = np.lib.stride_tricks.as_strided(np.zeros(1, np.uint8), (2**32 + 3, 1), (0, 1))
    *_, last = open_source(A).chunks(2**30)
    assert last.offset == 2**32
    assert last.X.shape == (3, 1)
