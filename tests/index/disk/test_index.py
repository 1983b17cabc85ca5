import tempfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike
from lookalike.errors import ParameterError, ShapeError
from lookalike.index.disk import DiskIndex, build, build_index_file, search
from lookalike.index.embedded import EmbeddedIndex
from lookalike.index.exact import ExactIndex
from lookalike.kernels.metrics import metric_from


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Let a few hundred rows have many blocks and few seeds, so that every way is taken."""
    monkeypatch.setattr(build, "BUILD_BLOCK_ROWS", 64)
    monkeypatch.setattr(build, "SEED_ROWS_CACHED", 16)
    monkeypatch.setattr(search, "MAX_ROWS_READ_WITHOUT_CODES", 8)
    monkeypatch.setattr(search, "MOST_CANDIDATES", 24)


def rows_of(kind, n, d, rng):
    X = rng.standard_normal((n, d))
    if kind == "duplicates":
        X = np.repeat(X[: n // 5 + 1], 5, axis=0)[:n]
    elif kind == "grid":
        X = np.rint(X).clip(-1, 1)
    elif kind == "offset":
        X = X * 1e-3 + 1e6
    elif kind == "outliers":
        X[:: max(n // 7, 1)] *= 1e9
    elif kind == "identical":
        X[:] = X[0]
    elif kind == "huge":
        X *= 1e150
    return X


def assert_same(found, reference):
    np.testing.assert_array_equal(found.row, reference.row)
    np.testing.assert_array_equal(found.distance, reference.distance)


@settings(max_examples=30, deadline=None)
@given(
    kind=st.sampled_from(
        ["usual", "duplicates", "grid", "offset", "outliers", "identical", "huge"]
    ),
    dtype=st.sampled_from([np.float32, np.float64]),
    n=st.integers(6, 400),
    d=st.sampled_from([1, 3, 20, 70]),
    k=st.integers(1, 5),
    seed=st.integers(0, 99),
)
def test_neighbors_on_disk_are_those_of_the_index_in_memory_bit_for_bit(kind, dtype, n, d, k, seed):
    rng = np.random.default_rng(seed)
    with np.errstate(over="ignore"):
        X = rows_of(kind, n, d, rng).astype(dtype)
    X = np.nan_to_num(X, posinf=3e38, neginf=-3e38).astype(dtype)
    Q = np.concatenate([X[::7], X[:3] * dtype(0.5)])
    reference = ExactIndex(X)
    with tempfile.TemporaryDirectory() as folder:
        build_index_file(f"{folder}/i", X)
        index = DiskIndex(f"{folder}/i")
        assert_same(index.query(Q, k), reference.query(Q, k))
        own = np.arange(len(Q)) % n
        assert_same(index.query(Q, k, exclude=own), reference.query(Q, k, exclude=own))
        where = rng.random(n) < 0.5
        where[: k + 1] = True
        found = index.query(Q, k, where=where)
        part = ExactIndex(X[where]).query(Q, k)
        assert_same(found, part._replace(row=np.flatnonzero(where)[part.row]))
        index.close()


@pytest.mark.parametrize("kind", ["usual", "duplicates", "offset", "outliers", "huge"])
@pytest.mark.parametrize("d", [80, 200])
def test_codes_of_leading_directions_rule_out_no_neighbor(kind, d, tmp_path, rng, monkeypatch):
    plan = build.plan_filter
    monkeypatch.setattr(
        build, "plan_filter", lambda X, _, values, **choice: plan(X, "prefix", values, **choice)
    )
    X = rows_of(kind, 600, d, rng) * np.arange(1, d + 1) ** -0.7
    Q = np.concatenate([X[::50], X[:3] * 0.5])
    build_index_file(tmp_path / "i", X)
    index = DiskIndex(tmp_path / "i")
    assert all(segment.codes.layout.map.blocks == d // 64 for segment in index._segments)
    reference, own = ExactIndex(X), np.arange(len(Q))
    found, stats = index.query_with_stats(Q, 4, exclude=own)
    assert_same(found, reference.query(Q, 4, exclude=own))
    where = rng.random(600) < 0.3
    assert_same(index.query(Q, 4, where=where), reference.query(Q, 4, where=where))
    radius = found.distance[:, 2]
    near, true = index.query_radius(Q, radius), reference.query_radius(Q, radius)
    np.testing.assert_array_equal(near.row, true.row)
    if kind == "usual":
        assert stats["n_rows"] < 600 / 2  # the others were ruled out


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 99), metric=st.sampled_from(["euclidean", "cosine"]))
def test_rows_added_and_removed_leave_the_index_of_the_rows_left(seed, metric):
    rng = np.random.default_rng(seed)
    X, more = np.rint(rng.standard_normal((150, 5)) * 2) + 0.5, rng.standard_normal((90, 5))
    Q = rng.standard_normal((9, 5))
    with tempfile.TemporaryDirectory() as folder:
        build_index_file(f"{folder}/i", X, metric=metric)
        index = DiskIndex(f"{folder}/i")
        index.add(more.astype(np.float32))
        gone = rng.choice(240, 60, replace=False)
        index.remove(gone)
        index.remove([0, 5])
        both = np.concatenate([X, more.astype(np.float32).astype(float)])
        left = np.delete(np.delete(both, gone, axis=0), [0, 5], axis=0)
        reference = EmbeddedIndex(left, metric_from(metric))
        opened = ExactIndex.open(f"{folder}/i")
        assert opened.n_rows == len(left)
        for one in (index, opened):
            assert_same(one.query(Q, 6), reference.query(Q, 6))
            own = np.arange(9) * 3
            assert_same(one.query(Q, 6, exclude=own), reference.query(Q, 6, exclude=own))
        index.close()
        opened.close()


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("cosine", None),
        ("correlation", None),
        ("sqeuclidean", None),
        ("euclidean", {"w": np.arange(1.0, 9.0)}),
        ("seuclidean", {"V": np.arange(1.0, 9.0)}),
        ("mahalanobis", {"V": np.diag(np.arange(1.0, 9.0)) + 0.1}),
    ],
)
def test_any_metric_that_embeds_rows_is_searched(metric, params, tmp_path, rng):
    X, Q = rng.standard_normal((300, 8)), rng.standard_normal((7, 8))
    build_index_file(tmp_path / "i", X, metric=metric, metric_params=params)
    index = DiskIndex(tmp_path / "i")
    reference = EmbeddedIndex(X, index.metric)
    assert_same(index.query(Q, 5), reference.query(Q, 5))
    radius = float(np.median(reference.query(Q, 9).distance))
    near, true = index.query_radius(Q, radius), reference.query_radius(Q, radius)
    np.testing.assert_array_equal(near.row, true.row)
    np.testing.assert_array_equal(near.distance, true.distance)


def test_metrics_measured_on_the_rows_are_those_of_the_index_in_memory(tmp_path, rng):
    X, Q = rng.standard_normal((200, 4)) * [1, 2, 3, 4], rng.standard_normal((5, 4))
    for metric in ("seuclidean", "mahalanobis"):
        build_index_file(tmp_path / metric, X, metric=metric)
        found = DiskIndex(tmp_path / metric).query(Q, 3)
        reference = EmbeddedIndex(X, metric_from(metric, X=X)).query(Q, 3)
        np.testing.assert_array_equal(found.row, reference.row)
        np.testing.assert_allclose(found.distance, reference.distance, rtol=1e-12)


def test_codes_are_read_once_for_all_queries_and_few_rows(tmp_path, rng, monkeypatch):
    monkeypatch.undo()
    basis = rng.standard_normal((8, 128))
    X = rng.standard_normal((20_000, 8)) @ basis + 0.05 * rng.standard_normal((20_000, 128))
    np.save(tmp_path / "rows.npy", X.astype(np.float32))
    build_index_file(tmp_path / "i", tmp_path / "rows.npy")
    index = DiskIndex(tmp_path / "i")
    raw = 20_000 * 128 * 4
    found, stats = index.query_with_stats(X[:20].astype(np.float32), 5)
    assert stats["codes"] == index.nbytes <= raw / 4
    assert stats["n_rows"] <= 0.05 * 20_000
    assert_same(found, ExactIndex(X.astype(np.float32)).query(X[:20].astype(np.float32), 5))
    names = {file.suffix for file in (tmp_path / "i").iterdir()}
    assert ".rows" not in names  # they are read where they lie


def test_searches_take_the_options_of_a_query_and_no_others(tmp_path, rng):
    X, own = rng.standard_normal((50, 3)), np.arange(4)
    build_index_file(tmp_path / "i", X)
    index, options = DiskIndex(tmp_path / "i"), {"exclude": own, "where": own, "threads": 1}
    assert_same(index.query_with_stats(X[:4], 2, **options)[0], index.query(X[:4], 2, **options))
    assert set(index.query_radius(X[:4], 9.0, **options).row) == {*own}
    for find in (index.query_with_stats, index.query_radius):
        with pytest.raises(TypeError, match="wher"):
            find(X[:4], 2, wher=own)


def test_an_index_is_built_of_what_every_source_gives(tmp_path, rng):
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    X = np.round(rng.standard_normal((90, 3)), 6)
    table = pa.table({name: X[:, i] for i, name in enumerate("abc")})
    pq.write_table(table, tmp_path / "rows.parquet")
    (tmp_path / "rows.csv").write_text(
        "a,b,c\n" + "\n".join(",".join(map(repr, row)) for row in X.tolist())
    )
    np.savez(tmp_path / "rows.npz", X=X)
    np.save(tmp_path / "turned.npy", np.asfortranarray(X))
    reference = ExactIndex(X).query(X[:9], 4)
    for name in ("rows.parquet", "rows.csv", "rows.npz", "turned.npy"):
        build_index_file(tmp_path / "i", tmp_path / name)
        assert_same(DiskIndex(tmp_path / "i").query(X[:9], 4), reference)
    build_index_file(tmp_path / "i", iter([X[:40], X[40:]]))  # read once
    assert_same(DiskIndex(tmp_path / "i").query(X[:9], 4), reference)


def test_a_budget_smaller_than_the_rows_is_enough(tmp_path, rng):
    X = rng.standard_normal((3000, 50))
    np.save(tmp_path / "rows.npy", X)
    with lookalike.config(memory="200KB"):
        build_index_file(tmp_path / "i", tmp_path / "rows.npy", copy=True)
        found = DiskIndex(tmp_path / "i").query(X[:5], 3)
    assert_same(found, ExactIndex(X).query(X[:5], 3))


def test_wrong_requests_are_refused_in_a_sentence(tmp_path):
    X = np.eye(6)
    build_index_file(tmp_path / "i", X)
    index = DiskIndex(tmp_path / "i")
    with pytest.raises(ShapeError, match="Q has 7 features, the index 6"):
        index.query(np.zeros((1, 7)), 1)
    with pytest.raises(ShapeError, match="X has 2 features, the index 6"):
        index.add(np.zeros((3, 2)))
    with pytest.raises(ParameterError, match="k=7 exceeds the 6 rows"):
        index.query(X, 7)
    with pytest.raises(ParameterError, match="where= leaves 2"):
        index.query(X, 3, where=[0, 1])
    with pytest.raises(
        ParameterError, match="metric 'manhattan' does not order rows as a Euclidean distance"
    ):
        build_index_file(tmp_path / "j", X, metric="manhattan")
    assert not (tmp_path / "j").exists()
