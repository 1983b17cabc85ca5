"""The nearest rows of every query, wherever the rows lie."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import nearest, squared_distances
from sklearn.neighbors import NearestNeighbors as Peer
from sklearn.utils.estimator_checks import check_estimator

import lookalike
from lookalike import NearestNeighbors, config
from lookalike.errors import (
    EngineError,
    MagnitudeError,
    MemoryBudgetError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    RepeatError,
    ShapeError,
)

RNG = np.random.default_rng(11)
ROWS = RNG.normal(size=(300, 12)).astype(np.float32)
QUERIES = RNG.normal(size=(20, 12)).astype(np.float32)
LATTICE = RNG.integers(0, 3, size=(300, 12)).astype(float)  # many equal distances


@pytest.mark.parametrize("algorithm", ["auto", "exact", "brute", "kd_tree", "ball_tree"])
def test_scikit_learns_checks_pass(algorithm):
    model = NearestNeighbors(n_neighbors=2, algorithm=algorithm)
    results = check_estimator(model, on_skip=None, on_fail=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


@pytest.mark.parametrize("algorithm", ["auto", "exact", "brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("rows", [ROWS, LATTICE], ids=["normal", "lattice"])
def test_every_exact_algorithm_gives_the_rows_of_the_reference(algorithm, rows):
    distance, row = NearestNeighbors(7, algorithm=algorithm).fit(rows).kneighbors(rows[:30])
    keys, expected = nearest(squared_distances(rows[:30], rows), 7)
    np.testing.assert_array_equal(row, expected)
    np.testing.assert_array_equal(distance, np.sqrt(keys).astype(rows.dtype))


@pytest.mark.parametrize("algorithm", ["exact", "brute", "kd_tree"])
def test_a_row_is_left_out_of_its_own_neighbors_by_its_number(algorithm):
    doubled = np.concatenate([LATTICE[:40], LATTICE[:40]])
    _, row = NearestNeighbors(3, algorithm=algorithm).fit(doubled).kneighbors()
    _, expected = nearest(squared_distances(doubled, doubled), 3, exclude=np.arange(80))
    np.testing.assert_array_equal(row, expected)


@pytest.mark.parametrize(
    ("metric", "p"),
    [("minkowski", 1), ("minkowski", 3), ("manhattan", 2), ("chebyshev", 2), ("cosine", 2)],
)
def test_answers_are_scikit_learns_on_ordinary_rows(metric, p):
    mine = NearestNeighbors(6, metric=metric, p=p).fit(ROWS.astype(float))
    peer = Peer(n_neighbors=6, metric=metric, p=p).fit(ROWS.astype(float))
    distance, row = mine.kneighbors(QUERIES.astype(float))
    peer_distance, peer_row = peer.kneighbors(QUERIES.astype(float))
    np.testing.assert_array_equal(row, peer_row)
    np.testing.assert_allclose(distance, peer_distance, rtol=1e-10, atol=1e-12)
    assert mine.effective_metric_ == peer.effective_metric_


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 40), st.integers(1, 9), st.booleans())
def test_rows_in_chunks_give_what_rows_in_memory_give(chunk_rows, k, exclude):
    source = lambda: (LATTICE[i : i + chunk_rows] for i in range(0, 300, chunk_rows))  # noqa: E731
    here = NearestNeighbors(k, algorithm="brute").fit(LATTICE)
    with config(memory=32 * 12 * 8 * chunk_rows):
        there = NearestNeighbors(k, engine="stream").fit(source)
        queries = None if exclude else LATTICE[:25]
        with config(memory="1GB"):
            expected = here.kneighbors(queries)
        found = _within_budget(there, queries)
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_array_equal(found[0], expected[0])


def _within_budget(model, queries):
    with config(memory="1GB"):
        return model.kneighbors(queries)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_a_cluster_gives_what_memory_gives(cluster, metric):
    import dask.array as da

    rows = ROWS.astype(float)
    here = NearestNeighbors(4, metric=metric).fit(rows)
    there = NearestNeighbors(4, metric=metric).fit(da.from_array(rows, chunks=(70, 12)))
    for queries in (None, QUERIES.astype(float)):
        for mine, theirs in zip(there.kneighbors(queries), here.kneighbors(queries), strict=True):
            np.testing.assert_array_equal(mine, theirs)
    radius = float(np.median(here.kneighbors()[0]))
    mine = there.radius_neighbors(QUERIES, radius)
    for found, expected in zip(mine[1], here.radius_neighbors(QUERIES, radius)[1], strict=True):
        np.testing.assert_array_equal(found, expected)


def test_a_file_that_fits_is_read_into_memory_and_one_that_does_not_stays(tmp_path):
    header = ",".join(f"c{j}" for j in range(12))
    for name, rows in (("rows.csv", LATTICE), ("queries.csv", LATTICE[:5])):
        np.savetxt(tmp_path / name, rows, "%d", ",", header=header, comments="")
    _, expected = NearestNeighbors(3).fit(LATTICE).kneighbors(LATTICE[:5])
    _, row = NearestNeighbors(3).fit(tmp_path / "rows.csv").kneighbors(tmp_path / "queries.csv")
    np.testing.assert_array_equal(row, expected)
    streamed = NearestNeighbors(3, engine="stream").fit(tmp_path / "rows.csv")
    np.testing.assert_array_equal(streamed.kneighbors(tmp_path / "queries.csv")[1], expected)
    assert lookalike.neighbors.search_plan(streamed).index == "chunks"


def test_radius_neighbors_include_the_boundary_and_come_nearest_first():
    line = np.arange(10.0)[:, None]
    distance, row = NearestNeighbors(radius=2.0).fit(line).radius_neighbors([[4.0]])
    assert row[0].tolist() == [4, 3, 5, 2, 6]
    assert distance[0].tolist() == [0.0, 1.0, 1.0, 2.0, 2.0]


def test_graphs_are_scikit_learns():
    mine, peer = NearestNeighbors(4).fit(ROWS), Peer(n_neighbors=4).fit(ROWS)
    for mode in ("connectivity", "distance"):
        gap = mine.kneighbors_graph(mode=mode) - peer.kneighbors_graph(mode=mode)
        assert abs(gap).max() < 1e-5
        wide = mine.radius_neighbors_graph(ROWS[:9], 4.0, mode=mode)
        gap = wide - peer.radius_neighbors_graph(ROWS[:9], 4.0, mode=mode)
        assert abs(gap).max() < 1e-5


@pytest.mark.parametrize("algorithm", ["exact", "brute", "kd_tree"])
def test_adding_and_removing_rows_equals_a_fit_of_the_rows_left(algorithm):
    model = NearestNeighbors(5, algorithm=algorithm).fit(LATTICE[:200])
    model.partial_fit(LATTICE[200:]).remove([3, 250, 0])
    left = np.delete(LATTICE, [3, 250, 0], axis=0)
    fresh = NearestNeighbors(5, algorithm=algorithm).fit(left)
    for queries in (None, LATTICE[:9]):
        for mine, theirs in zip(model.kneighbors(queries), fresh.kneighbors(queries), strict=True):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_sparse_rows_give_what_dense_rows_give(metric):
    dense = np.where(RNG.random((80, 12)) < 0.6, 0.0, LATTICE[:80])
    dense[:, 0] += 1
    here = NearestNeighbors(5, metric=metric).fit(dense).kneighbors()
    there = NearestNeighbors(5, metric=metric).fit(sp.csr_array(dense)).kneighbors()
    np.testing.assert_array_equal(there[1], here[1])
    np.testing.assert_array_equal(there[0], here[0])


def test_mixed_frames_are_searched_by_gower():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [20.0, 21.0, 60.0], "town": ["Graz", "Linz", "Graz"]})
    _, row = NearestNeighbors(1, metric="gower").fit(frame).kneighbors()
    assert row.ravel().tolist() == [2, 0, 0]


def test_precomputed_distances_are_taken_as_they_are():
    between = squared_distances(LATTICE[:30], LATTICE[:30])
    _, row = NearestNeighbors(3, metric="precomputed").fit(between).kneighbors()
    np.testing.assert_array_equal(row, nearest(between, 3, exclude=np.arange(30))[1])


@pytest.mark.parametrize("offset", [1e4, 1e8])
def test_a_common_offset_changes_no_neighbor(offset):
    rows = RNG.integers(0, 1000, size=(200, 8)).astype(float)
    plain = NearestNeighbors(5).fit(rows).kneighbors()
    moved = NearestNeighbors(5).fit(rows + offset).kneighbors()
    np.testing.assert_array_equal(moved[1], plain[1])
    np.testing.assert_array_equal(moved[0], plain[0])


def test_the_plan_names_the_index_the_reason_and_the_cost():
    model = NearestNeighbors(3).fit(ROWS)
    assert lookalike.neighbors.search_plan(model).index == "exact"
    assert lookalike.neighbors.search_plan(model).query_seconds > 0
    assert model.decisions_.about("index")[0].choice == "exact"
    assert (
        lookalike.neighbors.search_plan(model).memory < ROWS.nbytes + 16 * 3 * 300
    )  # codes and the answer, no copy of rows
    assert lookalike.neighbors.search_plan(ROWS, algorithm="lsh").index == "lsh"
    assert lookalike.neighbors.search_plan(ROWS[:, :3]).index == "kd_tree"
    assert lookalike.neighbors.search_plan(ROWS, metric="hamming").index == "scan"
    assert "exact (" in str(lookalike.neighbors.search_plan(model))


@pytest.mark.parametrize(
    ("k", "error"),
    [
        (0, ParameterError),
        (-1, ParameterError),
        (3.0, ParameterTypeError),
        (True, ParameterTypeError),
    ],
)
def test_a_number_of_neighbors_that_is_none_is_an_error(k, error):
    with pytest.raises(error, match="n_neighbors="):
        NearestNeighbors(k).fit(ROWS)


def test_more_neighbors_than_rows_are_an_error_with_both_numbers():
    model = NearestNeighbors(5).fit(ROWS[:5])
    with pytest.raises(ShapeError, match="n_neighbors = 5, n_samples_fit = 5, of which each"):
        model.kneighbors()
    assert model.kneighbors(ROWS[:1])[1].shape == (1, 5)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"algorithm": "quick"}, "algorithm='quick' is not known"),
        ({"metric": "nearness"}, "metric='nearness' is not known"),
        ({"algorithm": "kd_tree", "metric": "cosine"}, "cannot serve metric 'cosine'"),
        ({"metric": "minkowski", "p": 0.0}, "p=0.0 is not above 0"),
        ({"engine": "spark"}, "engine='spark' is not known"),
    ],
)
def test_what_cannot_be_honored_is_an_error(parameters, said):
    with pytest.raises(ParameterError, match=said):
        NearestNeighbors(**parameters).fit(ROWS)


def test_a_missing_value_is_named(tmp_path):
    rows = ROWS.copy()
    rows[17, 3] = np.nan
    with pytest.raises(MissingValueError, match="NaN at row 17, column 'x3'"):
        NearestNeighbors().fit(rows)
    with pytest.raises(MissingValueError, match="NaN at row 17, column 'x3'"):
        NearestNeighbors().fit(ROWS).kneighbors(rows)


def test_rows_that_come_once_are_kept_in_memory_or_refused():
    assert NearestNeighbors(2).fit(iter([ROWS])).kneighbors(ROWS[:1])[1][0, 0] == 0
    with pytest.raises(RepeatError, match="only once"):
        NearestNeighbors(2, engine="stream").fit(iter([ROWS]))


def test_partial_fit_of_a_model_that_is_not_fitted_fits_it():
    first, whole = NearestNeighbors(3).partial_fit(ROWS), NearestNeighbors(3).fit(ROWS)
    np.testing.assert_array_equal(first.kneighbors()[1], whole.kneighbors()[1])


def test_rows_of_a_source_are_neither_added_nor_removed():
    model = NearestNeighbors(2, engine="stream").fit(lambda: iter([ROWS]))
    with pytest.raises(EngineError, match="cannot be added"):
        model.partial_fit(ROWS)
    with pytest.raises(EngineError, match="cannot leave"):
        model.remove([0])


def test_an_answer_larger_than_the_budget_is_refused_before_it_is_made():
    model = NearestNeighbors(5).fit(ROWS)
    with config(memory="10kB"), pytest.raises(MemoryBudgetError, match="Query in batches"):
        model.kneighbors()


def test_the_published_neighbors_of_sift_are_found(data_folder):
    with np.load(data_folder / "siftsmall.npz") as sift:
        base, query, truth = sift["base"], sift["query"], sift["groundtruth"]
    distance, row = NearestNeighbors(100).fit(base).kneighbors(query)
    published = np.sqrt(np.take_along_axis(squared_distances(query, base), truth.astype(int), 1))
    np.testing.assert_array_equal(distance, published)  # rows agree up to equal distances
    assert (row == truth).mean() > 0.99


@pytest.mark.parametrize("scale", [2.0**664, 2.0**-664])  # about 1e200 and 1e-200
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "sqeuclidean"])
def test_rows_whose_squares_leave_float64_are_scaled_in_memory_and_in_chunks(scale, metric):
    rows = LATTICE[:50] * scale
    here = NearestNeighbors(3, metric=metric).fit(rows)
    there = NearestNeighbors(3, metric=metric, engine="stream").fit(
        lambda: iter([rows[:20], rows[20:]])
    )
    plain = NearestNeighbors(3, metric=metric).fit(LATTICE[:50])
    np.testing.assert_array_equal(here.kneighbors()[1], plain.kneighbors()[1])
    for mine, theirs in zip(there.kneighbors(), here.kneighbors(), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    if metric == "sqeuclidean":  # a square that float64 cannot hold is not a radius
        return
    reach = float(here.kneighbors()[0][:, 1].max())
    for mine, theirs in zip(
        there.radius_neighbors(rows[:9], reach)[1],
        here.radius_neighbors(rows[:9], reach)[1],
        strict=True,
    ):
        np.testing.assert_array_equal(mine, theirs)
    assert "2**" in str(there.decisions_)
    if scale < 1:
        with pytest.raises(MagnitudeError, match="at row 0, column 0, too far from the rows"):
            there.kneighbors(np.full((1, 12), 1.0))


@pytest.mark.parametrize("chunk", [1, 37, 200])
@pytest.mark.parametrize("metric", ["nan_euclidean", "gower"])
def test_rows_with_missing_values_are_compared_in_chunks_as_in_memory(metric, chunk):
    rng = np.random.default_rng(3)
    rows = np.where(rng.random(ROWS.shape) < 0.2, np.nan, ROWS.astype(float))
    here = NearestNeighbors(4, metric=metric).fit(rows)
    there = NearestNeighbors(4, metric=metric, engine="stream").fit(
        lambda: (rows[i : i + chunk] for i in range(0, len(rows), chunk))
    )
    for queries in (None, rows[:9]):
        for mine, theirs in zip(there.kneighbors(queries), here.kneighbors(queries), strict=True):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("metric", ["mahalanobis", "seuclidean", "hamming"])
def test_what_a_metric_measures_is_gathered_from_all_chunks(metric):
    rows = ROWS.astype(float) if metric != "hamming" else LATTICE[:200].astype(float)
    here = NearestNeighbors(4, metric=metric).fit(rows)
    there = NearestNeighbors(4, metric=metric, engine="stream").fit(
        lambda: (rows[i : i + 37] for i in range(0, len(rows), 37))
    )
    np.testing.assert_array_equal(there.kneighbors()[1], here.kneighbors()[1])
    np.testing.assert_allclose(there.kneighbors()[0], here.kneighbors()[0], rtol=1e-10)


def test_lsh_is_never_chosen_unasked_and_says_what_exact_search_would_cost():
    rows = np.random.default_rng(0).normal(size=(3000, 30))
    model = NearestNeighbors(5, algorithm="lsh").fit(rows)
    assert "times faster here" in str(model.decisions_.about("exact search")[0])
    assert "exact search would be about" in lookalike.neighbors.search_plan(model).reason
    assert lookalike.neighbors.search_plan(NearestNeighbors(5).fit(rows)).index == "exact"


def test_sparse_distances_are_searched_by_a_model_of_dense_ones():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    square = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    model = NearestNeighbors(n_neighbors=3, metric="precomputed").fit(square)
    kept = np.where(square <= np.sort(square, axis=1)[:, [4]], square, 0.0)
    graph = sp.csr_array(kept)
    graph.setdiag(0.0)
    for ours, expected in zip(model.kneighbors(graph), model.kneighbors(square), strict=True):
        np.testing.assert_array_equal(ours, expected)
