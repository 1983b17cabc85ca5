"""What may be thrown at neighbors: sparse, ragged, empty, changing and passing rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.neighbors

import lookalike
import lookalike.neighbors
from lookalike import KNeighborsClassifier, KNeighborsRegressor
from lookalike.data import open_source
from lookalike.errors import LookalikeError, RepeatError

RNG = np.random.default_rng(44)
ROWS = np.round(RNG.normal(size=(40, 4)), 1) * (RNG.random((40, 4)) > 0.4)
LABELS = RNG.integers(0, 3, size=40)
EXPECTED = KNeighborsClassifier(3).fit(ROWS, LABELS).predict(ROWS)


def unsorted(X):
    """Return a matrix whose columns come in another order within each row."""
    coo = sp.coo_matrix(X)
    order = np.lexsort((-coo.col, coo.row))
    start = np.searchsorted(coo.row[order], np.arange(len(X) + 1))
    return sp.csr_matrix((coo.data[order], coo.col[order], start), shape=X.shape)


@pytest.mark.parametrize(
    "kind",
    [sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array, sp.coo_array, unsorted],
    ids=lambda kind: kind.__name__,
)
def test_case_44_sparse_rows_of_every_kind_answer_as_dense_ones(kind):
    model = KNeighborsClassifier(3).fit(kind(ROWS), LABELS)
    assert sp.issparse(model.space_.rows)  # never made dense
    np.testing.assert_array_equal(model.predict(kind(ROWS)), EXPECTED)


def test_case_44_a_missing_value_in_sparse_rows_is_an_error():
    rows = sp.csr_matrix(ROWS)
    rows.data[3] = np.nan
    with pytest.raises(ValueError, match=r"missing|NaN|finite"):
        KNeighborsClassifier(3).fit(rows, LABELS)


@pytest.mark.parametrize("X", [[[1.0, 2.0], [3.0]], np.zeros((2, 2, 2)), np.zeros(3), 5.0])
def test_case_45_what_is_no_table_is_an_error(X):
    with pytest.raises((LookalikeError, ValueError)):
        KNeighborsClassifier(1).fit(X, [0, 1])


def test_case_46_a_tensor_that_needs_a_gradient_is_an_error_or_read():
    torch = pytest.importorskip("torch")
    model = KNeighborsClassifier(3).fit(ROWS, LABELS)
    np.testing.assert_array_equal(model.predict(torch.tensor(ROWS)), EXPECTED)


def test_case_48_an_empty_chunk_is_skipped_and_only_empty_chunks_are_an_error():
    parts = [(ROWS[:15], LABELS[:15]), (ROWS[:0], LABELS[:0]), (ROWS[15:], LABELS[15:])]
    model = KNeighborsClassifier(3).fit(open_source(lambda: iter(parts)))
    np.testing.assert_array_equal(model.predict(ROWS), EXPECTED)
    with pytest.raises((LookalikeError, ValueError)):
        KNeighborsClassifier(3).fit(open_source(lambda: iter([(ROWS[:0], LABELS[:0])])))


def test_case_49_chunks_of_another_width_are_named():
    parts = [(ROWS[:15], LABELS[:15]), (ROWS[15:, :3], LABELS[15:])]
    with pytest.raises((LookalikeError, ValueError), match=r"chunk|column|feature"):
        KNeighborsClassifier(3).fit(open_source(lambda: iter(parts)))


def test_case_50_rows_that_pass_once_cannot_stay_in_their_source():
    with pytest.raises(RepeatError, match="once"):
        KNeighborsRegressor(3, engine="stream").fit(iter([ROWS]), LABELS)
    kept = KNeighborsClassifier(3).fit(open_source(iter([(ROWS, LABELS)])))  # read into memory
    np.testing.assert_array_equal(kept.predict(ROWS), EXPECTED)


def test_case_56_a_class_that_comes_in_the_last_chunk_is_one_of_the_classes():
    labels = np.where(np.arange(40) < 35, "a", "z")
    parts = [(ROWS[i : i + 10], labels[i : i + 10]) for i in range(0, 40, 10)]
    model = KNeighborsClassifier(3).fit(open_source(lambda: iter(parts)))
    assert model.classes_.tolist() == ["a", "z"]
    assert model.predict_proba(ROWS).shape == (40, 2)


def test_a_fitted_model_or_tree_stands_for_its_rows():
    rows = np.random.default_rng(0).normal(size=(30, 3))
    expected = lookalike.NearestNeighbors(n_neighbors=2).fit(rows).kneighbors(rows)
    holders = (
        lookalike.NearestNeighbors(metric="l1").fit(rows),
        lookalike.neighbors.BallTree(rows),
        sklearn.neighbors.KDTree(rows),
        sklearn.neighbors.NearestNeighbors().fit(rows),
    )
    for holder in holders:
        found = lookalike.NearestNeighbors(n_neighbors=2).fit(holder).kneighbors(rows)
        np.testing.assert_array_equal(found[1], expected[1])


def test_what_a_call_does_not_need_may_be_none():
    rows = np.random.default_rng(0).normal(size=(30, 3))
    model = lookalike.NearestNeighbors(n_neighbors=None, radius=None, metric="l1", p=None).fit(rows)
    assert model.kneighbors(rows, 2)[1].shape == (30, 2)
    assert len(model.radius_neighbors(rows, 0.5)[1]) == 30
    with pytest.raises(lookalike.LookalikeError, match="n_neighbors is None"):
        model.kneighbors(rows)
    with pytest.raises(lookalike.LookalikeError, match="radius is None"):
        model.radius_neighbors(rows)
    with pytest.raises(lookalike.LookalikeError, match="p=None"):
        lookalike.NearestNeighbors(p=None).fit(rows)


def test_a_python_function_compares_sparse_rows():
    rows = np.round(np.random.default_rng(0).normal(size=(40, 5)))

    def taxi(x, y):
        assert sp.issparse(x)
        return abs(x - y).sum()

    sparse = sp.csr_array(rows)
    found = lookalike.NearestNeighbors(n_neighbors=3, metric=taxi).fit(sparse).kneighbors(sparse)
    expected = lookalike.NearestNeighbors(n_neighbors=3, metric="l1").fit(rows).kneighbors(rows)
    np.testing.assert_array_equal(found[1], expected[1])


def test_a_power_below_one_warns_and_is_refused_by_trees():
    rows = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.warns(UserWarning, match="not distance metrics"):
        found = lookalike.NearestNeighbors(p=0.5).fit(rows).kneighbors(rows)
    with pytest.warns(UserWarning, match="not distance metrics"):
        theirs = sklearn.neighbors.NearestNeighbors(p=0.5, algorithm="brute").fit(rows)
    np.testing.assert_allclose(found[0], theirs.kneighbors(rows)[0], rtol=1e-12)
    with pytest.raises(lookalike.LookalikeError, match="does not support 0 < p < 1"):
        lookalike.NearestNeighbors(p=0.5, algorithm="kd_tree").fit(rows)
