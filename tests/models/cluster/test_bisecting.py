"""Bisecting k-means: the tree of parts, rows that go down it, equal rows, sparse rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import lookalike
from lookalike import KMeans
from lookalike.cluster import BisectingKMeans
from lookalike.errors import ModelFileError, ParameterError


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(place, 0.3, (40, 3)) for place in (0.0, 5.0, 20.0, 21.5)])


def test_each_parting_is_that_of_k_means_on_the_rows_of_the_cluster(rows):
    model = BisectingKMeans(2, random_state=3).fit(rows)
    inertia = min(KMeans(2, random_state=seed).fit(rows).inertia_ for seed in range(5))
    assert model.inertia_ == pytest.approx(inertia)


def test_the_cluster_of_the_largest_inertia_or_of_the_most_rows_is_parted(rows):
    many = np.concatenate([rows[:80], rows[80:] / 1000.0 + 90.0])  # the dense part has most rows
    many = np.concatenate([many, many[80:] + 0.0005])
    wide = BisectingKMeans(3).fit(many)
    full = BisectingKMeans(3, bisecting_strategy="largest_cluster").fit(many)
    assert len(np.unique(wide.labels_[:80])) == 2
    assert len(np.unique(full.labels_[:80])) == 1


def test_rows_arrive_where_they_were_and_inertia_is_that_of_their_clusters(rows):
    model = BisectingKMeans(4, random_state=1).fit(rows)
    np.testing.assert_array_equal(model.predict(rows), model.labels_)
    apart = rows - model.cluster_centers_[model.labels_]
    assert model.inertia_ == pytest.approx((apart**2).sum())
    assert sorted(np.bincount(model.labels_)) == [40, 40, 40, 40]


def test_sparse_rows_have_the_same_clusters(rows):
    dense = BisectingKMeans(3, random_state=2).fit(rows)
    sparse = BisectingKMeans(3, random_state=2).fit(sp.csr_array(rows))
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    assert sparse.inertia_ == pytest.approx(dense.inertia_)


def test_equal_rows_leave_clusters_empty_and_that_is_recorded():
    model = BisectingKMeans(3).fit(np.ones((5, 2)))
    assert model.cluster_centers_.tolist() == [[1.0, 1.0]] * 3
    assert "without rows" in str(model.decisions_.about("n_clusters")[0])


def test_rows_without_weight_make_no_cluster(rows):
    weight = np.r_[np.ones(80), np.zeros(80)]
    model = BisectingKMeans(2).fit(rows, sample_weight=weight)
    alone = BisectingKMeans(2).fit(rows[:80])
    np.testing.assert_allclose(np.sort(model.cluster_centers_), np.sort(alone.cluster_centers_))
    with pytest.raises(ParameterError, match="n_samples=80"):
        BisectingKMeans(81).fit(rows, sample_weight=weight)


@pytest.mark.parametrize(
    "forged",
    [
        {"children": np.zeros((3, 2), int)},
        {"children": np.array([[1, 9], [-1, -1], [-1, -1]])},
        {"children": np.array([[1, 2], [2, -1], [-1, -1]])},
        {"labels": np.zeros(2, int)},
    ],
)
def test_a_forged_tree_in_which_rows_would_walk_for_ever_is_refused(rows, forged, tmp_path):
    model = BisectingKMeans(2, random_state=3).fit(rows)
    model.tree_ = model.tree_._replace(**forged)
    lookalike.save(model, tmp_path / "forged.lookalike")
    with pytest.raises(ModelFileError, match="no tree"):
        lookalike.load(tmp_path / "forged.lookalike")
