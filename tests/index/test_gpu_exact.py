"""Exact search on a GPU gives the rows and bits of the CPU; without a GPU its twins run."""

from __future__ import annotations

import pickle

import numpy as np
import oracle
import pytest

import lookalike
from lookalike import (
    KernelDensityClassifier,
    KNeighborsClassifier,
    NearestNeighbors,
    audit,
    config,
    load,
    save,
)
from lookalike.errors import (
    EngineError,
    MissingValueError,
    ParameterError,
    ShapeError,
)
from lookalike.index import ExactIndex

torch = pytest.importorskip("torch", reason="torch is not installed")

from lookalike.engines import gpu  # noqa: E402
from lookalike.index import gpu_exact  # noqa: E402
from lookalike.index.gpu_exact import GPUExactIndex  # noqa: E402
from lookalike.kernels.gpu import exact  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def data_sets():
    rng = np.random.default_rng(0)
    plain = rng.normal(size=(900, 12))
    return {
        "gaussian": plain,
        "float32": plain.astype(np.float32),
        "offset 1e8": plain + 1e8,
        "offset 1e4 in float32": (plain + 1e4).astype(np.float32),
        "integer grid": rng.integers(0, 3, (900, 5)).astype(np.float64),
        "bytes": rng.integers(0, 255, (900, 20)).astype(np.uint8),
        "duplicates": np.repeat(rng.normal(size=(9, 7)), 100, axis=0),
        "constant": np.ones((300, 3)),
        "one outlier": np.vstack([plain, np.full((1, 12), 1e5)]),
        "lengths that span ten decades": plain * np.exp(5 * rng.normal(size=(900, 1))),
        "one column": plain[:, :1],
        "300 columns": rng.normal(size=(400, 300)),
        "4,096 columns": rng.normal(size=(70, 4096)).astype(np.float32),
        "1e-200": plain * 1e-200,
        "1e200": plain * 1e200,
        "1e60": plain * 1e60,
        "1e-60": plain * 1e-60,
        "denormals": plain * 1e-310,
        "one row": plain[:1],
        "a column of zeros": plain * (np.arange(12) != 3),
        "fortran order": np.asfortranarray(plain),
        "int64": rng.integers(-1000, 1000, (900, 7)),
        "clusters far apart": plain + 1e4 * rng.integers(0, 3, (900, 1)),
        "65 rows": plain[:65],
    }


@pytest.fixture(params=data_sets().items(), ids=lambda item: item[0])
def rows(request):
    return request.param[1]


def queries_for(X):
    return np.vstack([X[:12], (X[:12] * X.dtype.type(1.25)).astype(X.dtype)])


@pytest.mark.parametrize("k", [1, 10, 100])
def test_neighbors_are_those_of_the_cpu_bit_for_bit(rows, k):
    k = min(k, len(rows))
    Q = queries_for(rows)
    want = ExactIndex(rows).query(Q, k)
    got = GPUExactIndex(rows, device=DEVICE).query(Q, k)
    np.testing.assert_array_equal(got.row, want.row)
    np.testing.assert_array_equal(got.distance, want.distance)


def test_a_self_search_leaves_each_row_out_by_its_number(rows):
    if len(rows) == 1:
        with pytest.raises(ParameterError, match="k=1"):
            GPUExactIndex(rows, device=DEVICE).query(rows, 1, exclude=np.arange(1))
        return
    own = np.arange(min(30, len(rows)))
    k = min(5, len(rows) - 1)
    want = ExactIndex(rows).query(rows[own], k, exclude=own)
    got = GPUExactIndex(rows, device=DEVICE).query(rows[own], k, exclude=own)
    np.testing.assert_array_equal(got.row, want.row)
    np.testing.assert_array_equal(got.distance, want.distance)


def test_a_radius_holds_the_rows_of_the_cpu(rows):
    Q = queries_for(rows)
    index = ExactIndex(rows)
    radius = index.query(Q, min(7, len(rows))).distance[:, -1]
    want = index.query_radius(Q, radius)
    on_gpu = GPUExactIndex(rows, device=DEVICE)
    for one, other in zip(on_gpu.query_radius(Q, radius), want, strict=True):
        np.testing.assert_array_equal(one, other)
    some = np.arange(len(rows)) % 2 == 0
    got, want = (one.query_radius(Q, radius, where=some) for one in (on_gpu, index))
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("block_rows", [64, 100, 333])
def test_rows_beyond_the_memory_of_the_card_are_searched_in_blocks(block_rows):
    X = data_sets()["integer grid"]
    own = np.arange(40)
    want = ExactIndex(X).query(X[own], 80, exclude=own)
    index = GPUExactIndex(X, device=DEVICE, block_rows=block_rows)
    got = index.query(X[own], 80, exclude=own)
    np.testing.assert_array_equal(got.row, want.row)
    np.testing.assert_array_equal(got.distance, want.distance)
    assert "moved in every search" in str(index.decisions)
    near = index.query_radius(X[own], 1.0)
    for one, other in zip(near, ExactIndex(X).query_radius(X[own], 1.0), strict=True):
        np.testing.assert_array_equal(one, other)


def test_rows_for_which_memory_runs_out_are_searched_in_blocks(monkeypatch):
    build = exact.build_codes

    def hungry(X):
        if len(X) > 500:
            raise torch.OutOfMemoryError("no room")
        return build(X)

    monkeypatch.setattr(exact, "build_codes", hungry)
    X = data_sets()["gaussian"]
    index = GPUExactIndex(X, device=DEVICE)
    assert "2 blocks of 450 rows" in str(index.decisions)
    want = ExactIndex(X).query(X[:9], 5)
    np.testing.assert_array_equal(index.query(X[:9], 5).row, want.row)


def test_tensors_are_answered_with_tensors():
    X = torch.as_tensor(data_sets()["float32"], device=DEVICE)
    got = GPUExactIndex(X, device=DEVICE).query(X[:4], 3)
    want = oracle.nearest(oracle.squared_distances(X[:4].cpu().numpy(), X.cpu().numpy()), 3)[1]
    assert isinstance(got.row, torch.Tensor)
    assert got.row.device.type == DEVICE
    np.testing.assert_array_equal(got.row.cpu().numpy(), want)


@pytest.mark.parametrize("kind", ["half", "bfloat16", "strided", "requires_grad", "int64"])
def test_tensors_of_any_kind_are_rows(kind):
    plain = torch.as_tensor(np.round(data_sets()["gaussian"] * 8)[:200], dtype=torch.float32)
    X = {
        "half": plain.half(),
        "bfloat16": plain.bfloat16(),
        "strided": plain.repeat_interleave(2, dim=1)[:, ::2],
        "requires_grad": plain.clone().requires_grad_(),
        "int64": plain.long(),
    }[kind]
    got = GPUExactIndex(X, device=DEVICE).query(plain.numpy()[:9], 4)
    np.testing.assert_array_equal(
        got.row, ExactIndex(plain.numpy()).query(plain.numpy()[:9], 4).row
    )


def test_added_and_removed_rows_answer_as_an_index_built_of_the_rows_left():
    X = data_sets()["gaussian"]
    index = GPUExactIndex(X[:500], device=DEVICE)
    index.add(X[500:])
    index.remove(np.array([3, 700]))
    left = np.delete(X, [3, 700], axis=0)
    want = ExactIndex(left).query(X[:20], 6)
    got = index.query(X[:20], 6)
    np.testing.assert_array_equal(got.row, want.row)
    np.testing.assert_array_equal(got.distance, want.distance)


@pytest.mark.parametrize("block_rows", [None, 128])
@pytest.mark.parametrize("share", [0.02, 0.7])
def test_a_search_within_a_subset_gives_the_rows_of_the_cpu(share, block_rows):
    X = data_sets()["integer grid"]
    where = np.random.default_rng(1).random(len(X)) < share
    own = np.arange(40)
    for exclude in (None, own):
        want = ExactIndex(X).query(X[:40], 5, exclude=exclude, where=where)
        index = GPUExactIndex(X, device=DEVICE, block_rows=block_rows)
        got = index.query(X[:40], 5, exclude=exclude, where=where)
        np.testing.assert_array_equal(got.row, want.row)
        np.testing.assert_array_equal(got.distance, want.distance)


def test_a_search_of_tensors_within_a_subset_gives_tensors():
    X = torch.as_tensor(data_sets()["gaussian"], device=DEVICE)
    got = GPUExactIndex(X, device=DEVICE).query(X[:9], 3, where=np.arange(100, 200))
    want = ExactIndex(data_sets()["gaussian"]).query(X[:9].cpu(), 3, where=np.arange(100, 200))
    assert got.row.device == X.device
    np.testing.assert_array_equal(got.row.cpu(), want.row)
    np.testing.assert_array_equal(got.distance.cpu(), want.distance)


def test_a_block_that_was_not_searched_is_an_error(monkeypatch):
    X = data_sets()["gaussian"]
    index = GPUExactIndex(X, device=DEVICE, block_rows=128)
    blocks = list(index._blocks())
    monkeypatch.setattr(index, "_blocks", lambda: iter(blocks[:-1]))
    with pytest.raises(EngineError, match="rows"):
        index.query(X[:5], 3)


def test_what_cannot_be_searched_is_an_error_that_says_why():
    X = data_sets()["gaussian"]
    index = GPUExactIndex(X, device=DEVICE)
    with pytest.raises(ShapeError, match="features"):
        index.query(X[:, :3], 1)
    with pytest.raises(ParameterError, match="k="):
        index.query(X, 901)
    with pytest.raises(MissingValueError, match="row 2, column 1"):
        GPUExactIndex(torch.tensor([[0.0, 1], [1, 2], [3, torch.nan]]), device=DEVICE)
    with pytest.raises(ShapeError, match="shape"):
        GPUExactIndex(torch.zeros(3), device=DEVICE)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_card_one_sentence_says_what_to_choose():
    with pytest.raises(EngineError, match="engine='memory'"):
        GPUExactIndex(np.eye(3))


def test_a_pickled_index_answers_alike():
    X = data_sets()["gaussian"]
    index = GPUExactIndex(X, device=DEVICE)
    again = pickle.loads(pickle.dumps(index))
    np.testing.assert_array_equal(again.query(X[:9], 4).row, index.query(X[:9], 4).row)


def test_the_plan_of_a_model_names_the_index_that_it_uses(monkeypatch):
    monkeypatch.setattr(gpu_exact, "gpu_device", lambda torch, _=None: torch.device(DEVICE))
    X = data_sets()["gaussian"]
    model = NearestNeighbors(3, engine="gpu").fit(X)
    assert lookalike.neighbors.search_plan(model).index == "gpu_exact"
    np.testing.assert_array_equal(model.kneighbors()[1], NearestNeighbors(3).fit(X).kneighbors()[1])
    with pytest.raises(ParameterError, match="Choose engine='memory'"):
        NearestNeighbors(metric="manhattan", engine="gpu").fit(X)


def test_a_stored_model_answers_alike_with_and_without_a_card(monkeypatch, tmp_path):
    monkeypatch.setattr(gpu_exact, "gpu_device", lambda torch, _=None: torch.device(DEVICE))
    X = data_sets()["float32"]
    model = NearestNeighbors(3, engine="gpu").fit(X)
    want = model.kneighbors(X[:20])
    save(model, tmp_path / "model.lookalike")
    for place in (DEVICE, None):
        if place is None:
            monkeypatch.setattr(gpu_exact, "gpu_device", no_gpu)
        again = load(tmp_path / "model.lookalike")
        for one, other in zip(again.kneighbors(X[:20]), want, strict=True):
            np.testing.assert_array_equal(one, other)
        near = again.radius_neighbors(X[:5], 1.0)[1]
        for one, other in zip(near, model.radius_neighbors(X[:5], 1.0)[1], strict=True):
            np.testing.assert_array_equal(one, other)
        again.partial_fit(X[:3]).remove([0])
        assert again.n_samples_fit_ == len(X) + 2


def no_gpu(torch, device=None):
    raise EngineError(f"no GPU for {torch.__name__} on {device}")


@pytest.mark.parametrize("k", [1024, 1500])
def test_any_number_of_neighbors_can_be_found(k):
    X = np.random.default_rng(0).integers(0, 4, (1600, 3)).astype(float)
    own = np.arange(5)
    want = ExactIndex(X).query(X[:5], k, exclude=own)
    got = GPUExactIndex(X, device=DEVICE).query(X[:5], k, exclude=own)
    np.testing.assert_array_equal(got.row, want.row)
    np.testing.assert_array_equal(got.distance, want.distance)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA GPU")
@pytest.mark.parametrize("n_queries", [1, 3, 16])
def test_few_queries_on_the_card_are_answered_by_a_recorded_search(rows, n_queries):
    X = torch.as_tensor(rows, device="cuda")
    Q = torch.as_tensor(np.repeat(queries_for(rows), 2, axis=0)[:n_queries], device="cuda")
    index = GPUExactIndex(X)
    k = min(10, len(rows) - 1)
    if k == 0:
        return
    own = np.arange(len(Q)) % len(rows)
    for exclude in (None, own, None):
        want = ExactIndex(rows).query(Q.cpu().numpy(), k, exclude=exclude)
        got = index.query(Q, k, exclude=exclude)
        np.testing.assert_array_equal(got.row.cpu().numpy(), want.row)
        np.testing.assert_array_equal(got.distance.cpu().numpy(), want.distance)
    if Q.dtype.is_floating_point:
        Q[0, 0] = torch.nan
        with pytest.raises(MissingValueError, match="row 0, column 0"):
            index.query(Q, k)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA GPU")
def test_models_search_tensors_where_they_lie():
    X = data_sets()["float32"]
    y = np.arange(len(X)) % 3
    T, labels = torch.as_tensor(X, device="cuda"), torch.as_tensor(y, device="cuda")
    model = NearestNeighbors(4).fit(T)
    assert model.space_.rows.data_ptr() == T.data_ptr()
    distance, row = model.kneighbors(T[:9])
    want = NearestNeighbors(4).fit(X).kneighbors(X[:9])
    assert distance.device.type == row.device.type == "cuda"
    np.testing.assert_array_equal(row.cpu().numpy(), want[1])
    np.testing.assert_array_equal(distance.cpu().numpy(), want[0])
    classifier = KNeighborsClassifier(5).fit(T, labels)
    want = KNeighborsClassifier(5).fit(X, y)
    assert classifier.predict(T[:50]).device.type == "cuda"
    np.testing.assert_array_equal(classifier.predict(T[:50]).cpu().numpy(), want.predict(X[:50]))
    np.testing.assert_array_equal(classifier.predict(), want.predict())
    cosine = NearestNeighbors(4, metric="cosine").fit(T).kneighbors(T[:9])[1]
    np.testing.assert_array_equal(
        cosine.cpu().numpy(), NearestNeighbors(4, metric="cosine").fit(X).kneighbors(X[:9])[1]
    )


def test_models_choose_k_and_bandwidth_on_the_gpu_as_on_the_cpu(monkeypatch):
    for module in (gpu_exact, gpu):
        monkeypatch.setattr(module, "gpu_device", lambda torch, _=None: torch.device(DEVICE))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    want, got = (
        KNeighborsClassifier("loo", engine=engine).fit(X, y) for engine in ("memory", "gpu")
    )
    assert got.n_neighbors_ == want.n_neighbors_
    np.testing.assert_array_equal(got.predict(), want.predict())
    want, got = (KernelDensityClassifier(engine=engine).fit(X, y) for engine in ("memory", "gpu"))
    np.testing.assert_allclose(got.bandwidth_, want.bandwidth_)
    np.testing.assert_allclose(got.predict_proba(X), want.predict_proba(X), atol=1e-9)


def test_rows_are_audited_on_the_gpu_as_on_the_cpu(monkeypatch):
    monkeypatch.setattr(gpu_exact, "gpu_device", lambda torch, _=None: torch.device(DEVICE))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 12))
    X[7] = X[3]
    y = (X[:, 0] > 0).astype(int)
    y[9] = 1 - y[9]
    want, got = (
        audit(X, y, search=NearestNeighbors(engine=engine)) for engine in ("memory", "gpu")
    )
    assert str(got) == str(want)


def test_a_setting_leaves_what_a_card_cannot_search_to_the_cpu():
    X = data_sets()["gaussian"]
    want = NearestNeighbors(3, metric="manhattan").fit(X).kneighbors(X[:5])[1]
    with config(engine="gpu"):
        model = NearestNeighbors(3, metric="manhattan").fit(X)
    np.testing.assert_array_equal(model.kneighbors(X[:5])[1], want)
