"""The map of neighbors: an estimator, the same for a seed, with measures, for any similarity."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.manifold import trustworthiness
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike
from lookalike import ForestNeighborsClassifier, NearestNeighbors, NeighborMap, load, save
from lookalike.errors import LookalikeError, ParameterError, ParameterTypeError, ShapeError
from lookalike.neighbors import self_search
from lookalike.progress import listening
from lookalike.text import TermWeights

METHODS = ("tsne", "umap")


@pytest.fixture(scope="module")
def blobs():
    """Rows around five centers, and the center of each."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 5
    return rng.normal(size=(200, 6)) + 8 * rng.normal(size=(5, 6))[y], y


@pytest.fixture(scope="module", params=METHODS)
def fitted(request, blobs):
    return NeighborMap(request.param, n_iter=150).fit(blobs[0])


@parametrize_with_checks([NeighborMap(n_iter=30), NeighborMap("umap", n_iter=30)])
def test_it_is_an_estimator_as_scikit_learn_wants_them(estimator, check):
    check(estimator)


@settings(max_examples=8, deadline=None)
@given(
    method=st.sampled_from(METHODS),
    threads=st.integers(2, 5),
    n=st.sampled_from([3, 40, 2100]),  # more than 2000 rows repel each other on a grid
    seed=st.integers(0, 100),
)
def test_a_seed_gives_the_same_map_on_any_number_of_threads(method, threads, n, seed):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    given = {"n_iter": 8, "random_state": seed, "quality_rows": 20}
    one = NeighborMap(method, n_jobs=1, **given).fit(X)
    many = NeighborMap(method, n_jobs=threads, **given).fit(X)
    assert one.embedding_.tobytes() == many.embedding_.tobytes()
    assert one.quality_ == many.quality_
    Q = X[:5] + 0.1
    assert one.transform(Q).tobytes() == many.transform(Q).tobytes()


def test_clusters_stay_together_and_apart(fitted, blobs):
    _, y = blobs
    near = self_search(fitted.embedding_, 5).row
    assert (y[near] == y[:, None]).mean() > 0.99


def test_digits_keep_as_many_neighbors_as_scikit_learns_measure_says():
    X = load_digits().data[:600]
    for method, least in (("tsne", 0.98), ("umap", 0.97)):
        model = NeighborMap(method, quality_rows=600).fit(X)
        theirs = trustworthiness(X, model.embedding_, n_neighbors=15)
        assert model.trustworthiness_ == pytest.approx(theirs, abs=1e-4)  # but for equal distances
        assert theirs > least
        assert model.continuity_ > 0.97


def test_measures_come_with_every_map(fitted):
    assert fitted.quality_[:3] == (
        fitted.trustworthiness_,
        fitted.continuity_,
        fitted.neighbor_preservation_,
    )
    assert 0.9 < fitted.trustworthiness_ <= 1
    assert fitted.torn_.shape == fitted.false_.shape == (200,)
    about = {decision.about for decision in fitted.decisions_}
    assert {"n_iter", "start", "quality", "index"} <= about


@pytest.mark.parametrize("method", METHODS)
def test_equal_rows_land_together(method):
    rng = np.random.default_rng(1)
    X = np.repeat(rng.normal(size=(60, 4)), 2, axis=0)
    Z = NeighborMap(method, n_iter=300).fit_transform(X)
    gap = np.linalg.norm(Z[::2] - Z[1::2], axis=1)
    assert np.median(gap) < 0.05 * np.ptp(Z)
    assert (self_search(Z, 5).row == np.arange(120)[:, None] ^ 1).any(axis=1).mean() > 0.95


def test_rows_of_fit_are_placed_where_they_lie_and_others_near_their_neighbors(fitted, blobs):
    X, y = blobs
    np.testing.assert_array_equal(fitted.transform(X), fitted.embedding_)
    Z = fitted.transform(X + 0.01)
    assert np.median(np.linalg.norm(Z - fitted.embedding_, axis=1)) < 0.1 * np.ptp(Z)
    near = NearestNeighbors(n_neighbors=5).fit(fitted.embedding_).kneighbors(Z)[1]
    assert (y[near] == y[:, None]).mean() > 0.99


def test_a_new_row_is_placed_the_same_alone_and_among_others(fitted, blobs):
    Q = blobs[0][:20] + 0.2
    together = fitted.transform(Q)
    for i in (0, 7, 19):
        np.testing.assert_array_equal(fitted.transform(Q[i : i + 1])[0], together[i])


@pytest.mark.parametrize("method", METHODS)
def test_sparse_texts_are_mapped_by_angle(method):
    words = [["sun", "moon", "star", "sky"], ["dog", "cat", "mouse", "cow"]]
    rng = np.random.default_rng(2)
    texts = [" ".join(rng.choice(words[i % 2], 6)) for i in range(80)]
    X = TermWeights().fit_transform(texts)
    assert sp.issparse(X)
    model = NeighborMap(method, metric="cosine", n_iter=100).fit(X)
    near = self_search(model.embedding_, 3).row
    assert (near % 2 == np.arange(80)[:, None] % 2).mean() > 0.95
    assert model.transform(X[:4]).shape == (4, 2)
    assert "length 1" in str(model.decisions_)


def test_a_forest_finds_the_neighbors_where_it_is_given(blobs):
    X, y = blobs
    noisy = np.column_stack([X, 50 * np.random.default_rng(3).normal(size=(200, 5))])
    forest = ForestNeighborsClassifier(20, random_state=0)
    by_forest = NeighborMap(search=forest, n_iter=100).fit(noisy, y)
    by_rows = NeighborMap(n_iter=100).fit(noisy)

    def agreement(model):
        return (y[self_search(model.embedding_, 5).row] == y[:, None]).mean()

    assert agreement(by_forest) > 0.9 > agreement(by_rows)
    assert by_forest.trustworthiness_ > 0.8
    assert by_forest.transform(noisy[:3]).shape == (3, 2)
    assert "graph" in str(by_forest.decisions_.about("start")[0])


@pytest.mark.parametrize("method", METHODS)
def test_neighbors_that_are_given_are_mapped_as_if_they_were_searched(method, blobs):
    X, _ = blobs
    model = NearestNeighbors(n_neighbors=90).fit(X)
    given = model.kneighbors()
    options = {"n_iter": 60, "search": "precomputed"}
    of_pair = NeighborMap(method, **options).fit(given)
    of_search = NeighborMap(method, **options).fit(self_search(X, 90))
    of_matrix = NeighborMap(method, **options).fit(model.kneighbors_graph(mode="distance"))
    for other in (of_search, of_matrix):
        np.testing.assert_array_equal(other.embedding_, of_pair.embedding_)
    assert np.isnan(of_pair.trustworthiness_)
    assert of_pair.neighbor_preservation_ > 0.4
    placed = of_pair.transform(model.kneighbors(X[:6], 15))
    np.testing.assert_array_equal(placed, of_pair.embedding_[:6])


def test_distances_and_columns_of_several_kinds_are_mapped():
    rng = np.random.default_rng(4)
    color = np.array(["red", "blue"])[np.arange(60) % 2]
    table = pd.DataFrame({"size": rng.normal(size=60), "color": color})
    model = NeighborMap(metric="gower", n_iter=100).fit(table)
    assert isinstance(model.fit_transform(table), np.ndarray | pd.DataFrame)
    near = self_search(model.embedding_, 3).row
    assert (color[near] == color[:, None]).mean() > 0.9
    X = rng.normal(size=(50, 4))
    distance = np.linalg.norm(X[:, None] - X, axis=2)
    by_matrix = NeighborMap(metric="precomputed", n_iter=100).fit(distance)
    assert by_matrix.trustworthiness_ > 0.8
    assert by_matrix.transform(distance[:3]).shape == (3, 2)


def test_a_learned_metric_is_a_metric_as_others(blobs):
    X, _ = blobs
    V = np.diag([1.0, 1.0, 1.0, 1e6, 1e6, 1e6])
    model = NeighborMap(metric="mahalanobis", metric_params={"V": V}, n_iter=60).fit(X)
    twin = NeighborMap(n_iter=60).fit(X / np.sqrt(np.diag(V)))
    kept = lookalike.manifold.neighbor_preservation(X / np.sqrt(np.diag(V)), model.embedding_)
    assert kept > 0.5
    assert twin.trustworthiness_ == pytest.approx(model.trustworthiness_, abs=0.02)


def test_a_power_of_the_metric_is_that_of_its_search(blobs):
    X = blobs[0]
    model = NeighborMap(metric="minkowski", metric_params={"p": 3}, n_iter=10).fit(X)
    distance, _ = model.search_.kneighbors()
    expected, _ = lookalike.NearestNeighbors(p=3).fit(X).kneighbors()
    np.testing.assert_array_equal(distance, expected)


def test_a_frame_gives_a_frame_with_names(blobs):
    table = pd.DataFrame(blobs[0], columns=list("abcdef"))
    model = NeighborMap(n_iter=10)
    Z = model.fit_transform(table)
    assert list(Z.columns) == ["neighbormap0", "neighbormap1"]
    assert list(model.transform(table[:3]).columns) == list(Z.columns)


def test_a_model_file_gives_the_same_map(fitted, blobs, tmp_path):
    save(fitted, tmp_path / "map.lookalike")
    loaded = load(tmp_path / "map.lookalike")
    np.testing.assert_array_equal(loaded.embedding_, fitted.embedding_)
    np.testing.assert_array_equal(loaded.transform(blobs[0] + 1), fitted.transform(blobs[0] + 1))
    assert loaded.quality_ == fitted.quality_
    assert loaded.decisions_ == fitted.decisions_


@pytest.mark.parametrize("method", METHODS)
def test_progress_is_reported_and_an_interrupt_ends_the_descent(method, blobs):
    seen = []

    def stop(label, done, total):
        seen.append((label, done, total))
        if "of" in label and done >= 20:
            raise KeyboardInterrupt

    model = NeighborMap(method, n_iter=5000)
    with listening(stop), pytest.raises(KeyboardInterrupt):
        model.fit(np.tile(blobs[0], (10, 1)) + np.arange(2000)[:, None] % 7)
    assert not hasattr(model, "embedding_")
    assert seen[-1][1] < 100
    assert seen[-1][2] == 5000


X = np.random.default_rng(5).normal(size=(20, 3))


@pytest.mark.parametrize(
    ("model", "rows", "error", "message"),
    [
        (NeighborMap(), X[:1], ShapeError, "n_samples=1 is too few"),
        (NeighborMap(perplexity=20), X, ParameterError, "perplexity <= 19"),
        (NeighborMap("umap", n_neighbors=20), X, ParameterError, "n_neighbors <= 19"),
        (NeighborMap(), np.ones((20, 3)), ParameterError, "All 20 rows are equal"),
        (NeighborMap(), np.where(X > 2, np.nan, X), LookalikeError, "NaN|missing"),
        (NeighborMap("isomap"), X, ParameterError, "'tsne', 'umap'"),
        (NeighborMap(n_iter=0), X, ParameterError, "n_iter"),
        (NeighborMap(min_dist=-1.0), X, ParameterError, "min_dist"),
        (NeighborMap(search="graph"), X, ParameterError, "precomputed"),
        (NeighborMap(search=int), X, ParameterTypeError, "no fit and kneighbors"),
        (NeighborMap(search="precomputed"), X, ParameterTypeError, "kneighbors"),
        (
            NeighborMap(search="precomputed"),
            (np.ones((20, 2)), np.tile([0, 1], (20, 1))),
            ParameterError,
            "Row 0 is among its own",
        ),
        (
            NeighborMap(search="precomputed"),
            (np.tile([2.0, 1.0], (20, 1)), (np.arange(20)[:, None] + [1, 2]) % 20),
            ParameterError,
            "rising order",
        ),
    ],
)
def test_what_cannot_be_mapped_is_said_in_a_sentence(model, rows, error, message):
    rows = rows.copy() if isinstance(rows, np.ndarray) else rows
    if model.get_params() == NeighborMap().get_params() and message.startswith("NaN"):
        rows[3, 1] = np.nan
    with pytest.raises(error, match=message):
        model.fit(rows)
