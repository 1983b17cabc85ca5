"""Neighborhood components analysis: scikit-learn's objective and map, weights, numbers, pairs."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NeighborhoodComponentsAnalysis as Peer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike
from lookalike import KNeighborsClassifier, NeighborhoodComponentsAnalysis
from lookalike.errors import LookalikeError, MagnitudeError, ParameterError, ShapeError
from lookalike.explain import explain_prediction
from lookalike.models.neighbors.softmax_objective import AllPairs, NearPairs, choose_pairs

X, Y = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(X)
rng = np.random.default_rng(0)
pytestmark = pytest.mark.filterwarnings("ignore:.*NCA did not converge")


@parametrize_with_checks([NeighborhoodComponentsAnalysis(max_iter=10)])
def test_it_is_an_estimator_as_scikit_learn_wants_them(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.parametrize("n_components", [None, 2])
def test_objective_and_gradient_are_those_of_scikit_learn(n_components):
    A = rng.normal(size=(n_components or 4, 4)) / 2
    peer = Peer(n_components)
    peer.n_iter_ = 0
    same = Y[:, None] == Y
    loss, gradient = peer._loss_grad_lbfgs(A.ravel(), X, same, -1.0)
    own, by_row = AllPairs(Y, classes=True, threads=1)(X @ A.T)
    assert own == pytest.approx(loss, rel=1e-12)
    np.testing.assert_allclose((by_row.T @ X).ravel(), gradient, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_components", [None, 2])
def test_the_map_reaches_the_objective_of_scikit_learn(n_components):
    peer = Peer(n_components, random_state=0).fit(X, Y)
    own = NeighborhoodComponentsAnalysis(n_components, algorithm="exact").fit(X, Y)
    reached = -AllPairs(Y, classes=True, threads=1)(X @ peer.components_.T)[0] / len(X)
    assert own.objective_ == pytest.approx(reached, abs=1e-3)
    assert own.components_.shape == peer.components_.shape
    np.testing.assert_allclose(own.transform(X), X @ own.components_.T, rtol=1e-12)


def test_near_pairs_agree_with_all_of_them_within_their_bound():
    Z = 3 * X
    pairs = choose_pairs(Z, Y, classes=True, n_neighbors=30, threads=1)
    assert isinstance(pairs, NearPairs)
    (loss, gradient), (exact, slope) = pairs(Z), AllPairs(Y, classes=True, threads=1)(Z)
    assert abs(loss - exact) <= pairs.left_out * len(Z) + 1e-9
    assert pairs.left_out < 0.01
    assert np.abs(gradient - slope).max() < 0.05 * np.abs(slope).max()


def test_auto_looks_at_near_rows_alone_where_the_others_have_no_share():
    centers = rng.normal(size=(5, 6)) * 6
    label = np.arange(600) % 5
    rows = centers[label] + 2 * rng.normal(size=(600, 6))
    near = NeighborhoodComponentsAnalysis(max_iter=20).fit(rows, label)
    every = NeighborhoodComponentsAnalysis(max_iter=20, algorithm="exact").fit(rows, label)
    assert "nearest rows of each" in str(near.decisions_)
    assert near.left_out_ <= 1e-2
    assert every.left_out_ == 0
    exact = -AllPairs(label, classes=True, threads=1)(rows @ near.components_.T)[0] / len(rows)
    assert near.objective_ == pytest.approx(exact, abs=near.left_out_ + 1e-9)
    assert near.objective_ == pytest.approx(every.objective_, abs=0.01)


def test_weights_of_features_find_the_column_that_decides():
    rows = rng.normal(size=(300, 5))
    learned = NeighborhoodComponentsAnalysis(diagonal=True, max_iter=5).fit(rows, rows[:, 3] > 0)
    assert learned.feature_weights_.argmax() == 3
    off_diagonal = learned.components_[~np.eye(5, dtype=bool)]
    assert not off_diagonal.any()
    assert learned.get_feature_names_out(list("abcde")).tolist() == list("abcde")


def test_numbers_are_predicted_better_in_the_learned_map():
    rows = rng.normal(size=(150, 4))
    y = np.sin(2 * rows[:, 1])
    learned = NeighborhoodComponentsAnalysis(task="regression", diagonal=True).fit(rows, y)
    before = AllPairs(y, classes=False, threads=1)(rows)[0] / len(rows)
    assert learned.objective_ < before / 2
    assert learned.feature_weights_.argmax() == 1


def test_warm_start_goes_on_from_the_last_map():
    first = NeighborhoodComponentsAnalysis(max_iter=3, warm_start=True)
    with pytest.warns(ConvergenceWarning):
        before = first.fit(X, Y).objective_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert first.fit(X, Y).objective_ > before


def test_a_callback_sees_every_iteration():
    seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = NeighborhoodComponentsAnalysis(
            max_iter=4, callback=lambda flat, number: seen.append((flat.size, number))
        ).fit(X, Y)
    assert seen == [(16, number + 1) for number in range(model.n_iter_)]


def test_the_pipeline_is_saved_and_its_predictions_explained(tmp_path):
    model = make_pipeline(NeighborhoodComponentsAnalysis(max_iter=20), KNeighborsClassifier(3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, Y)
    lookalike.save(model, tmp_path / "model.lookalike")
    again = lookalike.load(tmp_path / "model.lookalike")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again[0].components_, model[0].components_)
    evidence = explain_prediction(again[-1], again[:-1].transform(X[:1]))
    assert evidence.prediction == model.predict(X[:1])[0]
    assert len(evidence.features()) == 4


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"n_components": 9}, ShapeError),
        ({"init": "middle"}, ParameterError),
        ({"init": np.eye(3)}, ShapeError),
        ({"diagonal": True, "n_components": 2}, ParameterError),
        ({"algorithm": "fast"}, ParameterError),
        ({"max_iter": 0}, ParameterError),
        ({"callback": 3}, LookalikeError),
        ({"n_components": 4, "init": "lda"}, ParameterError),
    ],
)
def test_what_cannot_be_is_an_error(options, error):
    with pytest.raises(error):
        NeighborhoodComponentsAnalysis(**options).fit(X, Y)


def test_sparse_rows_and_numbers_beyond_float64_are_errors():
    with pytest.raises(LookalikeError, match="Sparse"):
        NeighborhoodComponentsAnalysis().fit(sp.csr_array(X), Y)
    with pytest.raises(MagnitudeError, match="Scale the columns"):
        NeighborhoodComponentsAnalysis().fit(X * 1e200, Y)


def test_the_map_is_learned_from_so_many_rows_at_most():
    model = NeighborhoodComponentsAnalysis(max_iter=3, max_samples=60, random_state=0).fit(X, Y)
    some = np.sort(np.random.RandomState(0).choice(len(X), 60, replace=False))
    few = NeighborhoodComponentsAnalysis(max_iter=3, random_state=0).fit(X[some], Y[some])
    np.testing.assert_array_equal(model.components_, few.components_)
    assert "60 of 150, at random" in str(model.decisions_)
    every = NeighborhoodComponentsAnalysis(max_iter=3, max_samples=150).fit(X, Y)
    assert "at random" not in str(every.decisions_)
    with pytest.raises(ParameterError, match="max_samples"):
        NeighborhoodComponentsAnalysis(max_samples=1).fit(X, Y)


def test_more_components_than_classes_separate_are_an_error_that_counts_them():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match="init='lda' has 2 directions, and n_components is 3"):
        NeighborhoodComponentsAnalysis(3, init="lda").fit(X, y)


def test_whole_numbers_are_classes_and_fractions_are_numbers():
    X = np.arange(12.0).reshape(6, 2) % 5
    whole = NeighborhoodComponentsAnalysis(max_iter=1).fit(X, [3, 4, 5, 6, 7, 3])
    halves = NeighborhoodComponentsAnalysis(max_iter=1).fit(X, [3.5, 4, 5, 6, 7, 3])
    assert whole.decisions_.about("task")[0].choice == "classification"
    assert halves.decisions_.about("task")[0].choice == "regression"
