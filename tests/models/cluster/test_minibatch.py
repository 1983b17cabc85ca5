"""K-means in batches: the whole pass, and centers that are means of what they were given."""

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


def test_a_fit_is_that_of_k_means(rows):
    model = MiniBatchKMeans(3, random_state=0).fit(rows)
    whole = KMeans(3, random_state=0, tol=0.0, max_iter=100).fit(rows)
    np.testing.assert_array_equal(model.cluster_centers_, whole.cluster_centers_)
    np.testing.assert_array_equal(model.counts_, np.bincount(whole.labels_))


def test_centers_are_the_means_of_the_rows_that_they_were_given(rows):
    model, sums, counts = MiniBatchKMeans(3, init=rows[:3]), np.zeros((3, 2)), np.zeros(3)
    for batch in np.split(rows, 6):
        before = model.cluster_centers_ if counts.any() else None
        model.partial_fit(batch)
        if before is None:
            before = (
                KMeans(3, init=rows[:3], n_init=1, max_iter=1, tol=0).fit(batch).cluster_centers_
            )
        label = ((batch[:, None] - before) ** 2).sum(axis=2).argmin(axis=1)
        np.add.at(sums, label, batch)
        counts += np.bincount(label, minlength=3)
        np.testing.assert_allclose(model.cluster_centers_, sums / counts[:, None])
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
