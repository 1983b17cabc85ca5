"""k-means against the slow rounds of Lloyd in float64, on every engine and every kind of rows."""

from __future__ import annotations

import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike
from lookalike import KMeans
from lookalike.data import open_source
from lookalike.data.batches import gather
from lookalike.decisions import Decisions
from lookalike.errors import LookalikeError, MagnitudeError
from lookalike.models.cluster.lloyd import InMemoryLloyd, arithmetic_of, nearest_centers
from lookalike.reductions.ranges import Ranges

rng = np.random.default_rng(7)


@parametrize_with_checks([KMeans(n_clusters=3)])
def test_it_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


def slow_labels(X, centers):
    """The reference: all distances in float64, the lowest of equally near centers."""
    return oracle.squared_distances(X, centers).argmin(axis=1)


def held(X, threads=2, weight=None):
    source = open_source(X, weight=weight)
    reduction = Ranges()
    extent = reduction.init(source.n_features)
    for chunk in source.chunks():
        extent = reduction.update(extent, chunk)
    frame = arithmetic_of(extent, sparse=sp.issparse(X), unit=False)
    return InMemoryLloyd(gather(source), frame, extent, threads, Decisions())


@st.composite
def tables(draw):
    """Rows that are random, tied on a grid, duplicated, far from zero, or of unlike columns."""
    seed = draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    n, d = draw(st.integers(1, 60)), draw(st.integers(1, 20))
    kind = draw(st.sampled_from(["random", "grid", "twice", "offset", "unlike", "outlier"]))
    X = random.normal(size=(n, d))
    if kind == "grid":
        X = np.round(X)
    elif kind == "twice":
        X = X[random.integers(0, max(1, n // 3), n)]
    elif kind == "offset":
        X = (X + 1e6).astype(np.float32)
    elif kind == "unlike":
        X = X * 10.0 ** random.integers(-6, 6, d)
    elif kind == "outlier":
        X[0] *= 1e9
    return X, random.integers(0, n, draw(st.integers(1, n)))


@settings(max_examples=80, deadline=None)
@given(tables())
def test_labels_equal_the_reference_and_the_objective_never_rises(table):
    X, start = table
    rounds = held(X)
    centers = X[start].astype(np.float64)
    before = np.inf
    for _ in range(6):
        sums = rounds.gather(centers)
        labels, inertia = rounds.assign(centers)
        expected = slow_labels(X, centers)
        np.testing.assert_array_equal(labels, expected)
        assert inertia <= before * (1 + 1e-9) + 1e-300
        before = inertia
        X64 = X.astype(np.float64)
        for c in np.unique(expected):
            mean = X64[expected == c].mean(axis=0)
            total = sums.sum(axis=0)[c]
            found = total[:-2] / total[-2] + rounds.frame.grid[0, :-2]
            scale = np.abs(X64).max(axis=0)
            np.testing.assert_allclose(found, mean, rtol=0, atol=1e-12 * scale.max())
            centers[c] = found


@pytest.mark.parametrize("d", [40, 200], ids=["coded columns", "coded directions"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_codes_that_rule_centers_out_never_show(d, dtype):
    X = (rng.normal(size=(600, d)) * 20 + 100).astype(dtype)
    X[::7] = X[0]
    centers = X[rng.choice(600, 90, replace=False)].astype(np.float64)
    rounds = held(X)
    for _ in range(5):
        sums = rounds.gather(centers)
        np.testing.assert_array_equal(rounds.assign(centers)[0], slow_labels(X, centers))
        total = sums.sum(axis=0)
        known = total[:, -2] > 0
        centers[known] = total[known, :-2] / total[known, -2:-1] + rounds.frame.grid[0, :-2]


def test_without_optimization_the_answer_is_the_same_bits(monkeypatch):
    X = rng.normal(size=(500, 150))
    fast = KMeans(20, tol=0).fit(X)
    monkeypatch.setenv("LOOKALIKE_OPTIMIZE", "0")
    slow = KMeans(20, tol=0).fit(X)
    assert_same(fast, slow)


def assert_same(left, right):
    np.testing.assert_array_equal(left.cluster_centers_, right.cluster_centers_)
    np.testing.assert_array_equal(left.labels_, right.labels_)
    assert left.inertia_ == right.inertia_
    assert left.n_iter_ == right.n_iter_


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_every_engine_gives_the_same_bits(engine, weighted, metric):
    X = rng.normal(size=(900, 7)).astype(np.float32) + 5
    weight = np.random.default_rng(1).uniform(size=900) if weighted else None
    known = {"metric": metric, "max_iter": 6}
    here = KMeans(6, engine="memory", **known).fit(X, sample_weight=weight)
    with lookalike.config(memory="100KB"):  # chunks of 111 rows
        there = KMeans(6, engine=engine, **known).fit(X, sample_weight=weight)
    assert_same(here, there)


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_threads_do_not_show(threads):
    X = rng.normal(size=(3000, 30)).astype(np.float32)
    assert_same(KMeans(12, n_jobs=threads).fit(X), KMeans(12, n_jobs=3).fit(X))


def test_the_order_of_the_rows_shows_only_in_the_order_of_the_labels():
    X = rng.normal(size=(400, 5))
    order = rng.permutation(400)
    one, other = KMeans(5).fit(X), KMeans(5).fit(X[order])
    np.testing.assert_array_equal(one.cluster_centers_, other.cluster_centers_)
    np.testing.assert_array_equal(one.labels_[order], other.labels_)


def test_sparse_rows_give_the_answer_of_dense_ones():
    X = np.where(rng.random((300, 40)) < 0.8, 0.0, rng.normal(size=(300, 40)))
    sparse = KMeans(7, tol=0).fit(sp.csr_array(X))
    dense = KMeans(7, tol=0).fit(X)
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    np.testing.assert_allclose(sparse.cluster_centers_, dense.cluster_centers_, atol=1e-14)
    np.testing.assert_array_equal(sparse.transform(sp.csr_array(X)), sparse.transform(X))


def test_labels_are_those_of_predict_and_inertia_that_of_score():
    X = rng.normal(size=(500, 9)).astype(np.float32)
    weight = rng.uniform(size=500)
    model = KMeans(8, max_iter=2).fit(X, sample_weight=weight)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    means = model._centers()  # of which the public ones are as float32, as the rows are
    np.testing.assert_array_equal(model.cluster_centers_, means.astype(np.float32))
    assert model.cluster_centers_.dtype == np.float32
    np.testing.assert_array_equal(model.labels_, slow_labels(X, means))
    assert model.score(X, sample_weight=weight) == -model.inertia_
    key = oracle.squared_distances(X, means)[np.arange(500), model.labels_]
    assert model.inertia_ == pytest.approx(float((weight * key).sum()), rel=1e-13)


def test_cosine_gives_unit_centers_and_the_largest_cosine():
    X = rng.normal(size=(300, 6)) * rng.uniform(1, 50, size=(300, 1))
    model = KMeans(5, metric="cosine").fit(X)
    np.testing.assert_allclose(np.linalg.norm(model.cluster_centers_, axis=1), 1, rtol=1e-14)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    cosine = unit @ model.cluster_centers_.T
    np.testing.assert_array_equal(model.labels_, cosine.argmax(axis=1))
    assert model.inertia_ == pytest.approx(2 * (1 - cosine.max(axis=1)).sum())
    np.testing.assert_allclose(model.transform(X), 1 - cosine, atol=1e-12)
    with pytest.raises(LookalikeError, match="zero in row 0"):
        KMeans(2, metric="cosine").fit(np.zeros((4, 2)))


# CASES.md D


def test_fewer_distinct_points_than_centers_end_with_a_warning():  # 62
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\) found smaller"):
        model = KMeans(5).fit(X)
    assert model.inertia_ == 0.0
    assert len(set(model.labels_)) == 2


def test_as_many_centers_as_rows_and_one_are_right_and_more_are_an_error():  # 64
    X = rng.normal(size=(6, 2))
    assert KMeans(6).fit(X).inertia_ == 0.0
    np.testing.assert_allclose(KMeans(1).fit(X).cluster_centers_[0], X.mean(axis=0), rtol=1e-14)
    with pytest.raises(LookalikeError, match="n_samples=6 should be >= n_clusters=7"):
        KMeans(7).fit(X)


def test_equal_points_have_no_inertia_and_take_one_round():  # 65
    model = KMeans(1).fit(np.full((20, 3), 0.1))
    assert model.inertia_ == 0.0
    np.testing.assert_array_equal(model.cluster_centers_, np.full((1, 3), 0.1))
    with pytest.warns(ConvergenceWarning):
        model = KMeans(3).fit(np.full((20, 3), 0.1))
    assert (model.inertia_, model.n_iter_) == (0.0, 1)


def test_an_offset_of_a_million_in_float32_gives_the_labels_of_centered_rows():  # 66
    X = (rng.normal(size=(400, 4)) + 1e6).astype(np.float32)
    far = KMeans(6, init=X[:6]).fit(X)
    near = KMeans(6, init=X[:6] - np.float32(1e6)).fit(X - np.float32(1e6))
    np.testing.assert_array_equal(far.labels_, near.labels_)


def test_equally_near_centers_go_to_the_lower_number():  # 68
    model = KMeans(2, init=[[0.0], [2.0]], max_iter=1).fit([[0.0], [1.0], [2.0]])
    np.testing.assert_array_equal(model.predict([[model.cluster_centers_.mean()]]), [0])
    twins = KMeans(2, init=[[1.0], [1.0]], max_iter=1)
    with pytest.warns(ConvergenceWarning):
        assert set(twins.fit([[1.0], [1.0]]).labels_) == {0}


@pytest.mark.parametrize(
    ("init", "text"),
    [
        ([[np.nan, 0.0], [1.0, 1.0]], "init is nan at center 0, column 0"),
        ([[1.0, 1.0]], "does not match the number of clusters 2"),
        ([[1.0], [2.0]], "does not match the number of features of the data 2"),
        ("nearest", "init='nearest' is not known"),
    ],
)
def test_starts_that_cannot_be_are_errors(init, text):  # 69
    with pytest.raises(LookalikeError, match=text):
        KMeans(2, init=init).fit(rng.normal(size=(9, 2)))


def test_without_tolerance_it_ends_when_no_row_changes_its_center():  # 70
    X = rng.normal(size=(300, 3))
    model = KMeans(5, tol=0, max_iter=1000).fit(X)
    assert model.n_iter_ < 1000
    again = KMeans(5, init=model.cluster_centers_, tol=0).fit(X)
    np.testing.assert_array_equal(again.cluster_centers_, model.cluster_centers_)
    assert again.n_iter_ == 1


def test_inertia_of_many_float32_rows_is_summed_in_float64():  # 71
    X = np.full((200_000, 1), 1.0, np.float32)
    X[0] = 4096.0
    model = KMeans(1).fit(X)
    X64 = X.astype(np.float64)
    assert model.inertia_ == pytest.approx(float(np.square(X64 - X64.mean()).sum()), rel=1e-14)


def test_centers_without_rows_get_the_rows_farthest_from_theirs():
    X = np.array([[0.0], [0.1], [0.2], [9.0], [5.0]])
    start = [[0.0], [100.0], [200.0]]
    model = KMeans(3, init=start, max_iter=1).fit(X)
    assert {5.0, 9.0} <= set(model.cluster_centers_.ravel())
    assert KMeans(3, init=start).fit(X).inertia_ < 0.1


@pytest.mark.parametrize("value", [1e200, 1e-200])
def test_values_whose_squares_leave_float64_are_an_error(value):
    with pytest.raises(LookalikeError, match="whose square overflows float64"):
        KMeans(2).fit(np.array([[0.0], [value], [0.0]]))


@pytest.mark.parametrize("scale", [1e-140, 1e-30, 1e30, 1e140])
def test_any_magnitude_is_right(scale):
    X = rng.normal(size=(200, 3))
    start = X[:4]
    plain = KMeans(4, init=start, tol=0).fit(X)
    scaled = KMeans(4, init=start * scale, tol=0).fit(X * scale)
    np.testing.assert_array_equal(plain.labels_, scaled.labels_)


def test_a_generator_that_can_be_read_again_is_clustered():
    X = rng.normal(size=(200, 3))
    parts = KMeans(3).fit(lambda: iter(np.array_split(X, 7)))
    assert_same(parts, KMeans(3).fit(X))


def test_a_function_may_give_the_start():
    X = rng.normal(size=(50, 2))
    model = KMeans(2, init=lambda X, k, **_: X[:k], n_init=1).fit(X)
    assert_same(model, KMeans(2, init=X[:2]).fit(X))


@pytest.mark.parametrize("wrong", [{"n_clusters": 0}, {"tol": -1.0}, {"algorithm": "full"}])
def test_parameters_that_cannot_be_honored_are_errors(wrong):
    with pytest.raises(LookalikeError):
        KMeans(**{"n_clusters": 2, **wrong}).fit(rng.normal(size=(9, 2)))


def test_frames_bring_their_names_and_get_one_back():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rng.normal(size=(30, 2)), columns=["a", "b"])
    model = KMeans(2).set_output(transform="pandas").fit(frame)
    assert list(model.transform(frame).columns) == ["kmeans0", "kmeans1"]
    assert list(model.feature_names_in_) == ["a", "b"]


@pytest.mark.parametrize(
    "model", ["KMeans", "GaussianMixture", "RBFNetworkClassifier", "RBFNetworkRegressor"]
)
def test_float16_rows_are_fitted_as_float32(model):
    rows = np.random.default_rng(0).normal(size=(40, 4)).astype(np.float16)
    y = np.arange(40) % 3
    halves = getattr(lookalike, model)(random_state=0).fit(rows, y)
    singles = getattr(lookalike, model)(random_state=0).fit(rows.astype(np.float32), y)
    np.testing.assert_array_equal(halves.predict(rows), singles.predict(rows.astype(np.float32)))


@pytest.mark.parametrize("n_clusters", [3, 16, 17, 40])
@pytest.mark.parametrize("scale", [1.0, 2.0**-480])
def test_predict_is_the_brute_force_search_whatever_the_number_of_centers(n_clusters, scale):
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (300, 2)) * scale  # many rows equally near to two centers
    unit = X / scale
    key = np.square(unit[:, None] - unit[None, :n_clusters]).sum(axis=2)
    labels = nearest_centers(X, X[:n_clusters].copy(), unit=False)
    assert labels.tolist() == key.argmin(axis=1).tolist()


@pytest.mark.parametrize("value", [1e20, 1e60, 1e200, -1.7e308])
def test_a_value_beside_which_the_other_rows_are_lost_is_named_with_row_and_column(value):
    X = np.random.default_rng(0).standard_normal((200, 3))
    X[7, 1] = value
    for model in (KMeans(3, random_state=0), KMeans(3, random_state=0, engine="stream")):
        with pytest.raises(MagnitudeError, match="at row 7, column 'x1'"):
            model.fit(X)
