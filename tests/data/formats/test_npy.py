"""NumPy's files as sources."""

import contextlib
import io
import tracemalloc
import warnings
import zipfile

import numpy as np
import pytest

import lookalike
from lookalike.data import gather, open_source
from lookalike.errors import (
    ColumnError,
    LookalikeError,
    MemoryBudgetError,
    ParameterError,
    ShapeError,
    SourceError,
)

X = np.arange(12.0).reshape(4, 3)


class Canary:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


@pytest.mark.parametrize("A", [X, np.asfortranarray(X), X.astype(np.float16), X > 3])
def test_an_npy_file_is_mapped_and_keeps_its_type(tmp_path, A):
    np.save(tmp_path / "x.npy", A)
    source = open_source(tmp_path / "x.npy", y=range(4))
    assert source.n_rows == 4
    for chunk in source.chunks(3):
        base = chunk.X
        while base is not None and not isinstance(base, np.memmap):
            base = base.base
        assert isinstance(base, np.memmap)
    np.testing.assert_array_equal(gather(source).X, A)


def test_numbers_of_another_byte_order_are_turned_round_chunk_by_chunk(tmp_path):
    np.save(tmp_path / "x.npy", X.astype(">f4"))
    source = open_source(tmp_path / "x.npy")
    assert all(chunk.X.dtype == np.dtype("=f4") for chunk in source.chunks(3))
    np.testing.assert_array_equal(gather(source).X, X)


def test_items_of_more_dimensions_are_flattened(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(24, dtype=np.uint8).reshape(2, 3, 4))
    assert gather(open_source(tmp_path / "x.npy")).X.shape == (2, 12)


def test_columns_and_target_are_chosen_by_place(tmp_path):
    np.save(tmp_path / "x.npy", X)
    got = gather(open_source(tmp_path / "x.npy", target=0))
    np.testing.assert_array_equal(got.X, X[:, 1:])
    np.testing.assert_array_equal(got.y, X[:, 0])


def test_one_dimension_is_refused(tmp_path):
    np.save(tmp_path / "x.npy", np.ones(3))
    with pytest.raises(ShapeError, match="one dimension"):
        open_source(tmp_path / "x.npy")


@pytest.mark.parametrize("suffix", ["npy", "npz"])
def test_every_truncation_is_an_error(tmp_path, suffix):
    stream = io.BytesIO()
    (np.save if suffix == "npy" else np.savez)(stream, X)
    whole = stream.getvalue()
    path = tmp_path / f"x.{suffix}"
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(SourceError, match=r"damaged or truncated|Python objects"):
            open_source(path)


@pytest.mark.parametrize("suffix", ["npy", "npz"])
def test_a_flipped_bit_gives_rows_or_a_clear_error(tmp_path, suffix):
    stream = io.BytesIO()
    (np.save if suffix == "npy" else np.savez_compressed)(stream, X)
    whole = stream.getvalue()
    path = tmp_path / f"x.{suffix}"
    for bit in range(0, 8 * len(whole), 5):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        with contextlib.suppress(LookalikeError), warnings.catch_warnings(action="ignore"):
            list(open_source(path).chunks())


@pytest.mark.parametrize("suffix", ["npy", "npz"])
def test_python_objects_are_never_loaded(tmp_path, suffix):
    stream = io.BytesIO()
    (np.save if suffix == "npy" else np.savez)(
        stream, np.array([[Canary(tmp_path / "canary")]], object)
    )
    (tmp_path / f"x.{suffix}").write_bytes(stream.getvalue())
    with pytest.raises(SourceError, match="never loaded"):
        open_source(tmp_path / f"x.{suffix}")
    assert not (tmp_path / "canary").exists()


@pytest.mark.parametrize(
    ("names", "choice"),
    [
        (("X", "y"), {}),
        (("x_train", "y_train"), {}),
        (("images", "target"), {}),
        (("data", "labels"), {}),
        (("base", "codes"), {"array": "base", "target": "codes"}),
    ],
)
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_of_an_npz_are_found_by_their_usual_names_or_chosen(tmp_path, names, choice, save):
    save(tmp_path / "x.npz", **{names[0]: X, names[1]: np.arange(4), "other": np.ones((2, 2))})
    got = gather(open_source(tmp_path / "x.npz", **choice))
    np.testing.assert_array_equal(got.X, X)
    np.testing.assert_array_equal(got.y, np.arange(4))


def test_the_only_array_of_an_npz_needs_no_name(tmp_path):
    np.savez(tmp_path / "x.npz", anything=X)
    got = gather(open_source(tmp_path / "x.npz"))
    assert got.y is None
    np.testing.assert_array_equal(got.X, X)


def test_a_target_of_an_npz_may_be_a_column(tmp_path):
    np.savez(tmp_path / "x.npz", X=X)
    np.testing.assert_array_equal(gather(open_source(tmp_path / "x.npz", target=2)).y, X[:, 2])


def test_arrays_that_cannot_be_told_apart_are_listed(tmp_path):
    np.savez(tmp_path / "x.npz", one=X, two=X)
    with pytest.raises(ColumnError, match="one of one, two with array="):
        open_source(tmp_path / "x.npz")
    with pytest.raises(ColumnError, match="no array 'three'"):
        open_source(tmp_path / "x.npz", array="three")


def test_an_npz_without_arrays_is_an_error(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.npz", "w"):
        pass
    with pytest.raises(ColumnError, match="one of none"):
        open_source(tmp_path / "x.npz")


def test_options_of_other_files_are_refused(tmp_path):
    np.save(tmp_path / "x.npy", X)
    with pytest.raises(ParameterError, match=r"options of csv files.* is a \.npy file"):
        open_source(tmp_path / "x.npy", delimiter=";")
    with pytest.raises(ParameterError, match=r"of an \.npz file, not of \.npy"):
        open_source(tmp_path / "x.npy", array="X")


def zeros(path, name, shape, *, stated=None):
    """Write an archive of zeros, piece by piece; `stated` is the shape that its header claims."""
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open(f"{name}.npy", "w") as file,
    ):
        described = {"descr": "<f8", "fortran_order": False, "shape": stated or shape}
        np.lib.format.write_array_header_1_0(file, described)
        for _ in range(shape[0]):
            file.write(bytes(8 * shape[1]))


def test_an_archive_is_not_expanded_beyond_the_memory_budget(tmp_path):
    zeros(tmp_path / "x.npz", "X", (8, 500_000))  # 32 MB
    assert (tmp_path / "x.npz").stat().st_size < 500_000
    tracemalloc.start()
    with lookalike.config(memory="20MB"), pytest.raises(MemoryBudgetError, match=r"0\.032 GB"):
        open_source(tmp_path / "x.npz")
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.stop()
    with lookalike.config(memory="40MB"):
        assert open_source(tmp_path / "x.npz").n_rows == 8


def test_the_target_of_an_archive_obeys_the_memory_budget_too(tmp_path):
    np.savez_compressed(tmp_path / "x.npz", X=X, y=np.zeros(1_000_000))
    with lookalike.config(memory="1MB"), pytest.raises(MemoryBudgetError, match="array 'y' of"):
        open_source(tmp_path / "x.npz")


def test_an_array_of_an_archive_that_claims_to_be_larger_than_it_is_is_refused(tmp_path):
    zeros(tmp_path / "x.npz", "X", (2, 3), stated=(10**9, 10**9))
    with pytest.raises(SourceError, match="is smaller"):
        open_source(tmp_path / "x.npz")
