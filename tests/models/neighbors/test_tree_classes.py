"""KDTree and BallTree: scikit-learn's contract over our exact indexes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sklearn.neighbors
from scipy.spatial.distance import cdist

from lookalike import LookalikeError, load, save
from lookalike.models.neighbors.distance_kernels import DISTANCE_KERNELS
from lookalike.neighbors import BallTree, KDTree

RNG = np.random.default_rng(0)
ROWS, QUERIES = RNG.normal(size=(200, 3)), RNG.normal(size=(20, 3))
TREES = [KDTree, BallTree]


@pytest.mark.parametrize("kind", TREES)
def test_queries_are_those_of_scikit_learn(kind):
    ours, theirs = kind(ROWS, leaf_size=3), getattr(sklearn.neighbors, kind.__name__)(ROWS)
    for found, expected in zip(ours.query(QUERIES, k=7), theirs.query(QUERIES, k=7), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    count = ours.query_radius(QUERIES, r=0.9, count_only=True)
    np.testing.assert_array_equal(count, theirs.query_radius(QUERIES, r=0.9, count_only=True))
    rows, distance = ours.query_radius(QUERIES, r=0.9, return_distance=True, sort_results=True)
    expected = theirs.query_radius(QUERIES, r=0.9, return_distance=True, sort_results=True)
    for some, others in zip((*rows, *distance), (*expected[0], *expected[1]), strict=True):
        np.testing.assert_allclose(some, others, rtol=1e-12)


@pytest.mark.parametrize("kind", TREES)
def test_queries_of_any_number_of_dimensions_keep_their_shape(kind):
    tree = kind(ROWS)
    distance, row = tree.query(QUERIES.reshape(4, 5, 3), k=2)
    assert distance.shape == row.shape == (4, 5, 2)
    assert tree.query_radius(QUERIES[0], r=1.0, count_only=True).shape == ()
    assert tree.query_radius(QUERIES.reshape(4, 5, 3), r=1.0).shape == (4, 5)


@pytest.mark.parametrize("kind", TREES)
def test_pairs_within_every_radius_are_counted(kind):
    radius = np.array([2.0, 0.0, 0.5, 1.0])
    between = cdist(QUERIES, ROWS)
    expected = [(between <= r).sum() for r in radius]
    assert kind(ROWS).two_point_correlation(QUERIES, radius).tolist() == expected


@pytest.mark.parametrize("kernel", DISTANCE_KERNELS)
@pytest.mark.parametrize("h", [0.05, 0.7, 5.0])
def test_densities_are_sums_of_kernels_also_where_those_of_scikit_learn_lose_them(kernel, h):
    u = cdist(QUERIES, ROWS) / h
    theirs = sklearn.neighbors.KDTree(np.zeros((1, 3)))
    norm = theirs.kernel_density(np.zeros((1, 3)), h, kernel=kernel)[0]
    shapes = {
        "gaussian": np.exp(-0.5 * u * u),
        "tophat": (u < 1) * 1.0,
        "epanechnikov": np.maximum(1 - u * u, 0),
        "exponential": np.exp(-u),
        "linear": np.maximum(1 - u, 0),
        "cosine": np.where(u < 1, np.cos(np.pi / 2 * u), 0),
    }
    expected = norm * shapes[kernel].sum(axis=1)
    tree = KDTree(ROWS)
    np.testing.assert_allclose(tree.kernel_density(QUERIES, h, kernel), expected, rtol=1e-10)
    with np.errstate(divide="ignore"):
        logarithm = np.log(expected)
    found = tree.kernel_density(QUERIES, h, kernel, return_log=True)
    seen = np.isfinite(logarithm) & (expected > 1e-290)
    np.testing.assert_allclose(found[seen], logarithm[seen], rtol=1e-10)


def test_the_logarithm_of_a_density_is_finite_where_the_density_underflows():
    tree = KDTree([[0.0], [1.0]])
    found = tree.kernel_density([[1001.0]], 1.0, return_log=True)
    np.testing.assert_allclose(found, [-0.5 * 1e6 - 0.5 * np.log(2 * np.pi)], rtol=1e-12)


@pytest.mark.parametrize("kind", TREES)
def test_a_tree_survives_pickle_and_a_model_file(kind, tmp_path):
    tree = kind(ROWS)
    save(tree, tmp_path / "tree.model")
    for other in (pickle.loads(pickle.dumps(tree)), load(tmp_path / "tree.model")):
        np.testing.assert_array_equal(other.query(QUERIES, 3)[1], tree.query(QUERIES, 3)[1])


def test_changing_the_array_changes_no_answer():
    rows = ROWS.copy()
    tree = KDTree(rows)
    before = tree.query(QUERIES, 3)[0]
    rows[:] = 0
    np.testing.assert_array_equal(tree.query(QUERIES, 3)[0], before)
    assert len(tree) == 200
    np.testing.assert_array_equal(tree.data, ROWS)


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: KDTree(ROWS, metric="cosine"), "not valid for KDTree"),
        (lambda: KDTree(ROWS).query(QUERIES, k=201), "number of training points"),
        (lambda: KDTree(ROWS).query(QUERIES[:, :2]), "must match training data dimension"),
        (lambda: KDTree(ROWS).query_radius(QUERIES, 1.0, sort_results=True), "sort_results"),
        (lambda: KDTree(ROWS).query_radius(QUERIES, 1.0, True, True), "count_only"),
        (lambda: KDTree(ROWS).kernel_density(QUERIES, 0.0), "h=0.0"),
        (lambda: KDTree(ROWS).kernel_density(QUERIES, 1.0, "box"), "kernel='box'"),
    ],
)
def test_errors_say_what_was_asked(call, what):
    with pytest.raises(LookalikeError, match=what):
        call()
