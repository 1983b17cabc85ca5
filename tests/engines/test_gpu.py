"""The GPU engine gives the CPU's answers; without a GPU the torch twins of its kernels run."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import lookalike
from lookalike import (
    PCA,
    GaussianMixture,
    GaussianMixtureClassifier,
    KernelDensityClassifier,
    KernelPCA,
    KMeans,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    MinMaxScaler,
    RadiusNeighborsClassifier,
    RBFNetworkClassifier,
    SimpleImputer,
    StandardScaler,
)
from lookalike.cluster import KCenter
from lookalike.data import open_source
from lookalike.data.sources.tensors import TensorSource
from lookalike.decisions import Decisions
from lookalike.engines import engine_for
from lookalike.engines.local import MemoryEngine
from lookalike.errors import (
    EngineError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)
from lookalike.feature_selection import SelectByFilter
from lookalike.reductions.by_class import ClassColumns, ClassCovariance
from lookalike.reductions.columns import Columns
from lookalike.reductions.covariance import Covariance
from lookalike.reductions.quantiles import DigitCounts
from lookalike.reductions.ranges import Ranges
from lookalike.reductions.sample import RandomSample
from lookalike.reductions.within_class_scatter import WithinClassScatter
from lookalike.reductions.wrappers import Checked, Grouped, WithRowCount

torch = pytest.importorskip("torch", reason="torch is not installed")

from lookalike.engines import gpu  # noqa: E402
from lookalike.index import gpu_exact  # noqa: E402
from lookalike.kernels.gpu import assign, assign_torch, exact_sums_torch  # noqa: E402

ON_GPU = torch.cuda.is_available()
DEVICE = "cuda" if ON_GPU else "cpu"
needs_gpu = pytest.mark.skipif(not ON_GPU, reason="there is no CUDA GPU")


@pytest.fixture(autouse=True)
def engine_without_a_card(monkeypatch):
    if not ON_GPU:
        monkeypatch.setattr(gpu, "gpu_device", lambda torch, _=None: torch.device("cpu"))


def data_sets():
    rng = np.random.default_rng(0)
    plain = rng.normal(size=(700, 12))
    centers = 20 * rng.normal(size=(9, 12))
    return {
        "gaussian": plain,
        "float32": plain.astype(np.float32),
        "float16": plain.astype(np.float16),
        "clusters": centers[rng.integers(0, 9, 700)] + plain,
        "offset 1e8": plain + 1e8,
        "offset 1e4 in float32": (plain + 1e4).astype(np.float32),
        "integer grid": rng.integers(0, 3, (700, 5)).astype(np.float64),
        "bytes": rng.integers(0, 255, (700, 20)).astype(np.uint8),
        "int64": rng.integers(-1000, 1000, (700, 7)),
        "duplicates": np.repeat(rng.normal(size=(35, 7)), 20, axis=0),
        "one outlier": np.vstack([plain, np.full((1, 12), 1e5)]),
        "lengths that span ten decades": plain * np.exp(5 * rng.normal(size=(700, 1))),
        "one column": plain[:, :1],
        "130 columns": rng.normal(size=(300, 130)).astype(np.float32),
        "1e-20": plain * 1e-20,
        "1e20": plain * 1e20,
        "a column of zeros": plain * (np.arange(12) != 3),
        "fortran order": np.asfortranarray(plain),
        "rows backwards": plain[::-1, ::-1],
        "64 rows": plain[:64],
    }


@pytest.fixture(params=data_sets().items(), ids=lambda item: item[0])
def rows(request):
    return request.param[1]


def flat(result):
    parts = [np.ravel(np.asarray(part, np.float64)) for part in result]
    return np.concatenate(parts)


@pytest.mark.parametrize("weighted", [False, True])
def test_k_means_has_the_labels_centers_and_inertia_of_the_cpu_bit_for_bit(rows, weighted):
    weight = np.random.default_rng(1).integers(0, 4, len(rows)) if weighted else None
    want = KMeans(9, random_state=0, max_iter=20).fit(rows, sample_weight=weight)
    got = KMeans(9, random_state=0, max_iter=20, engine="gpu").fit(rows, sample_weight=weight)
    np.testing.assert_array_equal(got.labels_, want.labels_)
    np.testing.assert_array_equal(got.cluster_centers_, want.cluster_centers_)
    np.testing.assert_array_equal(got.history_, want.history_)
    assert got.inertia_ == want.inertia_
    np.testing.assert_array_equal(got.predict(rows[:50]), want.predict(rows[:50]))


def test_k_means_of_rows_that_do_not_fit_on_the_card_has_the_same_bits(monkeypatch):
    X = data_sets()["clusters"]
    want = KMeans(9, random_state=0).fit(X)
    monkeypatch.setattr(gpu.GPUEngine, "_room", lambda _: 0.0)
    with lookalike.config(memory=32 * 100 * 12 * 8):  # chunks of 100 rows
        got = KMeans(9, random_state=0, engine="gpu").fit(X)
    np.testing.assert_array_equal(got.labels_, want.labels_)
    np.testing.assert_array_equal(got.cluster_centers_, want.cluster_centers_)
    assert got.inertia_ == want.inertia_
    assert "do not fit on the GPU" in str(got.decisions_)


@pytest.mark.parametrize(
    "model", [KMeans(5, metric="cosine"), KCenter(5)], ids=["cosine", "kcenter"]
)
def test_other_clusterings_have_the_bits_of_the_cpu(model):
    X = data_sets()["clusters"]
    want = model.fit(X)
    labels, centers = want.labels_, want.cluster_centers_
    got = model.set_params(engine="gpu").fit(X)
    np.testing.assert_array_equal(got.labels_, labels)
    np.testing.assert_array_equal(got.cluster_centers_, centers)


def test_rows_that_codes_leave_undecided_are_compared_in_float64():
    X = torch.as_tensor(data_sets()["integer grid"], device=DEVICE)
    centers = np.array([[0.0] * 5, [2.0] * 5, [0.0] * 5, [1.0] * 5])  # ties, and one twice
    rows = assign.GPUAssigner(X, 1.0)
    labels = rows.no_labels()
    assert rows.assign(centers, labels) > 0
    gap = ((X.cpu().numpy()[:, None] - centers) ** 2).sum(-1)
    np.testing.assert_array_equal(labels.cpu().numpy(), gap.argmin(1))
    assert not (labels == 2).any()


@needs_gpu
@pytest.mark.parametrize("k", [2, 100, 1000])
@pytest.mark.parametrize("d", [3, 64, 128, 300])
def test_the_triton_kernels_of_k_means_agree_with_their_twins(d, k):
    from lookalike.kernels.gpu import assign_triton, exact_sums_triton

    torch.manual_seed(0)
    X = torch.randn(5000, d, device=DEVICE)
    C = torch.randn(k, d, device=DEVICE, dtype=torch.float64)
    codes, mean, scale = assign.row_codes(X)
    code, height, limits = assign.center_codes(C, codes[0].shape[1], mean, scale)
    arguments = assign_torch.AssignCodes(*codes, code, height, limits, 1e-5)
    one = assign_triton.nearest_certain(arguments)
    other = assign_torch.nearest_certain(arguments)
    both = (one >= 0) & (other >= 0)
    assert both.float().mean() > 0.5
    assert (one[both] == other[both]).all()
    want = torch.cdist(X.double(), C).argmin(1)
    assert (one[one >= 0] == want[one >= 0]).all()
    assert (other[other >= 0] == want[other >= 0]).all()
    several = torch.nonzero((one < 0) | (torch.arange(5000, device=DEVICE) % 7 == 0))[:, 0]
    assign_triton.decide(arguments, several, X, C, one)
    assign_torch.decide(arguments, several, X, C, other)
    assert (one[one >= 0] == want[one >= 0]).all()
    assert (one[several] == other[several]).float().mean() > 0.9
    assert (other[other >= 0] == want[other >= 0]).all()
    row = torch.randint(5000, (7000,), device=DEVICE)
    given = {
        "n_added": 4000,
        "n_centers": k,
        "square": X.double().square().sum(1),
        "weight": torch.rand(5000, device=DEVICE, dtype=torch.float64),
        "grid": torch.as_tensor(_grid(d), device=DEVICE),
    }
    terms = exact_sums_torch.SumTerms(X, row, want.int()[row], **given)
    for mine, theirs in zip(
        exact_sums_triton.add_terms(terms), exact_sums_torch.add_terms(terms), strict=True
    ):
        assert torch.equal(mine, theirs)


def _grid(d):
    from lookalike.kernels.sums import sum_grid

    return np.vstack([np.zeros(d + 2), sum_grid(np.full(d + 2, 1e4), 10**6)])


REDUCTIONS = [
    Covariance(),
    Columns(),
    ClassCovariance(),
    ClassColumns(),
    WithinClassScatter(),
    Ranges(),
    Grouped(Covariance(), 3),
    WithRowCount(Covariance()),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("reduction", REDUCTIONS, ids=lambda one: type(one).__name__)
def test_reductions_agree_with_the_cpu_in_float64(reduction, weighted):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 6)) + 1e8, rng.integers(0, 3, 600)
    weight = rng.integers(0, 3, 600).astype(float) if weighted else None
    source = open_source(X, y, weight=weight)
    checked = Checked(reduction, source.columns)
    assert checked.on_gpu
    got = gpu.GPUEngine(device=DEVICE).reduce(checked, source)
    want = MemoryEngine().reduce(checked, source)
    if isinstance(reduction, Grouped):
        got, want = sum(got, ()), sum(want, ())
    if isinstance(reduction, WithRowCount):
        got, want = (got.rows, *got.state), (want.rows, *want.state)
    for one, other in zip(got, want, strict=True):
        scale = np.abs(np.asarray(other, float)).max() if np.size(other) else 1.0
        np.testing.assert_allclose(
            np.asarray(one, float), np.asarray(other, float), atol=1e-10 * max(scale, 1e-300)
        )


def test_missing_values_are_left_out_of_columns():
    X = np.where(np.random.default_rng(0).random((300, 4)) < 0.2, np.nan, 5.0)
    X[:, 0] = np.nan
    X[3, 1] = 7.0
    source = open_source(X)
    got, want = (
        e.reduce(Columns(), source) for e in (gpu.GPUEngine(device=DEVICE), MemoryEngine())
    )
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    with pytest.raises(MissingValueError, match="row 0, column 'x0'"):
        gpu.GPUEngine(device=DEVICE).reduce(Checked(Covariance(), source.columns), source)


def test_a_sample_is_that_of_the_cpu():
    X = data_sets()["float32"]
    source = open_source(X)
    got, want = (
        e.reduce(RandomSample(20, seed=3), source)
        for e in (gpu.GPUEngine(device=DEVICE), MemoryEngine())
    )
    np.testing.assert_array_equal(got.row, want.row)
    np.testing.assert_array_equal(got.X, want.X)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("spread", [1.0, 1e4], ids=["near", "far apart"])
def test_mixtures_agree_with_the_cpu(kind, spread):
    rng = np.random.default_rng(0)
    X = spread * rng.normal(size=(4, 5))[rng.integers(0, 4, 800)] + rng.normal(size=(800, 5))
    weight = rng.integers(0, 3, 800).astype(float)
    given = {"covariance_type": kind, "random_state": 0, "reg_covar": 1e-12}
    want, got = (
        GaussianMixture(4, engine=engine, **given).fit(X, sample_weight=weight)
        for engine in ("memory", "gpu")
    )
    assert got.n_iter_ == want.n_iter_
    np.testing.assert_allclose(got.means_, want.means_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(got.covariances_, want.covariances_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(got.lower_bound_, want.lower_bound_, rtol=1e-9)
    np.testing.assert_allclose(got.predict_proba(X), want.predict_proba(X), atol=1e-7)
    np.testing.assert_allclose(got.score_samples(X), want.score_samples(X), rtol=1e-7)
    np.testing.assert_array_equal(got.predict(X), want.predict(X))


@pytest.mark.parametrize("how", ["random", "random_from_data"])
def test_mixtures_start_alike(how):
    X = data_sets()["clusters"]
    want = GaussianMixture(3, init_params=how, random_state=0, max_iter=5, tol=1e9).fit(X)
    got = GaussianMixture(3, init_params=how, random_state=0, max_iter=5, tol=1e9, engine="gpu")
    np.testing.assert_allclose(got.fit(X).means_, want.means_, rtol=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_pca_and_lda_agree_with_the_cpu_at_any_offset(offset):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 8)) * np.arange(1, 9)
    y = rng.integers(0, 3, 500)
    X[:, 0] += 5 * y
    want, got = (PCA(3, engine=e).fit(X + offset) for e in ("memory", "gpu"))
    np.testing.assert_allclose(got.components_, want.components_, atol=1e-7)
    np.testing.assert_allclose(got.explained_variance_, want.explained_variance_, rtol=1e-7)
    np.testing.assert_allclose(
        got.explained_variance_, PCA(3).fit(X).explained_variance_, rtol=1e-6
    )
    want, got = (LinearDiscriminantAnalysis(engine=e).fit(X + offset, y) for e in ("memory", "gpu"))
    np.testing.assert_array_equal(got.predict(X + offset), want.predict(X + offset))


def test_what_has_no_kernel_of_a_gpu_runs_on_the_cpu_and_decisions_say_so():
    decisions = Decisions()
    engine = gpu.GPUEngine(device=DEVICE, decisions=decisions)
    X = np.arange(12.0).reshape(6, 2)
    got = list(engine.map(lambda chunk: chunk.X.sum(), open_source(X)))
    assert got == [66.0]
    assert not gpu.runs_on_gpu(DigitCounts)
    scaled = StandardScaler(engine="gpu").fit_transform(X)
    np.testing.assert_allclose(scaled.std(axis=0), 1.0)
    assert decisions.about("device")


def test_sparse_rows_stay_on_the_cpu():
    X = sp.random_array((200, 9), density=0.3, rng=0, format="csr")
    want, got = (KMeans(4, engine=e).fit(X) for e in ("memory", "gpu"))
    np.testing.assert_array_equal(got.labels_, want.labels_)


def test_a_setting_chooses_the_engine_of_all_models():
    X = data_sets()["float32"]
    with lookalike.config(engine="gpu"):
        model = KMeans(3).fit(X)
        assert engine_for(open_source(X)).name == "gpu"
        assert engine_for(open_source(X), "memory").name == "memory"
    assert ("engine", "gpu") in {decision[:2] for decision in model.decisions_}
    assert engine_for(open_source(X)).name == "memory"
    with pytest.raises(ParameterError, match="engine='quantum' is not known"):
        lookalike.config(engine="quantum")


def test_rows_of_a_mapped_file_are_streamed_to_the_card(tmp_path):
    X = data_sets()["float32"]
    np.save(tmp_path / "rows.npy", X)
    want = PCA(2).fit(X)
    got = PCA(2, engine="gpu").fit(tmp_path / "rows.npy")
    np.testing.assert_allclose(got.explained_variance_, want.explained_variance_, rtol=1e-5)


def test_chunks_are_halved_where_the_memory_of_the_card_runs_out():
    class Hungry(Ranges):
        def update(self, state, chunk):
            if len(chunk.X) > 300:
                raise torch.OutOfMemoryError("no room")
            return super().update(state, chunk)

    X, decisions = data_sets()["gaussian"], Decisions()
    got = gpu.GPUEngine(device=DEVICE, decisions=decisions).reduce(Hungry(), open_source(X))
    assert got.rows == 700
    np.testing.assert_array_equal(got.least, X.min(axis=0))
    assert "the memory of the GPU ran out" in str(decisions)


@pytest.mark.skipif(ON_GPU, reason="there is a GPU")
def test_without_a_card_one_sentence_says_what_to_choose(monkeypatch):
    monkeypatch.undo()
    with pytest.raises(EngineError, match="Choose engine='memory'"):
        KMeans(2, engine="gpu").fit(np.eye(3))
    assert KMeans(2, engine="auto").fit(np.eye(3)).labels_.shape == (3,)


def test_tensors_are_sources_of_their_rows():
    X = data_sets()["float32"]
    source = TensorSource(torch.as_tensor(X, device=DEVICE), torch.arange(700, device=DEVICE))
    chunks = list(source.chunks(300))
    assert [len(chunk.X) for chunk in chunks] == [300, 300, 100]
    assert chunks[1].offset == 300
    np.testing.assert_array_equal(np.concatenate([c.X.cpu().numpy() for c in chunks]), X)
    np.testing.assert_array_equal(chunks[2].y, np.arange(600, 700))
    np.testing.assert_array_equal(next(source.tables(5)).values["x1"], X[:5, 1])
    on_host = MemoryEngine().reduce(Covariance(), source)
    np.testing.assert_array_equal(on_host[1], MemoryEngine().reduce(Covariance(), source)[1])


@pytest.mark.parametrize(
    ("tensor", "dtype"),
    [
        (torch.ones(4, 3).half(), "float32"),
        (torch.ones(4, 3).bfloat16(), "float32"),
        (torch.ones(4, 3, dtype=torch.int64), "float64"),
        (torch.ones(4, 3, requires_grad=True), "float32"),
        (torch.ones(3, 4).T, "float32"),
        (torch.ones(4, 6)[:, ::2], "float32"),
    ],
    ids=["half", "bfloat16", "int64", "requires_grad", "transposed", "strided"],
)
def test_tensors_of_any_kind_become_rows(tensor, dtype):
    source = TensorSource(tensor)
    assert source.dtype == np.dtype(dtype)
    assert MemoryEngine().reduce(Columns(), source).mean.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("tensor", "error"),
    [
        (torch.ones(3), ShapeError),
        (torch.ones(0, 3), ShapeError),
        (torch.ones(2, 2, dtype=torch.complex64), ParameterTypeError),
        (torch.eye(3).to_sparse(), ParameterTypeError),
    ],
    ids=["one dimension", "no rows", "complex", "sparse"],
)
def test_tensors_that_are_no_rows_are_an_error(tensor, error):
    with pytest.raises(error, match="Give"):
        TensorSource(tensor)


@needs_gpu
def test_models_take_tensors_on_the_card_and_answer_with_tensors():
    X = data_sets()["clusters"].astype(np.float32)
    T = torch.as_tensor(X, device="cuda")
    model = KMeans(5, random_state=0).fit(T)
    want = KMeans(5, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, want.labels_)
    assert ("engine", "gpu") in {decision[:2] for decision in model.decisions_}
    labels = model.predict(T)
    assert labels.device.type == "cuda"
    np.testing.assert_array_equal(labels.cpu().numpy(), want.labels_)
    scores = PCA(2).fit(T).transform(T)
    assert scores.device.type == "cuda"
    assert GaussianMixture(2, random_state=0).fit(T).predict_proba(T).device.type == "cuda"
    T[3, 1] = torch.nan
    with pytest.raises(MissingValueError, match="row 3, column 'x1'"):
        KMeans(2).fit(T)


@needs_gpu
def test_cupy_arrays_are_read_without_a_copy():
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    X = data_sets()["float32"]
    C = cupy.asarray(X)
    source = open_source(C)
    assert next(source.chunks()).X.data_ptr() == C.data.ptr
    model = KMeans(5, random_state=0).fit(C)
    np.testing.assert_array_equal(model.labels_, KMeans(5, random_state=0).fit(X).labels_)
    assert isinstance(model.predict(C), cupy.ndarray)
    assert isinstance(PCA(2).fit(C).transform(C), cupy.ndarray)


@pytest.mark.parametrize(
    "model",
    [
        *(PCA(2, svd_solver=solver) for solver in ("full", "covariance_eigh", "leading")),
        PCA(2, missing="em"),
        GaussianMixtureClassifier(2),
        KernelPCA(2),
        KMeans(3, metric="cosine"),
        LinearDiscriminantAnalysis(shrinkage="auto", solver="eigen"),
        RBFNetworkClassifier(5),
        RadiusNeighborsClassifier(50.0),
        SelectByFilter(),
        SimpleImputer(),
        KernelDensityClassifier(1.0),
        StandardScaler(),
        MinMaxScaler(),
        KNeighborsClassifier(3),
    ],
    ids=repr,
)
def test_every_model_reads_rows_that_are_tensors(model, monkeypatch):
    monkeypatch.setattr(gpu_exact, "gpu_device", lambda torch, _=None: torch.device(DEVICE))
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = 5 * rng.normal(size=(3, 6))[y] + rng.normal(size=(200, 6))
    want = model.set_params(engine="memory").fit(X, y)
    answer = want.transform if hasattr(want, "transform") else want.predict
    expected = answer(X[:20])
    again = clone(model).set_params(engine="gpu")
    again.fit(TensorSource(torch.as_tensor(X, device=DEVICE), y))
    answer = again.transform if hasattr(again, "transform") else again.predict
    got = answer(TensorSource(torch.as_tensor(X[:20], device=DEVICE)))
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)
