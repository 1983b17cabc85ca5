"""Forests as neighbor models: what classifiers and regressors share."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike
from lookalike import ForestNeighborsClassifier, ForestNeighborsRegressor
from lookalike.errors import MissingValueError, ParameterError, ParameterTypeError, ShapeError
from lookalike.explain import explain_prediction
from lookalike.models.trees.forest import LEAF_SIZES

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 4))
NUMBER = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
LABEL = np.where(NUMBER > 0.3, "high", np.where(NUMBER < -0.3, "low", "middle"))
Q = rng.normal(size=(50, 4))

RANDOM = "a row of weight two is not drawn as two rows are"


@parametrize_with_checks(
    [
        ForestNeighborsClassifier(10, random_state=0),
        ForestNeighborsClassifier(5, splitter="random", min_samples_leaf="oob", random_state=0),
        ForestNeighborsRegressor(10, random_state=0),
        ForestNeighborsRegressor(5, bootstrap=False, max_depth=4, random_state=0),
    ],
    expected_failed_checks=lambda model: (
        {"check_sample_weight_equivalence_on_dense_data": RANDOM} if model.bootstrap else {}
    ),
)
def test_it_is_an_estimator_as_scikit_learn_wants_them(estimator, check):
    check(estimator)


def fitted(**options):
    model = ForestNeighborsClassifier(20, **{"random_state": 0, **options})
    return model.fit(X, LABEL)


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("bootstrap", [True, False])
def test_weights_of_the_rows_make_the_prediction(splitter, bootstrap):
    model = fitted(splitter=splitter, bootstrap=bootstrap)
    weights = model.neighbor_weights(Q)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-12)
    shares = np.stack([weights @ (label == LABEL) for label in model.classes_], axis=1)
    np.testing.assert_allclose(model.predict_proba(Q), shares, atol=1e-12)
    number = ForestNeighborsRegressor(20, splitter=splitter, bootstrap=bootstrap, random_state=0)
    number.fit(X, NUMBER)
    np.testing.assert_allclose(number.predict(Q), number.neighbor_weights(Q) @ NUMBER, atol=1e-12)


@pytest.mark.parametrize("bootstrap", [True, False])
def test_weights_count_drawn_rows_of_each_leaf_as_the_equation_says(bootstrap):
    weight = np.ones(len(X)) if bootstrap else rng.uniform(0.5, 3.0, size=len(X))
    model = ForestNeighborsRegressor(7, min_samples_leaf=4, bootstrap=bootstrap, random_state=1)
    model.fit(X, NUMBER, sample_weight=weight)
    forest = model._forest
    leaf, own = model.apply(Q), model.apply(X)
    drawn = np.zeros((7, len(X)))
    for tree, (_, member) in enumerate(forest._by_tree()):
        drawn[tree, forest.row[member]] = forest.drawn[member]
    assert (drawn.sum(axis=1) == len(X)).all()
    assert (drawn == 0).any() == bootstrap
    expected = np.zeros((len(Q), len(X)))
    for tree in range(7):
        inside = (leaf[:, tree, None] == own[:, tree]) * drawn[tree] * weight
        expected += inside / inside.sum(axis=1, keepdims=True) / 7
    np.testing.assert_allclose(model.neighbor_weights(Q).toarray(), expected, atol=1e-15)


def test_neighbors_share_the_most_leaves_ties_by_row_number():
    model = fitted()
    shared = (model.apply(Q)[:, None, :] == model.apply(X)).sum(axis=2)
    order = np.argsort(-shared, axis=1, kind="stable")[:, :9]
    distance, row = model.kneighbors(Q, 9)
    np.testing.assert_array_equal(row, order)
    np.testing.assert_array_equal(distance, 1 - np.take_along_axis(shared, order, 1) / 20)
    np.testing.assert_array_equal(model.kneighbors(Q, 9, return_distance=False), row)


def test_neighbors_of_training_rows_leave_the_row_itself_out():
    model = fitted()
    _, row = model.kneighbors(n_neighbors=len(X) - 1)
    assert (row != np.arange(len(X))[:, None]).all()
    own = model.apply(X)
    shared = (own[:, None, :] == own).sum(axis=2)
    np.fill_diagonal(shared, -1)
    np.testing.assert_array_equal(row, np.argsort(-shared, axis=1, kind="stable")[:, :-1])


def test_answers_do_not_depend_on_batches_or_threads():
    model, one = fitted(n_jobs=2), fitted(n_jobs=1)
    whole = model.predict_proba(Q)
    np.testing.assert_array_equal(whole, one.predict_proba(Q))
    parts = [model.predict_proba(part) for part in np.array_split(Q, 17)]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


def test_missing_values_go_where_the_tree_learned_to_send_them():
    holes = np.where(rng.uniform(size=X.shape) < 0.2, np.nan, X)
    model = ForestNeighborsClassifier(20, random_state=0).fit(holes, LABEL)
    asked = np.where(rng.uniform(size=Q.shape) < 0.3, np.nan, Q)
    weights = model.neighbor_weights(asked)
    shares = np.stack([weights @ (label == LABEL) for label in model.classes_], axis=1)
    np.testing.assert_allclose(model.predict_proba(asked), shares, atol=1e-12)
    with pytest.raises(MissingValueError, match="inf at row 0, column 'x2'"):
        model.predict([[0.0, 0.0, np.inf, 0.0]])


@pytest.mark.parametrize(("offset", "scale"), [(1e8, 1.0), (-1e12, 1e3), (0.0, 1e160), (0, 1e-160)])
def test_float32_trees_do_not_lose_columns_far_from_zero_or_of_odd_size(offset, scale):
    plain = fitted()
    moved = ForestNeighborsClassifier(20, random_state=0).fit(offset + scale * X, LABEL)
    assert "float32" in str(moved.decisions_)
    same = moved.predict(offset + scale * Q) == plain.predict(Q)
    assert same.mean() > 0.9
    assert np.isfinite(plain.predict_proba(1e300 * Q)).all()


def test_the_leaf_size_of_least_out_of_bag_error_is_taken():
    noisy = NUMBER + rng.normal(size=len(X))
    model = ForestNeighborsRegressor(30, min_samples_leaf="oob", random_state=0).fit(X, noisy)
    assert set(model.oob_errors_) == set(LEAF_SIZES)
    assert model.oob_errors_[model.min_samples_leaf_] == min(model.oob_errors_.values())
    assert model.oob_error_ == min(model.oob_errors_.values())
    assert model.min_samples_leaf_ > 1
    fixed = ForestNeighborsRegressor(
        30, min_samples_leaf=model.min_samples_leaf_, random_state=0
    ).fit(X, noisy)
    np.testing.assert_array_equal(fixed.predict(Q), model.predict(Q))


def test_out_of_bag_predictions_use_trees_that_did_not_draw_the_row():
    model = fitted()
    forest, own = model._forest, model.apply(X)
    predicted = forest.out_of_bag()
    for row in range(20):
        unseen = model._out_of_bag(row)
        np.testing.assert_allclose(
            predicted[row], forest.value[own[row, unseen]].mean(axis=0), atol=1e-15
        )


def test_a_stored_forest_answers_the_same_without_scikit_learns_trees(tmp_path):
    model = fitted(min_samples_leaf=3)
    lookalike.save(model, tmp_path / "forest.model")
    loaded = lookalike.load(tmp_path / "forest.model")
    np.testing.assert_array_equal(loaded.predict_proba(Q), model.predict_proba(Q))
    np.testing.assert_array_equal(loaded.kneighbors(Q)[1], model.kneighbors(Q)[1])


def test_evidence_lists_the_rows_and_weights_that_make_the_answer():
    model = fitted()
    evidence = explain_prediction(model, Q[0])
    weights = model.neighbor_weights(Q[:1]).toarray()[0]
    np.testing.assert_array_equal(evidence.weights, weights[evidence.rows])
    np.testing.assert_allclose(evidence.weights.sum(), 1.0, atol=1e-12)
    np.testing.assert_allclose(evidence.votes, model.predict_proba(Q[:1])[0], atol=1e-12)
    assert evidence.prediction == model.predict(Q[:1])[0]
    assert (np.diff(evidence.distances) >= 0).all()
    gone = weights.copy()
    gone[evidence.flip_rows] = 0
    shares = [gone[label == LABEL].sum() for label in model.classes_]
    assert model.classes_[np.argmax(shares)] == evidence.flip_label != evidence.prediction
    number = ForestNeighborsRegressor(20, random_state=0).fit(X, NUMBER)
    assert explain_prediction(number, Q[0]).prediction == pytest.approx(number.predict(Q[:1])[0])


def test_a_training_row_is_left_out_by_the_trees_that_did_not_draw_it():
    model = fitted()
    evidence = explain_prediction(model, X[3], leave_out=3)
    assert 3 not in evidence.rows
    np.testing.assert_allclose(evidence.votes, model._forest.out_of_bag()[3], atol=1e-12)
    with pytest.raises(ParameterError, match="every tree drew row 3"):
        explain_prediction(fitted(bootstrap=False), X[3], leave_out=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_estimators": 0}, "n_estimators=0 is out of range"),
        ({"splitter": "worst"}, "splitter='worst' is not known"),
        ({"min_samples_leaf": "oob", "bootstrap": False}, "bootstrap=False draws all"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0 is out of range"),
        ({"max_features": 1.5}, "max_features=1.5 is out of range"),
        ({"max_depth": 0}, "max_depth=0 is out of range"),
        ({"bootstrap": "yes"}, "bootstrap='yes' is not True or False"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    with pytest.raises((ParameterError, ParameterTypeError), match=message):
        ForestNeighborsClassifier(**options).fit(X, LABEL)


def test_what_forests_cannot_take_is_said():
    with pytest.raises(ParameterTypeError, match="Sparse rows are not supported"):
        ForestNeighborsClassifier().fit(sp.csr_array(X), LABEL)
    with pytest.raises(ShapeError, match="y has 1 class"):
        ForestNeighborsClassifier().fit(X, ["a"] * len(X))
    with pytest.raises(ParameterError, match="n_neighbors=300 is out of range"):
        fitted().kneighbors(n_neighbors=300)
