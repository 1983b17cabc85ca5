"""LSH finds the share of neighbors it says, and every distance it returns is exact."""

import pickle
from itertools import product

import numpy as np
import oracle
import pytest

from lookalike.errors import (
    MagnitudeError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)
from lookalike.index.lsh import LSHIndex
from lookalike.index.lsh_tuning import measure
from lookalike.kernels.lsh import bucket_rows, draw_functions

METRICS = ("euclidean", "manhattan", "cosine", "jaccard", "hamming")
NARROW = {"euclidean": {"width": 0.3, "n_probes": 0}, "cosine": {"n_probes": 0}}


def rows_for(metric, n=3000, seed=0):
    rng = np.random.default_rng(seed)
    centers = rng.standard_normal((n // 30, 24))
    X = centers[rng.integers(0, len(centers), n)] + 0.3 * rng.standard_normal((n, 24))
    return (X > 0.5).astype(float) if metric in ("jaccard", "hamming") else X


def true_distances(Q, X, metric, exclude, k):
    if metric == "cosine":
        Q, X = (A / np.sqrt(np.square(A).sum(axis=1))[:, None] for A in (Q, X))
    gaps = Q[:, None] - X[None]
    keys = {
        "euclidean": lambda: np.sqrt(oracle.lane_sum(gaps * gaps)),
        "cosine": lambda: oracle.lane_sum(gaps * gaps) / 2,
        "manhattan": lambda: oracle.lane_sum(np.abs(gaps)),
        "hamming": lambda: (gaps != 0).mean(axis=2),
        "jaccard": lambda: (
            (gaps != 0).sum(axis=2) / np.maximum(1, ((Q[:, None] + X[None]) > 0).sum(axis=2))
        ),
    }[metric]()
    return oracle.nearest(keys, k, exclude)


@pytest.mark.parametrize("metric", METRICS)
def test_the_recall_is_reached_measured_and_reported(metric):
    X = rows_for(metric)
    index = LSHIndex(X, metric=metric, recall=0.9)
    assert index.recall_.low <= index.recall_.share <= index.recall_.high
    assert index.recall_.high >= 0.9
    assert f"{index.recall_.share:.3f}" in str(index.decisions.about("recall")[0])
    rows = np.random.default_rng(7).choice(len(X), 100, replace=False)
    result, stats = index.query_with_stats(X[rows], 10, exclude=rows)
    distance, _ = true_distances(X[rows], X, metric, rows, 10)
    share = measure(result.distance, distance * (1 + 1e-12)).share
    assert share > 0.85
    assert stats["compared"] < len(X)


@pytest.mark.parametrize("metric", METRICS)
def test_what_is_returned_are_rows_at_their_exact_distances_in_order(metric):
    X = rows_for(metric, 600)
    index = LSHIndex(X, metric=metric)
    result = index.query(X[:40], 8)
    distance, rows = true_distances(X[:40], X, metric, None, len(X))
    at = np.argsort(rows, axis=1)
    own = np.take_along_axis(np.take_along_axis(distance, at, 1), result.row, 1)
    np.testing.assert_allclose(result.distance, own, rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(result.distance[:, 0], 0.0)
    pairs = np.rec.fromarrays([result.distance, result.row])
    np.testing.assert_array_equal(np.sort(pairs, axis=1), pairs)
    assert all(len(set(row)) == 8 for row in result.row.tolist())


def test_a_seed_gives_the_same_answers_on_any_number_of_threads():
    X = rows_for("euclidean")
    one, two = (LSHIndex(X, random_state=3, threads=t) for t in (1, 2))
    assert one.decisions == two.decisions
    for threads in (1, 2, 3):
        np.testing.assert_array_equal(one.query(X, 5, threads=threads).row, two.query(X, 5).row)
    assert not np.array_equal(LSHIndex(X, random_state=4)._hashed.tables[0], one._hashed.tables[0])


def test_too_few_candidates_fall_back_to_a_scan_and_are_counted():
    X = rows_for("euclidean", 500)
    index = LSHIndex(X, n_tables=1, n_hashes=20, width=0.01)
    Q = np.random.default_rng(0).standard_normal((30, 24)) * 10
    result, stats = index.query_with_stats(Q, 7)
    assert stats["scanned"] == 30
    assert stats["compared"] == 500
    distance, rows = true_distances(Q, X, "euclidean", None, 7)
    np.testing.assert_array_equal(result.row, rows)
    np.testing.assert_array_equal(result.distance, distance)
    assert index.decisions.about("scan")


@pytest.mark.parametrize("metric", METRICS)
def test_equal_rows_all_in_one_bucket_are_returned_by_number(metric):
    index = LSHIndex(np.ones((300, 4)), metric=metric)
    result = index.query(np.ones((2, 4)), 5, exclude=[0, 2])
    np.testing.assert_array_equal(result.row, [[1, 2, 3, 4, 5], [0, 1, 3, 4, 5]])
    np.testing.assert_array_equal(result.distance, 0)
    assert index.recall_.share == 1


def test_all_rows_can_be_neighbors_and_none_is_garbage():
    X = rows_for("hamming", 40)
    for metric in METRICS:
        index = LSHIndex(X + (metric == "cosine"), metric=metric)
        result = index.query(X[:3] + (metric == "cosine"), 40)
        np.testing.assert_array_equal(np.sort(result.row, axis=1), [np.arange(40)] * 3)


def test_empty_sets_are_equal_to_each_other_and_far_from_others():
    X = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0], [1, 1, 0]])
    result = LSHIndex(X, metric="jaccard").query([[0, 0, 0]], 4)
    np.testing.assert_array_equal(result.row, [[0, 2, 1, 3]])
    np.testing.assert_array_equal(result.distance, [[0, 0, 1, 1]])


@pytest.mark.parametrize("scale", [1e200, 1e-200])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_extreme_magnitudes_are_scaled(scale, metric):
    X = rows_for(metric, 400)
    power = 2.0 ** np.round(np.log2(scale))
    usual, extreme = (LSHIndex(A, metric=metric).query(A[:20], 5) for A in (X, X * power))
    np.testing.assert_array_equal(usual.row, extreme.row)
    factor = 1 if metric == "cosine" else power
    np.testing.assert_allclose(usual.distance * factor, extreme.distance, rtol=1e-15)


def test_probes_look_into_more_buckets_and_find_more():
    X = rows_for("euclidean")
    settings = {"n_tables": 4, "n_hashes": 8, "width": 2.0}
    few, many = (LSHIndex(X, n_probes=n, **settings).query_radius(X[:200], 3.0).row for n in (0, 8))
    assert 1.2 * len(few) < len(many)


def test_candidates_within_a_radius_are_within_it():
    X = rows_for("euclidean", 800)
    result = LSHIndex(X).query_radius(X[:10], 1.5, exclude=np.arange(10))
    true = true_distances(X[:10], X, "euclidean", np.arange(10), 799)[0] <= 1.5
    assert (result.distance <= 1.5).all()
    assert 0.5 * true.sum() < len(result.row) <= true.sum()


def test_adding_and_removing_answers_like_a_new_index():
    X = rows_for("cosine", 300)
    index = LSHIndex(X[:200], metric="cosine")
    index.add(X[200:])
    index.remove(np.arange(50))
    new = LSHIndex(X[50:], metric="cosine")
    np.testing.assert_array_equal(index.query(X[:20], 6).row, new.query(X[:20], 6).row)
    assert index.decisions == new.decisions


def test_a_pickled_index_answers_alike():
    index = LSHIndex(rows_for("euclidean", 200))
    twin = pickle.loads(pickle.dumps(index))
    np.testing.assert_array_equal(index.query(index._X, 3).row, twin.query(index._X, 3).row)


def test_a_single_row_is_found_and_its_recall_not_claimed():
    index = LSHIndex([[1.0, 2.0]])
    assert index.query([[0.0, 0.0]], 1).row.tolist() == [[0]]
    assert index.recall_ is None
    assert "not measured" in str(index.decisions)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: LSHIndex([[0.0, 0.0], [1.0, 0.0]], metric="cosine"), ParameterError),
        (lambda: LSHIndex([[0.5, 0.0]], metric="jaccard"), ParameterError),
        (lambda: LSHIndex([[np.nan]]), MissingValueError),
        (lambda: LSHIndex(np.empty((0, 2))), ShapeError),
        (lambda: LSHIndex([[1.0]], metric="chebyshev"), ParameterError),
        (lambda: LSHIndex([[1.0]], recall=1.0), ParameterError),
        (lambda: LSHIndex([[1.0]], recall="high"), ParameterTypeError),
        (lambda: LSHIndex([[1.0]], n_tables=0), ParameterError),
        (lambda: LSHIndex([[1.0]], n_hashes=2.0), ParameterTypeError),
        (lambda: LSHIndex([[1.0]], width=0.0), ParameterError),
        (lambda: LSHIndex([[1.0]], width=1.0, metric="cosine"), ParameterError),
        (lambda: LSHIndex([[1.0]], n_probes=1, metric="jaccard"), ParameterError),
        (lambda: LSHIndex([[1.0]], n_probes=9, n_hashes=2), ParameterError),
        (lambda: LSHIndex(rows_for("euclidean", 600), n_probes=9, n_hashes=2), ParameterError),
        (lambda: LSHIndex(rows_for("euclidean", 600), n_probes=10**6), ParameterError),
        (lambda: LSHIndex([[1.0]]).query([[1.0]], 2), ParameterError),
        (lambda: LSHIndex([[1.0]]).query([[1.0]], True), ParameterTypeError),
        (lambda: LSHIndex([[1.0]]).query([[1e200]], 1), MagnitudeError),
        (lambda: LSHIndex([[1.0]], metric="cosine").query([[0.0]], 1), ParameterError),
        (lambda: LSHIndex([[1.0]]).remove([0]), ParameterError),
    ],
)
def test_what_cannot_be_honored_is_refused(make, error):
    with pytest.raises(error):
        make()


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_queries_with_too_few_candidates_get_the_bits_of_a_scan(metric):
    X = rows_for(metric, 700)
    index = LSHIndex(X, metric=metric, n_tables=1, n_hashes=24, **NARROW[metric])
    rows = np.arange(40)
    result, stats = index.query_with_stats(X[rows], 9, exclude=rows)
    assert stats["scanned"] > 0
    lacking = index._search(index._X[rows], 9, rows, 1)[1] < 0
    scan = index._search_all(index._X, rows, 9, rows)
    np.testing.assert_array_equal(result.row[lacking], scan.row[lacking])
    np.testing.assert_array_equal(result.distance[lacking], scan.distance[lacking])


def test_an_index_says_whether_exact_search_would_be_quicker():
    rng = np.random.default_rng(0)
    even = rng.standard_normal((4000, 40))
    assert "times faster here" in str(LSHIndex(even).decisions.about("exact search")[0])
    twins = np.repeat(rng.standard_normal((3000, 40)), 12, axis=0)
    twins += 1e-3 * rng.standard_normal(twins.shape)
    assert "times slower here" in str(LSHIndex(twins).decisions.about("exact search")[0])


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("n_probes", [1, 3, 20, 100])
def test_a_given_number_of_probes_is_used_with_hashes_enough_for_it(metric, n_probes):
    index = LSHIndex(rows_for("euclidean", 600), metric=metric, n_probes=n_probes, n_tables=2)
    assert index.setting.probes == n_probes


def test_probes_are_the_easiest_changes_of_several_hashes_in_order():
    rng = np.random.default_rng(1)
    X, d = rng.standard_normal((20, 5)), 5
    functions = draw_functions("gaussian", 1, 3, width=1.5, center=np.zeros(d), d=d, seed=0)
    probed = bucket_rows(X, functions, 26, 1)
    changes = np.array(list(product((-1, 0, 1), repeat=3)))
    buckets = np.column_stack(
        [bucket_rows(X, functions._replace(offset=functions.offset + c), 0, 1) for c in changes]
    )
    at = X @ functions.direction.T / functions.width + functions.offset
    above = at - np.floor(at)
    gap = np.where(changes[None] < 0, above[:, None], 1 - above[:, None]) * (changes[None] != 0)
    order = np.argsort((gap**2).sum(axis=2), axis=1)
    np.testing.assert_array_equal(probed, np.take_along_axis(buckets, order, 1))
