"""A model that comes back from its file answers as before, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import store_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import RidgeClassifierCV
from sklearn.pipeline import make_pipeline

import lookalike
from lookalike import KNeighborsClassifier, LinearDiscriminantAnalysis, NearestNeighbors, load, save
from lookalike.errors import ParameterTypeError, SourceMissingError
from lookalike.store.file import read_header
from lookalike.store.known import KNOWN_CLASSES
from lookalike.studies.select.components import in_components

X, Y = store_cases.rows(0)


def assert_same(left, right):
    assert type(left) is type(right)
    if isinstance(left, tuple):
        for a, b in zip(left, right, strict=True):
            assert_same(a, b)
        return
    if sp.issparse(left):
        left, right = left.toarray(), right.toarray()
    left, right = np.asarray(left), np.asarray(right)
    assert left.dtype == right.dtype
    if left.dtype == object:  # an array for every query
        for a, b in zip(left, right, strict=True):
            assert_same(a, b)
        return
    np.testing.assert_array_equal(left, right)


def assert_answers_alike(model, again, Q):
    before, after = store_cases.answers(model, Q), store_cases.answers(again, Q)
    assert before.keys() == after.keys()
    for name in before:
        assert_same(before[name], after[name])


@pytest.mark.parametrize("name", store_cases.BUILDERS)
def test_every_kind_of_model_comes_back_and_answers_alike(name, tmp_path):
    model, path = store_cases.BUILDERS[name](X, Y), tmp_path / "model.lookalike"
    save(model, path)
    again = load(path)
    assert type(again) is type(model)
    assert_answers_alike(model, again, store_cases.question(name, model, X))
    save(again, tmp_path / "again.lookalike")
    assert (tmp_path / "again.lookalike").read_bytes() == path.read_bytes()


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(9, 40),
    d=st.integers(2, 6),
    kind=st.sampled_from([np.float64, np.float32]),
)
def test_models_of_any_rows_come_back_and_answer_alike(seed, n, d, kind, tmp_path_factory):
    rows, y = store_cases.rows(seed, n, d)
    rows = rows.astype(kind)
    path = tmp_path_factory.mktemp("models") / "model"
    for model in (
        KNeighborsClassifier(weights="distance").fit(rows, y),
        make_pipeline(lookalike.StandardScaler(), lookalike.PCA(2)).fit(rows),
        lookalike.LinearDiscriminantAnalysis().fit(rows, y),
        lookalike.KNeighborsRegressor(algorithm="exact").fit(rows, y),
        lookalike.KMeans(3).fit(rows),
    ):
        save(model, path)
        assert_answers_alike(model, load(path), rows[::-1])


def test_every_model_of_the_package_is_known():
    assert set(store_cases.public_models()) <= set(KNOWN_CLASSES)


@pytest.mark.parametrize("name", sorted(KNOWN_CLASSES))
def test_every_known_class_is_where_the_list_says(name):
    assert isinstance(KNOWN_CLASSES[name].load(), type)


def test_a_model_that_is_not_fitted_comes_back(tmp_path):
    save(KNeighborsClassifier(n_neighbors=3, weights="distance"), tmp_path / "m")
    assert load(tmp_path / "m").get_params() == (
        KNeighborsClassifier(n_neighbors=3, weights="distance").get_params()
    )


def test_decisions_and_parameters_come_back(tmp_path):
    model = KNeighborsClassifier(algorithm="lsh").fit(X, Y)
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.decisions_ == model.decisions_
    assert again.get_params() == model.get_params()


def test_rows_can_be_added_to_a_model_that_was_loaded(tmp_path):
    for algorithm in ("exact", "kd_tree", "brute"):
        model = NearestNeighbors(algorithm=algorithm).fit(X)
        save(model, tmp_path / "m")
        again = load(tmp_path / "m").partial_fit(X[:7] + 1)
        assert_same(again.kneighbors(X[:9]), model.partial_fit(X[:7] + 1).kneighbors(X[:9]))


def test_arrays_are_views_of_what_was_read_and_stored_once(tmp_path):
    wide = np.random.default_rng(0).standard_normal((400, 500))
    model = NearestNeighbors(algorithm="exact").fit(wide)
    save(model, tmp_path / "m")
    assert (tmp_path / "m").stat().st_size < 1.05 * wide.nbytes
    rows = load(tmp_path / "m").space_.rows
    assert not rows.flags.owndata
    assert rows.flags.writeable


def test_what_a_loaded_model_changes_stays_in_memory(tmp_path):
    save(NearestNeighbors(algorithm="brute").fit(X), tmp_path / "m")
    load(tmp_path / "m").space_.rows[:] = 0
    np.testing.assert_array_equal(load(tmp_path / "m").space_.rows, X)


def test_a_model_in_use_does_not_mind_its_file_being_replaced_or_removed(tmp_path):
    path = tmp_path / "m"
    save(KNeighborsClassifier().fit(X, Y), path)
    again = load(path)
    save(KNeighborsClassifier(n_neighbors=1).fit(X[::-1].copy(), Y[::-1]), path)
    before = again.predict(X)
    path.unlink()
    np.testing.assert_array_equal(again.predict(X), before)
    np.testing.assert_array_equal(before, KNeighborsClassifier().fit(X, Y).predict(X))


def test_the_header_tells_class_parameters_and_schema(tmp_path):
    save(store_cases.BUILDERS["named"](X, Y), tmp_path / "m")
    header = read_header(tmp_path / "m")
    assert header["class"] == "KNeighborsClassifier"
    assert header["parameters"]["n_neighbors"] == 5
    assert header["schema"]["features"].tolist() == [f"c{i}" for i in range(5)]
    assert header["schema"]["classes"].tolist() == ["b", "c", "ä"]
    assert header["schema"]["n_features"] == 5


def half(x, y):
    return abs(x - y).sum() / 2


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: NearestNeighbors(metric=half).fit(X), "NearestNeighbors.metric.*no code"),
        (
            lambda: KNeighborsClassifier(weights=lambda d: 1 / d).fit(X, Y),
            "Classifier.weights.*no code",
        ),
        (
            lambda: make_pipeline(lookalike.PCA(2), KNeighborsClassifier(metric=half)).fit(X, Y),
            r"Pipeline.steps\[1\]\[1\].metric",
        ),
        (lambda: lookalike.PCA(2, random_state=np.random.RandomState(0)), "random_state.*seed"),
        (lambda: make_pipeline(lookalike.PCA(2), memory="/tmp/cache"), "memory.*None"),
        (object, "cannot be stored"),
        (lambda: [1, 2], "not a model"),
    ],
)
def test_what_cannot_be_stored_is_named(make, words, tmp_path):
    with pytest.raises(ParameterTypeError, match=words):
        save(make(), tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_rows_that_stay_in_their_file_cannot_be_stored(tmp_path):
    np.save(tmp_path / "rows.npy", X)
    model = NearestNeighbors(engine="stream").fit(tmp_path / "rows.npy")
    with pytest.raises(ParameterTypeError, match="engine='memory'"):
        save(model, tmp_path / "m")


def test_an_object_that_holds_itself_is_refused(tmp_path):
    model = KNeighborsClassifier()
    model.metric_params = {"w": model}
    with pytest.raises(ParameterTypeError, match="holds itself"):
        save(model, tmp_path / "m")


@pytest.mark.parametrize("path", [None, 3, b"model", ["model"]])
def test_what_is_no_path_is_said(path):
    with pytest.raises(ParameterTypeError, match="not a path"):
        load(path)
    with pytest.raises(ParameterTypeError, match="neither a path nor an open file"):
        save(KNeighborsClassifier(), path)


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(SourceMissingError, match=r"no file .*gone"):
        load(tmp_path / "gone")


WIDE = np.random.default_rng(0).standard_normal((90, 120))
OVERHEAD = 6000  # bytes of names and numbers


@pytest.mark.parametrize(
    ("model", "needed"),
    [
        (LinearDiscriminantAnalysis("lsqr", shrinkage="auto"), 120**2 + 8 * 120),  # covariance_
        (LinearDiscriminantAnalysis("svd"), 120**2 + 14 * 120),  # sums that more rows can join
        (in_components(WIDE, 100, 3)[1][0][1], 8 * 120),  # as in a study, which adds no rows
        (RidgeClassifierCV(), 3 * 120),
        (lookalike.RBFNetworkClassifier(4), 6 * 120),
        (lookalike.BoostedNeighborsClassifier(2), 90 * 120 / 2 + 6 * 120),  # rows in float32
    ],
    ids=["lda", "lda_svd", "pca", "ridge", "rbf", "boosted"],
)
def test_a_file_is_no_larger_than_what_the_model_needs(model, needed, tmp_path):
    if not hasattr(model, "components_"):
        model.fit(WIDE, np.arange(len(WIDE)) % 3)
    save(model, tmp_path / "m")
    assert (tmp_path / "m").stat().st_size < 8 * needed + OVERHEAD
