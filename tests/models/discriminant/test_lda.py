"""Linear discriminants: the maximum of the source, every engine, pieces, weights, hard rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.linalg import eigh
from sklearn.base import clone
from sklearn.covariance import OAS
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Theirs
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike
from lookalike import (
    PCA,
    GaussianMixtureClassifier,
    KernelDensityClassifier,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    RadiusNeighborsClassifier,
)
from lookalike.errors import (
    MemoryBudgetError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
    UnsupportedError,
)

X, y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[y]
SETTINGS = [
    {},
    {"priors": [0.2, 0.3, 0.5]},
    {"solver": "eigen"},
    {"solver": "eigen", "shrinkage": 0.3},
    {"solver": "eigen", "shrinkage": "auto"},
    {"solver": "eigen", "priors": [0.2, 0.3, 0.5]},
    {"solver": "eigen", "covariance_estimator": OAS()},
    {"solver": "lsqr"},
    {"solver": "lsqr", "shrinkage": "auto"},
]
ONE_PASS = [
    {},
    {"solver": "eigen"},
    {"solver": "lsqr", "shrinkage": 0.1, "priors": [0.2, 0.3, 0.5]},
]


@parametrize_with_checks(
    [
        LinearDiscriminantAnalysis(),
        LinearDiscriminantAnalysis("eigen"),
        LinearDiscriminantAnalysis("eigen", shrinkage="auto"),
    ]
)
def test_it_is_an_estimator_as_scikit_learn_wants_them(estimator, check):
    check(estimator)


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_answers_are_those_of_scikit_learn(settings, load):
    rows, labels = load(return_X_y=True)
    ours = LinearDiscriminantAnalysis(**settings).fit(rows, labels)
    theirs = Theirs(**settings).fit(rows, labels)
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=1e-9)
    np.testing.assert_array_equal(ours.predict(rows), theirs.predict(rows))
    np.testing.assert_allclose(ours.means_, theirs.means_)
    if ours.solver != "lsqr":
        np.testing.assert_allclose(
            np.abs(ours.scalings_[:, :2]), np.abs(theirs.scalings_[:, :2]), rtol=1e-7
        )
        np.testing.assert_allclose(
            ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-9
        )
    if hasattr(theirs, "covariance_"):
        np.testing.assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("solver", ["svd", "eigen"])
def test_the_directions_maximise_scatter_between_over_scatter_within(solver):
    model = LinearDiscriminantAnalysis(solver).fit(X, y)
    within = sum(np.cov(X[y == c].T, bias=True) for c in range(3)) / 3
    between = np.cov(X.T, bias=True) - within
    best = eigh(between, within)[0][::-1][:2]
    for v, ratio in zip(model.scalings_.T[:2], best, strict=True):
        assert (v @ between @ v) / (v @ within @ v) == pytest.approx(ratio)
        assert v @ within @ v == pytest.approx(1)
    largest = np.abs(model.scalings_).argmax(axis=0)
    assert np.all(model.scalings_[largest, range(model.scalings_.shape[1])] > 0)


@pytest.mark.parametrize("settings", SETTINGS)
def test_an_offset_of_1e8_does_no_harm(settings):
    near = LinearDiscriminantAnalysis(**settings).fit(X, y)
    far = LinearDiscriminantAnalysis(**settings).fit(X + 1e8, y)
    np.testing.assert_allclose(far.predict_proba(X + 1e8), near.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("settings", ONE_PASS)
def test_every_engine_gives_the_same_answer(settings, engine):
    model = LinearDiscriminantAnalysis(**settings, engine=engine).fit(X, NAMES)
    plain = LinearDiscriminantAnalysis(**settings).fit(X, NAMES)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-9)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))


@pytest.mark.parametrize("settings", ONE_PASS)
def test_rows_that_come_in_parts_give_the_answer_of_all(settings):
    whole = LinearDiscriminantAnalysis(**settings).fit(X, NAMES)
    parts = LinearDiscriminantAnalysis(**settings)
    for part in np.array_split(np.arange(150), 9):  # in order: most parts hold one class alone
        parts.partial_fit(X[part], NAMES[part], classes=np.unique(NAMES))
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-8)
    even, odd = (LinearDiscriminantAnalysis(**settings).fit(X[i::2], NAMES[i::2]) for i in (0, 1))
    np.testing.assert_allclose(even.merge(odd).coef_, whole.coef_, rtol=1e-8)
    assert even.classes_.tolist() == whole.classes_.tolist()


def test_a_class_without_rows_yet_has_no_probability():
    model = LinearDiscriminantAnalysis()
    model.partial_fit(X[:100], NAMES[:100], classes=np.unique(NAMES))
    probability = model.predict_proba(X)
    assert probability.shape == (150, 3)
    assert not probability[:, 2].any()
    two = LinearDiscriminantAnalysis().fit(X[:100], NAMES[:100])
    np.testing.assert_allclose(probability[:, :2], two.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("settings", ONE_PASS)
def test_a_weight_counts_a_row_so_many_times(settings):
    weight = np.random.default_rng(0).integers(0, 4, 150)
    weighted = LinearDiscriminantAnalysis(**settings).fit(X, y, sample_weight=weight)
    repeated = LinearDiscriminantAnalysis(**settings).fit(
        np.repeat(X, weight, 0), np.repeat(y, weight)
    )
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-9)


def test_a_class_without_weight_is_no_class():
    weight = (y != 1).astype(float)
    model = LinearDiscriminantAnalysis().fit(X, y, sample_weight=weight)
    assert model.classes_.tolist() == [0, 2]


@pytest.mark.parametrize("solver", ["svd", "eigen", "lsqr"])
def test_classes_without_any_scatter_are_told_apart_by_their_means(solver):
    rows = np.array([[0.0, 0], [0, 0], [1, 0], [1, 0], [1, 5], [1, 5]])
    model = LinearDiscriminantAnalysis(solver).fit(rows, [0, 0, 1, 1, 2, 2])
    assert model.predict(rows).tolist() == [0, 0, 1, 1, 2, 2]
    assert model.predict([[0.1, 0.2], [0.9, 4.0]]).tolist() == [0, 2]
    assert "all equal" in str(model.decisions_)


@pytest.mark.parametrize("solver", ["svd", "eigen", "lsqr"])
def test_a_class_of_one_row_counts_as_any_other(solver):
    rows = np.vstack([X[:50], X[100:101]])
    labels = [0] * 50 + [1]
    model = LinearDiscriminantAnalysis(solver).fit(rows, labels)
    assert model.predict(X[100:101]).tolist() == [1]


@pytest.mark.parametrize("solver", ["svd", "eigen"])
def test_fewer_rows_than_columns_leave_directions_out_and_say_so(solver):
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(12, 40)), np.arange(12) % 3
    model = LinearDiscriminantAnalysis(solver).fit(rows, labels)
    if solver == "svd":  # the generalized eigenproblem of scikit-learn fails on such rows
        theirs = Theirs().fit(rows, labels)
        np.testing.assert_allclose(model.decision_function(rows), theirs.decision_function(rows))
    assert np.isfinite(model.decision_function(rows)).all()
    assert "left out" in str(model.decisions_.about("scalings_")[0])


@pytest.mark.parametrize("solver", ["svd", "eigen", "lsqr"])
def test_equal_means_give_the_prior(solver):
    rows = np.array([[-1.0], [1.0], [-1.0], [1.0], [-1.0], [1.0]])
    model = LinearDiscriminantAnalysis(solver).fit(rows, [0, 0, 1, 1, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[7.0]]), [[1 / 3, 2 / 3]])


def test_one_class_is_an_error_that_names_it():
    with pytest.raises(ShapeError, match="1 class, 'only'"):
        LinearDiscriminantAnalysis().fit(X, ["only"] * 150)


@pytest.mark.parametrize(
    ("labels", "error"),
    [
        (["a", 1] * 75, ParameterTypeError),
        (["a", None] * 75, MissingValueError),
        ([0.0, np.nan] * 75, MissingValueError),
        (np.linspace(0, 1, 150), ParameterError),
    ],
)
def test_labels_that_are_none_are_an_error(labels, error):
    with pytest.raises(error, match="y "):
        LinearDiscriminantAnalysis().fit(X, labels)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"solver": "qr"}, ParameterError),
        ({"shrinkage": 0.1}, UnsupportedError),
        ({"solver": "eigen", "shrinkage": 1.5}, ParameterError),
        ({"n_components": 3}, ParameterError),
        ({"tol": -1.0}, ParameterError),
        ({"priors": [1.0]}, ShapeError),
        ({"priors": [0.0, 0.0, 0.0]}, ParameterError),
    ],
)
def test_a_parameter_that_cannot_be_honored_is_an_error(settings, error):
    with pytest.raises(error):
        LinearDiscriminantAnalysis(**settings).fit(X, y)


def test_parts_cannot_be_added_where_all_rows_are_needed_again():
    assert not hasattr(LinearDiscriminantAnalysis("eigen", shrinkage="auto"), "partial_fit")
    with pytest.raises(ParameterError, match="Give every label in the first call"):
        LinearDiscriminantAnalysis().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ParameterError, match="models differ"):
        LinearDiscriminantAnalysis().fit(X, y).merge(LinearDiscriminantAnalysis().fit(X[:, :3], y))


def test_too_many_columns_are_refused_with_advice():
    with (
        lookalike.config(memory="1KB"),
        pytest.raises(MemoryBudgetError, match="PCA first"),
    ):
        LinearDiscriminantAnalysis().fit(np.eye(20), np.arange(20) % 2)


def test_frames_come_out_as_frames_and_sparse_rows_are_taken():
    frame = pd.DataFrame(X, columns=list("abcd"))
    out = LinearDiscriminantAnalysis().fit(frame, NAMES).transform(frame)
    assert list(out.columns) == ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]
    dense, sparse = (
        LinearDiscriminantAnalysis().fit(kind(X), y) for kind in (np.array, sp.csr_array)
    )
    np.testing.assert_allclose(sparse.predict_proba(sp.csr_array(X)), dense.predict_proba(X))


def test_it_separates_what_pca_mixes():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 2)) * [6.0, 0.5]
    labels = np.arange(200) % 2
    rows[:, 1] += 3 * labels
    along = PCA(1).fit_transform(rows)
    assert LinearDiscriminantAnalysis().fit(along, labels).score(along, labels) < 0.65
    best = LinearDiscriminantAnalysis(n_components=1).fit_transform(rows, labels)
    assert LinearDiscriminantAnalysis().fit(best, labels).score(best, labels) > 0.98


def test_priors_are_given_alike_to_every_classifier():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(60, 2)), np.repeat(["a", "b"], [20, 40])
    for model in (
        LinearDiscriminantAnalysis(),
        GaussianMixtureClassifier(1),
        KNeighborsClassifier(7),
        KernelDensityClassifier(0.5),
        RadiusNeighborsClassifier(1.0, outlier_label="a"),
    ):
        by_name = clone(model).set_params(priors={"a": 3, "b": 1}).fit(X, y).predict_proba(X)
        by_place = clone(model).set_params(priors=[0.75, 0.25]).fit(X, y).predict_proba(X)
        np.testing.assert_array_equal(by_name, by_place)
        even = clone(model).set_params(priors="balanced").fit(X, y).predict_proba(X)
        halves = clone(model).set_params(priors=[0.5, 0.5]).fit(X, y).predict_proba(X)
        np.testing.assert_array_equal(even, halves)
        with pytest.raises(ParameterError, match=r"priors lacks the classes \['b'\]"):
            clone(model).set_params(priors={"a": 1}).fit(X, y)
