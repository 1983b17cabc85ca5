import os
import pickle
from pathlib import Path

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import lookalike
from lookalike.errors import (
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)
from lookalike.index.kdtree import KDTreeIndex

SIX = np.array([[3, 1], [2, 6], [5, 4], [8, 7], [10, 2], [13, 3]])  # the tree drawn in [LUMS]


def reference(Q, X, k, exclude=None):
    keys, rows = oracle.nearest(oracle.squared_distances(Q, X), k, exclude)
    return np.sqrt(keys), rows


def assert_reference(index, Q, X, k, exclude=None):
    result, expected = index.query(Q, k, exclude=exclude), reference(Q, X, k, exclude)
    np.testing.assert_array_equal(result.row, expected[1])
    np.testing.assert_array_equal(result.distance, expected[0])


@pytest.mark.parametrize("leaf_size", [1, 2, 6])
@pytest.mark.parametrize("split", ["variance", "random"])
def test_the_tree_of_six_points_misses_no_neighbor_anywhere_on_the_page(leaf_size, split):
    index = KDTreeIndex(SIX, leaf_size=leaf_size, split=split)
    Q = np.stack(np.meshgrid(np.arange(0, 15, 0.5), np.arange(0, 9, 0.5)), axis=-1).reshape(-1, 2)
    for k in range(1, 7):
        assert_reference(index, Q, SIX, k)
    assert_reference(index, SIX, SIX, 5, np.arange(6))


@settings(max_examples=60, deadline=None)
@given(
    arrays(
        np.float64,
        st.tuples(st.integers(1, 40), st.integers(1, 5)),
        elements=st.floats(-1e6, 1e6, width=32),
    ),
    st.data(),
)
def test_any_rows_are_found_as_by_the_reference(X, data):
    k = data.draw(st.integers(1, len(X)))
    index = KDTreeIndex(X, leaf_size=data.draw(st.integers(1, 50)))
    assert_reference(index, X, X, k)


@pytest.mark.parametrize(
    "dtype",
    [
        "float16",
        "float32",
        "float64",
        "int8",
        "uint8",
        "int16",
        "int32",
        "int64",
        "uint64",
        "bool",
        ">f4",
        ">f8",
    ],
)
def test_numbers_of_any_dtype_are_compared_by_value(dtype):
    X = np.random.default_rng(0).integers(0, 100, (200, 3)).astype(dtype)
    assert_reference(KDTreeIndex(X), X, X.astype(float), 5)


def test_strided_readonly_and_reversed_arrays_are_read_in_place():
    base = np.random.default_rng(0).random((300, 6))
    base.flags.writeable = False
    for X in (base[:, ::2], base[::-1], np.asfortranarray(base), base[:, :4], base.T[:6].T):
        assert_reference(KDTreeIndex(X), X[:20], X, 4)


def test_an_offset_of_1e8_changes_no_neighbor():
    X = np.random.default_rng(0).integers(0, 2**20, (500, 3)) / 2**10
    near, far = KDTreeIndex(X).query_self(8), KDTreeIndex(X + 1e8).query_self(8)
    np.testing.assert_array_equal(near.row, far.row)
    np.testing.assert_array_equal(near.distance, far.distance)


def test_a_million_identical_points_make_a_shallow_tree_and_are_found_by_number():
    X = np.ones((1_000_000, 3), np.float32)
    index = KDTreeIndex(X)
    assert index.depth == 16
    result = index.query(X[:3], 4, exclude=np.array([0, 2, 999_999]))
    np.testing.assert_array_equal(result.row, [[1, 2, 3, 4], [0, 1, 3, 4], [0, 1, 2, 3]])
    np.testing.assert_array_equal(result.distance, 0)


@pytest.mark.parametrize("split", ["variance", "random"])
def test_two_groups_a_sorted_grid_and_neighboring_doubles_split_to_the_same_depth(split):
    tiny = np.nextafter(0, 1) * np.arange(4096)[:, None] % (3 * np.nextafter(0, 1))
    grid = np.stack(np.meshgrid(np.arange(64.0), np.arange(64.0)), axis=-1).reshape(-1, 2)
    groups = np.repeat([[0.0, 0.0], [1.0, 1.0]], 2048, axis=0)
    for X in (tiny, grid, groups):
        index = KDTreeIndex(X, leaf_size=16, split=split)
        assert index.depth == 8
    assert_reference(KDTreeIndex(grid, split=split), grid[::7], grid, 12)
    assert_reference(KDTreeIndex(groups, split=split), groups[::99], groups, 12)


@pytest.mark.parametrize(
    ("n", "d", "leaf_size"), [(1, 1, 16), (5, 1, 1), (7, 40, 1), (9, 300, 100), (50, 20_000, 16)]
)
def test_one_row_one_column_more_columns_than_rows_and_odd_leaves_work(n, d, leaf_size):
    X = np.random.default_rng(0).random((n, d))
    assert_reference(KDTreeIndex(X, leaf_size=leaf_size), X, X, n)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_an_index_after_adding_and_removing_equals_a_new_one(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (30, 2)).astype(np.float32)
    index = KDTreeIndex(X, leaf_size=3)
    for _ in range(4):
        new = rng.integers(0, 6, (int(rng.integers(0, 20)), 2)).astype(rng.choice(["f4", "f8"]))
        index.add(new)
        X = np.concatenate([X, new])
        gone = rng.choice(len(X), int(rng.integers(0, 10)), replace=False)
        index.remove(gone)
        X = np.delete(X, gone, axis=0)
        assert index.n_rows == len(X)
        assert_reference(index, X, X, len(X))


def test_many_single_additions_are_cheap_and_exact():
    X = np.random.default_rng(0).random((3000, 2))
    index = KDTreeIndex(X[:1])
    for row in X[1:]:
        index.add(row[None])
    assert_reference(index, X[:50], X, 6)


def test_a_pickled_index_answers_alike():
    X = np.random.default_rng(0).random((100, 3))
    index = KDTreeIndex(X, p=1)
    twin = pickle.loads(pickle.dumps(index))
    np.testing.assert_array_equal(index.query(X, 5).row, twin.query(X, 5).row)


def test_zero_and_infinite_radii_and_one_radius_per_query_are_answered():
    X = np.array([[0.0], [0.0], [3.0], [4.0]])
    index = KDTreeIndex(X)
    np.testing.assert_array_equal(index.query_radius([[0.0]], 0).row, [0, 1])
    np.testing.assert_array_equal(index.query_radius([[0.0]], 3.0).row, [0, 1, 2])
    np.testing.assert_array_equal(index.query_radius([[4.0]], np.inf).row, [3, 2, 0, 1])
    result = index.query_radius([[0.0], [4.0]], [0.0, 1.0], exclude=[0, 3])
    np.testing.assert_array_equal(result.row, [1, 2])
    np.testing.assert_array_equal(result.start, [0, 1, 2])


def test_no_queries_give_no_neighbors():
    index = KDTreeIndex(SIX)
    assert index.query(np.empty((0, 2)), 3).row.shape == (0, 3)
    assert index.query_radius(np.empty((0, 2)), 3).start.tolist() == [0]


def test_minus_zero_equals_zero():
    result = KDTreeIndex([[-0.0], [0.0], [1.0]]).query([[0.0], [-0.0]], 2)
    np.testing.assert_array_equal(result.row, [[0, 1], [0, 1]])
    np.testing.assert_array_equal(result.distance, 0)


def test_an_approximate_search_is_recorded_and_keeps_its_promise():
    X = np.random.default_rng(0).random((2000, 5))
    assert len(KDTreeIndex(X).decisions) == 0
    index = KDTreeIndex(X, approximate=0.3)
    assert "1.3" in str(index.decisions)
    assert (index.query(X[:50], 4).distance <= 1.3 * reference(X[:50], X, 4)[0]).all()


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (np.empty((0, 3)), ShapeError, "empty"),
        (np.empty((3, 0)), ShapeError, "no features"),
        (np.zeros(3), ShapeError, "reshape"),
        ([[1.0, 2.0], [3.0, np.nan]], MissingValueError, "nan at row 1, column 1"),
        ([[1.0, np.inf]], MissingValueError, "inf at row 0, column 1"),
        ([["a"]], ParameterTypeError, "dtype"),
        (np.zeros((2, 2), complex), ParameterTypeError, "complex"),
    ],
)
def test_rows_that_cannot_be_searched_are_refused_with_their_place(X, error, message):
    with pytest.raises(error, match=message):
        KDTreeIndex(X)


@pytest.mark.parametrize(
    ("k", "error", "message"),
    [
        (7, ParameterError, "k=7 exceeds the 6 rows"),
        (0, ParameterError, "k=0"),
        (-1, ParameterError, "k=-1"),
        (3.0, ParameterTypeError, "k=3.0"),
        (True, ParameterTypeError, "k=True"),
    ],
)
def test_a_wrong_number_of_neighbors_is_refused(k, error, message):
    with pytest.raises(error, match=message):
        KDTreeIndex(SIX).query(SIX, k)


def test_a_numpy_integer_is_a_number_of_neighbors():
    assert KDTreeIndex(SIX).query(SIX, np.int32(2)).row.shape == (6, 2)


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda index: index.query(SIX, 6, exclude=np.arange(6)), ParameterError),
        (lambda index: index.query(SIX, 1, exclude=np.arange(5)), ShapeError),
        (lambda index: index.query(SIX, 1, exclude=np.arange(6) + 1), ParameterError),
        (lambda index: index.query(SIX, 1, exclude=np.ones(6)), ParameterTypeError),
        (lambda index: index.query(SIX[:, :1], 1), ShapeError),
        (lambda index: index.query([[0.0, np.nan]], 1), MissingValueError),
        (lambda index: index.query(SIX, 1, threads=0), ParameterError),
        (lambda index: index.query_radius(SIX, -1), ParameterError),
        (lambda index: index.query_radius(SIX, np.nan), ParameterError),
        (lambda index: index.query_radius(SIX, "1"), ParameterTypeError),
        (lambda index: index.query_radius(SIX, [1.0, 2.0]), ShapeError),
        (lambda index: index.remove(np.arange(6)), ParameterError),
        (lambda index: index.remove([6]), ParameterError),
        (lambda index: index.add([[1.0]]), ShapeError),
        (lambda _: KDTreeIndex(SIX, p=0.5), ParameterError),
        (lambda _: KDTreeIndex(SIX, p="2"), ParameterTypeError),
        (lambda _: KDTreeIndex(SIX, leaf_size=0), ParameterError),
        (lambda _: KDTreeIndex(SIX, leaf_size=2.0), ParameterTypeError),
        (lambda _: KDTreeIndex(SIX, split="middle"), ParameterError),
        (lambda _: KDTreeIndex(SIX, approximate=-0.1), ParameterError),
    ],
)
def test_what_cannot_be_honored_is_refused(ask, error):
    with pytest.raises(error):
        ask(KDTreeIndex(SIX))


@pytest.mark.parametrize(
    ("file", "name"), [("stanford_bunny.npz", "points"), ("geonames_cities1000.npz", "latlon")]
)
def test_real_points_are_found_as_by_the_reference(file, name):
    path = Path(os.environ.get("LOOKALIKE_DATA", "")) / file
    if not os.environ.get("LOOKALIKE_DATA") or not path.exists():
        pytest.skip(f"LOOKALIKE_DATA does not hold {file}")
    X = np.load(path)[name]
    rows = np.random.default_rng(0).choice(len(X), 60, replace=False)
    result, expected = KDTreeIndex(X).query_self(10), reference(X[rows], X, 10, rows)
    np.testing.assert_array_equal(result.row[rows], expected[1])
    np.testing.assert_array_equal(result.distance[rows], expected[0])


@pytest.mark.parametrize("split", ["variance", "random"])
@pytest.mark.parametrize("leaf_size", [1, 4, 50])
def test_cells_cover_space_once_and_hold_their_rows(split, leaf_size):
    rng = np.random.default_rng(2)
    X = rng.integers(0, 6, size=(60, 3)).astype(float)
    cells = KDTreeIndex(X, leaf_size=leaf_size, split=split).cells()
    np.testing.assert_array_equal(np.sort(np.concatenate([row for _, row in cells])), np.arange(60))
    for box, row in cells:
        assert len(row) <= leaf_size
        assert (X[row] >= box[0]).all()
        assert (X[row] <= box[1]).all()
    for point in rng.uniform(-1, 7, size=(40, 3)):
        assert sum((point >= b[0]).all() and (point < b[1]).all() for b, _ in cells) == 1


@pytest.mark.parametrize(
    ("name", "value"), [("leaf_size", 0), ("split", "widest"), ("p", 0.5), ("approximate", -1.0)]
)
def test_parameters_from_a_file_are_checked_before_the_tree_is_built(name, value, tmp_path):
    index = KDTreeIndex([[0.0], [1.0], [2.0]])
    setattr(index, name, value)
    lookalike.save(index, tmp_path / "index")
    loaded = lookalike.load(tmp_path / "index")
    with pytest.raises(ParameterError, match=name):
        loaded.query([[0.5]], 1)


def plain_components(near, core):
    """Return the smallest core row that each reaches over the pairs that are near."""
    label = np.where(core, np.arange(len(core)), len(core))
    while True:
        least = np.where(near & core[:, None] & core, label, len(core)).min(axis=1)
        if np.array_equal(least[core], label[core]):
            return np.where(core, label, np.arange(len(core)))
        label = np.where(core, np.minimum(label, least), label)


@given(
    st.integers(1, 300),
    st.integers(1, 3),
    st.sampled_from([1.0, 2.0, 2.5, np.inf]),
    st.integers(1, 6),
    st.integers(0, 10**6),
)
@settings(max_examples=60, deadline=None)
def test_core_rows_and_their_components_follow_the_definition(n, columns, p, least, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (n, columns)).astype(rng.choice([np.float32, np.float64]))
    if p == 2.5:  # powers are rounded: a radius at which no distance lies
        X += rng.normal(size=X.shape).astype(X.dtype)
    gap = np.abs(X[:, None].astype(float) - X[None].astype(float))
    key = gap.max(axis=2) if np.isinf(p) else (gap**p).sum(axis=2)
    near = key <= (1.0 if p == 2.5 else 2.0)
    radius = {2.0: np.sqrt(2.0), 2.5: 1.0}.get(p, 2.0)
    index = KDTreeIndex(X[: n // 2 + 1], p=p, leaf_size=4)
    index.add(X[n // 2 + 1 :])
    core = near.sum(axis=1) >= least
    for threads in (1, 3):
        np.testing.assert_array_equal(index.core_rows(radius, least, threads=threads), core)
        parent = index.components(core, radius, threads=threads)
        np.testing.assert_array_equal(parent, plain_components(near, core))


def test_components_of_many_subtrees_are_those_of_all_pairs_whatever_the_mask():
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(9000, 2)), rng.uniform(-6, 6, (3000, 2))])
    index = KDTreeIndex(X, leaf_size=8)
    core = rng.random(len(X)) < 0.7
    near = index.query_radius(X, 0.08)
    graph = csr_array((np.ones(len(near.row)), near.row, near.start), shape=(len(X), len(X)))
    row = np.flatnonzero(core)
    group = connected_components(graph[row][:, row], directed=False)[1]
    first = row[np.unique(group, return_index=True)[1]]
    parent = index.components(core, 0.08, threads=2)
    np.testing.assert_array_equal(parent[row], first[group])
    np.testing.assert_array_equal(parent[~core], np.flatnonzero(~core))
    enough = np.diff(near.start) >= 12
    np.testing.assert_array_equal(index.core_rows(0.08, 12), enough)
