"""Rows that are kept stay as they are, whatever happens to what they were made of."""

from __future__ import annotations

import os

import numpy as np
import pytest
import scipy.sparse as sp

from lookalike import KNeighborsClassifier, NearestNeighbors
from lookalike.data import open_source
from lookalike.data.sources.kept_rows import kept_rows, read_only, require_unchanged
from lookalike.data.sources.page_release import mapped_file
from lookalike.errors import SourceError

ROWS = np.random.default_rng(0).normal(size=(60, 12))


def test_an_array_that_can_be_written_to_is_copied():
    X = ROWS.copy()
    for given in (X, X[:, ::2], X.T.copy().T, np.asfortranarray(X)):
        assert not np.shares_memory(kept_rows(open_source(given)), X)


def test_a_read_only_view_of_an_array_that_can_be_written_to_is_copied():
    X = ROWS.copy()
    view = X[:]
    view.flags.writeable = False
    assert not np.shares_memory(kept_rows(open_source(view)), X)


def test_memory_that_nobody_can_write_to_is_kept_without_a_copy():
    X = ROWS.copy()
    X.flags.writeable = False
    assert np.shares_memory(kept_rows(open_source(X)), X)
    assert np.shares_memory(kept_rows(open_source(X[10:20])), X)


def test_rows_of_our_own_are_read_only_and_views_of_others_are_left_alone():
    X = ROWS.copy()
    view = read_only(X[:10])
    assert view.flags.writeable
    assert not np.shares_memory(kept_rows(open_source(view)), X)
    assert not read_only(X).flags.writeable
    assert np.shares_memory(NearestNeighbors().fit(X).space_.rows, X)


def test_sparse_rows_are_copied():
    X = sp.csr_array(np.where(ROWS > 0, ROWS, 0.0))
    rows = kept_rows(open_source(X))
    assert not np.shares_memory(rows.data, X.data)
    assert (rows != X).nnz == 0


@pytest.mark.parametrize("algorithm", ["auto", "exact", "brute", "kd_tree", "ball_tree", "lsh"])
@pytest.mark.parametrize("columns", [3, 12])
def test_changed_rows_change_no_neighbors_of_any_index(algorithm, columns):
    X = ROWS[:, :columns].copy()
    model = NearestNeighbors(algorithm=algorithm).fit(X)
    before = model.kneighbors(ROWS[:, :columns])
    self_before = model.kneighbors()
    X[:] = 0.0
    np.testing.assert_array_equal(model.kneighbors(ROWS[:, :columns]), before)
    np.testing.assert_array_equal(model.kneighbors(), self_before)


def test_changed_sparse_rows_and_frames_change_no_neighbors():
    pandas = pytest.importorskip("pandas")
    X = sp.csr_array(np.where(ROWS > 0, ROWS, 0.0))
    model = NearestNeighbors().fit(X)
    before = model.kneighbors()
    X.data[:] = 7.0
    np.testing.assert_array_equal(model.kneighbors(), before)
    frame = pandas.DataFrame(ROWS[:, :2], columns=["a", "b"])
    gower = NearestNeighbors(metric="gower").fit(frame)
    before = gower.kneighbors()
    frame.loc[:, "a"] = 0.0
    np.testing.assert_array_equal(gower.kneighbors(), before)


def test_a_mapped_file_that_was_written_to_is_an_error(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, ROWS)
    model = KNeighborsClassifier().fit(np.load(path, mmap_mode="r"), np.arange(60) % 2)
    before = model.predict(ROWS)
    np.testing.assert_array_equal(model.predict(ROWS), before)
    writable = np.load(path, mmap_mode="r+")
    writable[:] = 0.0
    writable.flush()
    os.utime(path, ns=(0, 0))  # what the system does in its own time
    with pytest.raises(SourceError, match="was written to after fit"):
        model.predict(ROWS)


def test_a_mapped_file_that_was_replaced_or_deleted_leaves_the_rows(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, ROWS)
    file = mapped_file(np.load(path, mmap_mode="r")[:50])
    np.save(tmp_path / "other.npy", np.zeros(3))
    os.replace(tmp_path / "other.npy", path)
    require_unchanged(file)
    path.unlink()
    require_unchanged(file)
    assert mapped_file(ROWS) is None
