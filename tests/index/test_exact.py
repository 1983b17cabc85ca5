"""Whatever rows, filter, batch and threads: the answer is the reference's, bit for bit."""

from __future__ import annotations

import copy
import os
import pickle
import threading
from pathlib import Path

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.errors import (
    MagnitudeError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)
from lookalike.index.exact import ExactIndex

FILTERS = ("auto", "prefix", "full", "none")


def expected(X, Q, k, exclude=None, scale=1.0):
    X, Q = np.asarray(X, np.float64) * scale, np.asarray(Q, np.float64) * scale
    keys, rows = oracle.nearest(oracle.squared_distances(Q, X), k, exclude)
    return np.sqrt(keys) / scale, rows


def assert_reference(index, X, Q, k, exclude=None, threads=None, scale=1.0):
    result = index.query(Q, k, exclude=exclude, threads=threads)
    distance, row = expected(X, Q, k, exclude, scale)
    np.testing.assert_array_equal(result.row, row)
    np.testing.assert_array_equal(result.distance, distance)


def clusters(rng, n, d, spread=0.1):
    """Rows near a low-dimensional surface: leading directions tell them apart."""
    basis = rng.standard_normal((min(d, 6), d))
    return rng.standard_normal((n, len(basis))) @ basis + spread * rng.standard_normal((n, d))


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = (
        draw(st.integers(1, 400)),
        draw(st.sampled_from((1, 2, 3, 5, 8, 13, 63, 64, 65, 128, 200))),
    )
    kind = draw(st.sampled_from(("gaussian", "surface", "grid", "copies", "equal", "heavy")))
    X = {
        "gaussian": lambda: rng.standard_normal((n, d)),
        "surface": lambda: clusters(rng, n, d),
        "grid": lambda: rng.integers(-1, 2, (n, d)),
        "copies": lambda: np.repeat(rng.standard_normal((n // 5 + 1, d)), 5, axis=0)[:n],
        "equal": lambda: np.full((n, d), 3.7),
        "heavy": lambda: rng.standard_normal((n, d)) / rng.random((n, 1)) ** 3,
    }[kind]().astype(np.float64)
    X = X * 10.0 ** draw(st.sampled_from((0, 0, -30, 30, 3))) + draw(
        st.sampled_from((0, 0, 1e4, -1e8))
    )
    dtype = draw(st.sampled_from(("float32", "float64", "uint8", "int8")))
    if dtype in ("uint8", "int8"):
        X = rng.integers(0, 100, (n, d)).astype(np.float64)
    X = X.clip(-1e37, 1e37).astype(dtype)
    Q = X[rng.integers(0, n, draw(st.integers(1, 20)))]
    kept = draw(st.sampled_from((dtype, "float64")))
    if kept in ("float32", "float64"):
        spread = float(X.astype(np.float64).std()) * draw(st.sampled_from((0, 1e-9, 0.1, 10)))
        Q = (Q + spread * rng.standard_normal(Q.shape)).clip(-1e37, 1e37).astype(kept)
    return X, Q, draw(st.integers(1, n))


@settings(max_examples=120, deadline=None)
@given(problems(), st.sampled_from(("prefix", "full", "none")), st.sampled_from((1, 2, 3)))
def test_rows_and_distances_are_the_reference(problem, kind, threads):
    X, Q, k = problem
    assert_reference(ExactIndex(X, filter=kind), X, Q, min(k, 12), threads=threads)
    assert_reference(ExactIndex(X, filter=kind), X, Q, k, threads=threads)


@settings(max_examples=60, deadline=None)
@given(problems(), st.sampled_from(("prefix", "full", "none")), st.floats(0, 2), st.booleans())
def test_a_radius_holds_exactly_the_rows_of_the_reference(problem, kind, factor, itself):
    X, Q, k = problem
    distance = np.sqrt(oracle.squared_distances(Q, X))
    radius = float(np.partition(distance[0], k - 1)[k - 1])  # a boundary that rows lie on
    radius = radius if itself else radius * factor
    result = ExactIndex(X, filter=kind).query_radius(Q, radius)
    assert result.start[0] == 0
    assert result.start[-1] == len(result.row)
    for q, row in enumerate(distance):
        inside = np.flatnonzero(row <= radius)
        order = inside[np.argsort(row[inside], kind="stable")]
        part = slice(result.start[q], result.start[q + 1])
        np.testing.assert_array_equal(result.row[part], order)
        np.testing.assert_array_equal(result.distance[part], row[order])


@pytest.mark.parametrize("kind", FILTERS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "make",
    [
        lambda rng: clusters(rng, 9000, 80),
        lambda rng: rng.standard_normal((9000, 80)),
        lambda rng: np.where(
            np.arange(9000)[:, None] == 4321, 1e5, rng.standard_normal((9000, 80))
        ),
        lambda rng: rng.integers(-1, 2, (9000, 80)),
        lambda rng: np.repeat(clusters(rng, 1800, 80), 5, axis=0),
        lambda rng: clusters(rng, 9000, 80) + 1e4,
        lambda rng: clusters(rng, 9000, 80) * 10.0 ** rng.integers(0, 7, 80),
        lambda rng: rng.standard_normal((9000, 80)) / rng.random((9000, 1)) ** 4,
        lambda rng: clusters(rng, 9000, 80, spread=1e-6) * 1e-3 + 7,
    ],
    ids=[
        "surface",
        "gaussian",
        "outlier",
        "ternary",
        "copies",
        "offset",
        "columns",
        "heavy",
        "flat",
    ],
)
def test_every_filter_is_certified_on_data_that_strains_it(make, dtype, kind):
    rng = np.random.default_rng(3)
    X = make(rng).astype(dtype)
    Q = np.concatenate([X[[0, 4321]], make(rng).astype(dtype)[:18]])
    assert_reference(ExactIndex(X, filter=kind), X, Q, 10)


@pytest.mark.parametrize("kind", ["prefix", "full"])
def test_the_filter_rules_rows_out(kind):
    rng = np.random.default_rng(0)
    X = clusters(rng, 9000, 80).astype(np.float32)
    _, stats = ExactIndex(X, filter=kind).query_with_stats(X[:100] + np.float32(0.01), 5)
    assert stats["pairs"] >= 100 * 9000
    assert stats["distances"] < 0.05 * stats["pairs"]


@pytest.mark.parametrize("kind", FILTERS)
@pytest.mark.parametrize("scale", [1e-200, 5e-324, 1e-120, 1e120, 1e200, 1e305])
def test_extreme_magnitudes_are_scaled_by_a_power_of_two(scale, kind):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((600, 7)) * scale
    power = 2.0 ** np.clip(-np.frexp(np.abs(X).max())[1], -1000, 1000)
    index = ExactIndex(X, filter=kind)
    assert index.decisions.about("scale")
    assert_reference(index, X, X[:9], 5, scale=float(power))


@pytest.mark.parametrize("value", [1e30, 3e38, 1e-30, 1e-45])
def test_float32_of_any_size_is_searched_without_scaling(value):
    X = (np.random.default_rng(1).standard_normal((700, 9)).clip(-1, 1) * value).astype(np.float32)
    for kind in FILTERS:
        assert_reference(ExactIndex(X, filter=kind), X, X[:9], 5)


def test_queries_far_beyond_the_rows_are_compared_or_named():
    X = np.random.default_rng(1).standard_normal((700, 9))
    Q = np.vstack([X[:1] * 1e6, X[:1] + 1e30, X[:1] * 1e149])
    for kind in ("full", "none"):
        assert_reference(ExactIndex(X, filter=kind), X, Q, 3)
    with pytest.raises(MagnitudeError, match=r"1e\+151 at row 1, column 0"):
        ExactIndex(X).query(np.vstack([X[:1], np.full((1, 9), 1e151)]), 3)


def test_fewer_neighbors_are_a_prefix_of_more():
    rng = np.random.default_rng(2)
    X, Q = rng.integers(0, 3, (2000, 6)).astype(np.float32), rng.integers(0, 3, (30, 6))
    index = ExactIndex(X)
    longest = index.query(Q, 50)
    for k in (1, 2, 9, 10, 49):
        shorter = index.query(Q, k)
        np.testing.assert_array_equal(shorter.row, longest.row[:, :k])
        np.testing.assert_array_equal(shorter.distance, longest.distance[:, :k])


@pytest.mark.parametrize("kind", FILTERS)
def test_a_row_is_excluded_by_its_number_not_by_distance_zero(kind):
    rng = np.random.default_rng(4)
    X = np.repeat(rng.standard_normal((300, 5)), 3, axis=0)
    itself = np.arange(len(X))
    assert_reference(ExactIndex(X, filter=kind), X, X, 4, exclude=itself)
    result = ExactIndex(X, filter=kind).query_radius(X, 0.0, exclude=itself)
    assert (np.diff(result.start) == 2).all()


@pytest.mark.parametrize("kind", FILTERS)
def test_batches_and_threads_never_show(kind):
    rng = np.random.default_rng(5)
    X, Q = clusters(rng, 3000, 70).astype(np.float32), clusters(rng, 131, 70).astype(np.float32)
    index = ExactIndex(X, filter=kind, threads=3)
    whole = index.query(Q, 7, threads=1)
    for size, threads in ((1, 1), (1, 4), (5, 2), (50, 3), (131, 16)):
        parts = [index.query(Q[i : i + size], 7, threads=threads) for i in range(0, 131, size)]
        np.testing.assert_array_equal(np.concatenate([p.row for p in parts]), whole.row)
        np.testing.assert_array_equal(np.concatenate([p.distance for p in parts]), whole.distance)


@pytest.mark.parametrize("kind", FILTERS)
def test_adding_and_removing_equal_building_anew(kind):
    rng = np.random.default_rng(6)
    X, Q = clusters(rng, 1500, 66), clusters(rng, 20, 66)
    index = ExactIndex(X[:900], filter=kind)
    index.add(X[900:].astype(np.float32))
    X = np.concatenate([X[:900], X[900:].astype(np.float32)])
    assert_reference(index, X, Q, 6)
    gone = rng.choice(1500, 700, replace=False)
    index.remove(gone)
    assert index.n_rows == 800
    assert_reference(index, np.delete(X, gone, axis=0), Q, 6)


def test_integer_rows_stay_integers_when_rows_of_the_same_kind_join():
    index = ExactIndex(np.zeros((3, 2), np.uint8))
    index.add(np.full((2, 2), 200, np.uint8))
    assert_reference(index, [[0, 0]] * 3 + [[200, 200]] * 2, [[201, 200]], 5)
    index.add(np.full((1, 2), -7, np.int8))
    assert_reference(index, [[0, 0]] * 3 + [[200, 200]] * 2 + [[-7, -7]], [[-1, -1]], 6)


def test_the_switch_in_the_environment_turns_the_filter_off(monkeypatch):
    X = clusters(np.random.default_rng(7), 2000, 70)
    with_filter = ExactIndex(X, filter="full")
    monkeypatch.setenv("LOOKALIKE_OPTIMIZE", "0")
    without = ExactIndex(X, filter="full")
    assert with_filter.decisions.about("filter")[0].choice == "full"
    assert without.decisions.about("filter")[0].choice == "none"
    for ours, plain in zip(with_filter.query(X, 9), without.query(X, 9), strict=True):
        np.testing.assert_array_equal(ours, plain)


@pytest.mark.parametrize("shape", [(50, 100_000), (1, 1), (1, 300), (2, 1), (1000, 1)])
def test_shapes_at_the_edges(shape):
    X = np.random.default_rng(8).standard_normal(shape).astype(np.float32)
    for kind in FILTERS:
        assert_reference(ExactIndex(X, filter=kind), X, X[:3], min(shape[0], 4))


def test_extra_memory_stays_within_one_and_a_half_times_the_rows():
    rng = np.random.default_rng(0)
    for d, dtype in ((784, np.float32), (128, np.float32), (128, np.uint8), (64, np.float64)):
        X = rng.integers(0, 255, (3000, d)).astype(dtype)
        for kind in ("auto", "prefix", "full"):
            assert ExactIndex(X, filter=kind).nbytes <= 1.5 * X.nbytes


def test_rows_are_kept_by_reference_and_left_alone():
    X = np.random.default_rng(9).standard_normal((700, 12))
    X.flags.writeable = False
    index = ExactIndex(X[:, :8])
    assert np.shares_memory(index._state.X, X)
    assert_reference(index, X[:, :8], X[:5, :8], 3)


def test_a_mapped_file_is_searched_in_place(tmp_path):
    X = np.random.default_rng(9).standard_normal((700, 12)).astype(np.float32)
    np.save(tmp_path / "rows.npy", X)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    index = ExactIndex(mapped)
    assert np.shares_memory(index._state.X, mapped)
    assert_reference(index, X, X[:5], 3)


def test_a_pickled_index_answers_alike():
    X = clusters(np.random.default_rng(10), 1000, 70)
    index = ExactIndex(X, filter="prefix")
    again = pickle.loads(pickle.dumps(index))
    np.testing.assert_array_equal(again.query(X[:30], 4).row, index.query(X[:30], 4).row)


@pytest.mark.parametrize("kind", FILTERS)
def test_an_index_comes_back_from_its_state(kind):
    X = clusters(np.random.default_rng(10), 1000, 70)
    index = ExactIndex(X, filter=kind)
    again = copy.deepcopy(index)
    assert again.nbytes == index.nbytes
    assert_reference(again, X, X[:30], 4)


def test_codes_of_other_rows_are_refused():
    X = clusters(np.random.default_rng(10), 1000, 70)
    index = ExactIndex(X, filter="full")
    index._state.filter.arrays["row"] = np.full(1000, 10**9)
    with pytest.raises(ShapeError, match="1000 rows"):
        copy.deepcopy(index)


def test_many_python_threads_share_one_index():
    X = clusters(np.random.default_rng(11), 3000, 70).astype(np.float32)
    index, answers = ExactIndex(X, filter="prefix"), [None] * 32
    truth = index.query(X[:64], 5)

    def ask(i):
        answers[i] = [index.query(X[i : i + 32], 5) for _ in range(5)]

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, result in enumerate(answers):
        for one in result:
            np.testing.assert_array_equal(one.row, truth.row[i : i + 32])


def test_the_published_neighbors_of_siftsmall_are_found_up_to_ties():
    folder = os.environ.get("LOOKALIKE_DATA")
    if not folder or not (Path(folder) / "siftsmall.npz").exists():
        pytest.skip("LOOKALIKE_DATA does not name a folder with siftsmall.npz")
    with np.load(Path(folder) / "siftsmall.npz") as data:
        base, query, published = data["base"], data["query"][:25], data["groundtruth"][:25]
    gap = query[:, None, :].astype(float) - base[published].astype(float)
    distance = np.sqrt(np.square(gap).sum(axis=2))
    _, row = expected(base, query, 100)
    for X in (base, base.astype(np.float32)):
        for kind in FILTERS:
            result = ExactIndex(X, filter=kind).query(query, 100)
            np.testing.assert_array_equal(result.distance, distance)
            np.testing.assert_array_equal(result.row, row)


class TestErrors:
    index = ExactIndex(np.zeros((4, 2)))

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    @pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
    def test_a_value_that_is_not_finite_is_named(self, bad, dtype):
        X = np.zeros((500, 40), dtype)
        X[321, 33] = bad
        X[400, 2] = bad
        with pytest.raises(MissingValueError, match=r"X .* row 321, column 33"):
            ExactIndex(X)
        with pytest.raises(MissingValueError, match=r"Q .* row 321, column 33"):
            ExactIndex(np.zeros((2, 40))).query(X, 1)

    @pytest.mark.parametrize("k", [0, -1, 5])
    def test_k_must_be_between_one_and_the_rows(self, k):
        with pytest.raises(ParameterError, match=f"k={k}"):
            self.index.query(np.zeros((1, 2)), k)

    @pytest.mark.parametrize("k", [3.0, True, "2", None, np.bool_(True)])
    def test_k_must_be_a_whole_number(self, k):
        with pytest.raises(ParameterTypeError, match="k="):
            self.index.query(np.zeros((1, 2)), k)

    def test_k_may_be_a_numpy_integer(self):
        assert self.index.query(np.zeros((1, 2)), np.int32(2)).row.tolist() == [[0, 1]]

    def test_an_excluded_row_counts_as_missing(self):
        with pytest.raises(ParameterError, match="the 4 rows of the index, one of them"):
            self.index.query(np.zeros((1, 2)), 4, exclude=[0])

    def test_shapes_must_fit(self):
        with pytest.raises(ShapeError, match="empty"):
            ExactIndex(np.zeros((0, 3)))
        with pytest.raises(ShapeError, match="no features"):
            ExactIndex(np.zeros((3, 0)))
        with pytest.raises(ShapeError, match="reshape"):
            ExactIndex(np.zeros(3))
        with pytest.raises(ShapeError, match="3 features, the index 2"):
            self.index.query(np.zeros((1, 3)), 1)
        with pytest.raises(ShapeError, match="3 features, the index 2"):
            self.index.add(np.zeros((1, 3)))
        with pytest.raises(ShapeError, match="1 entries for 2 queries"):
            self.index.query(np.zeros((2, 2)), 1, exclude=[0])

    def test_no_query_is_an_empty_answer(self):
        assert self.index.query(np.zeros((0, 2)), 2).row.shape == (0, 2)
        assert self.index.query_radius(np.zeros((0, 2)), 1.0).start.tolist() == [0]

    def test_a_radius_is_a_number_from_zero_to_infinity(self):
        assert len(self.index.query_radius(np.ones((1, 2)), np.inf).row) == 4
        assert len(self.index.query_radius(np.zeros((1, 2)), 0).row) == 4
        each = self.index.query_radius(np.array([[0.0, 0.0], [0.0, 1.0]]), [0.0, 0.5])
        assert each.start.tolist() == [0, 4, 4]
        for radius in (-1.0, np.nan):
            with pytest.raises(ParameterError, match="radius"):
                self.index.query_radius(np.ones((1, 2)), radius)
        with pytest.raises(ParameterTypeError, match="radius"):
            self.index.query_radius(np.ones((1, 2)), "1")

    def test_rows_are_named_by_numbers_that_exist(self):
        with pytest.raises(ParameterError, match="=4 names no row"):
            self.index.remove([4])
        with pytest.raises(ParameterTypeError, match="integers"):
            self.index.remove([0.5])
        with pytest.raises(ParameterError, match="Keep one row"):
            ExactIndex(np.zeros((2, 2))).remove([0, 1])

    def test_an_unknown_filter_is_refused(self):
        with pytest.raises(ParameterError, match="'fast' is not known"):
            ExactIndex(np.zeros((2, 2)), filter="fast")
