"""K-means of batches: near the whole pass, every parameter counts, engines make no difference."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lookalike import KMeans
from lookalike.cluster import MiniBatchKMeans


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    places = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 9.0]])
    return places[rng.integers(3, size=300)] + rng.normal(0, 0.5, (300, 2))


@pytest.fixture(scope="module")
def many_rows():
    rng = np.random.default_rng(1)
    return rng.normal(size=(20, 6))[rng.integers(20, size=8000)] * 4 + rng.normal(size=(8000, 6))


def test_centers_are_near_those_of_k_means(many_rows):
    model = MiniBatchKMeans(20).fit(many_rows)
    assert model.inertia_ < 1.2 * KMeans(20).fit(many_rows).inertia_  # optima are local
    assert model.inertia_ == pytest.approx(-model.score(many_rows))
    np.testing.assert_array_equal(model.labels_, model.predict(many_rows))
    assert model.decisions_


def test_batches_are_the_same_on_every_engine_and_of_sparse_rows(many_rows):
    weight = np.random.default_rng(2).integers(0, 3, len(many_rows)).astype(float)
    options = {"n_clusters": 5, "batch_size": 500, "random_state": 3}
    whole = MiniBatchKMeans(**options).fit(many_rows, sample_weight=weight)
    for X, engine in ((many_rows, "stream"), (sp.csr_array(many_rows), "memory")):
        other = MiniBatchKMeans(**options, engine=engine).fit(X, sample_weight=weight)
        np.testing.assert_allclose(other.cluster_centers_, whole.cluster_centers_, rtol=1e-12)
        np.testing.assert_allclose(other.counts_, whole.counts_)
        assert other.n_steps_ == whole.n_steps_


def test_a_batch_of_all_rows_makes_a_weight_count_as_copies(rows):
    weight = np.tile([0.0, 1.0, 2.0], 100)
    weighted = MiniBatchKMeans(3).fit(rows, sample_weight=weight)
    copies = MiniBatchKMeans(3).fit(np.repeat(rows, weight.astype(int), axis=0))
    np.testing.assert_allclose(weighted.cluster_centers_, copies.cluster_centers_)
    assert weighted.inertia_ == pytest.approx(copies.inertia_)


@pytest.mark.parametrize(
    ("option", "other"),
    [
        ("batch_size", 64),
        ("max_no_improvement", 1),
        ("tol", 0.5),
        ("init_size", 25),
        ("n_init", 4),
        ("random_state", 7),
        ("max_iter", 1),
    ],
)
def test_every_parameter_counts(many_rows, option, other):
    usual = {"n_clusters": 20, "batch_size": 256, "max_no_improvement": 30}
    model = MiniBatchKMeans(**usual).fit(many_rows)
    changed = MiniBatchKMeans(**{**usual, option: other}).fit(many_rows)
    assert not np.array_equal(model.cluster_centers_, changed.cluster_centers_)


def test_batches_end_by_the_shift_by_no_improvement_or_by_their_number(many_rows):
    reasons = {
        "small centers change": {"tol": 0.5},
        "lack of improvement in inertia": {"max_no_improvement": 2},
        "max_iter": {"max_no_improvement": None, "max_iter": 2},
    }
    for reason, options in reasons.items():
        model = MiniBatchKMeans(4, batch_size=1000, **options).fit(many_rows)
        assert [why for what, _, why in model.decisions_ if what == "n_steps"] == [reason]
    assert (model.n_steps_, model.n_iter_) == (16, 2)


def test_a_center_of_little_weight_is_given_another_row_unless_the_ratio_is_0(rows):
    init = np.array([[0.0, 0.0], [8.0, 0.0], [1e3, 1e3]])
    left = MiniBatchKMeans(3, init=init, reassignment_ratio=0.0).fit(rows)
    np.testing.assert_array_equal(left.cluster_centers_[2], init[2])
    assert left.counts_[2] == 0
    given = MiniBatchKMeans(3, init=init).fit(rows)
    assert (given.counts_ > 0).all()
    assert (np.abs(given.cluster_centers_) < 10).all()


def test_without_labels_the_inertia_is_estimated(many_rows):
    full = MiniBatchKMeans(20).fit(many_rows)
    model = MiniBatchKMeans(20).fit(many_rows)
    model.set_params(compute_labels=False).fit(many_rows)
    assert not hasattr(model, "labels_")
    assert model.inertia_ == pytest.approx(full.inertia_, rel=0.1)
    np.testing.assert_array_equal(model.fit_predict(many_rows), full.labels_)


def test_centers_are_the_means_of_the_rows_that_they_were_given(rows):
    model = MiniBatchKMeans(3, init=rows[:3], reassignment_ratio=0.0)
    before, sums, counts = rows[:3], np.zeros((3, 2)), np.zeros(3)
    for batch in np.split(rows, 6):
        label = ((batch[:, None] - before) ** 2).sum(axis=2).argmin(axis=1)
        model.partial_fit(batch)
        np.add.at(sums, label, batch)
        counts += np.bincount(label, minlength=3)
        np.testing.assert_allclose(model.cluster_centers_, sums / counts[:, None])
        before = model.cluster_centers_
    np.testing.assert_array_equal(model.counts_, counts)
    assert model.n_steps_ == 6


def test_a_weight_counts_as_that_many_rows_and_sparse_batches_as_dense_ones(rows):
    weight = np.tile([1.0, 2.0], 75)
    weighted = MiniBatchKMeans(3).fit(rows)
    twice, sparse = MiniBatchKMeans(3).fit(rows), MiniBatchKMeans(3).fit(rows)
    weighted.partial_fit(rows[:150], sample_weight=weight)
    twice.partial_fit(np.repeat(rows[:150], weight.astype(int), axis=0))
    sparse.partial_fit(sp.csr_array(rows[:150]), sample_weight=weight)
    np.testing.assert_allclose(weighted.cluster_centers_, twice.cluster_centers_)
    np.testing.assert_allclose(sparse.cluster_centers_, weighted.cluster_centers_)
    assert weighted.inertia_ == pytest.approx(twice.inertia_)
