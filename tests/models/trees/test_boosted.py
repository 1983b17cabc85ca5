"""Boosted neighbors: scikit-learn's boosted trees as sums over training rows."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

import lookalike
from lookalike import BoostedNeighborsClassifier, BoostedNeighborsRegressor
from lookalike.errors import ParameterError, ParameterTypeError, ShapeError

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
NUMBERS = X[:, 0] ** 2 + X[:, 1]
CLASSES = np.digitize(X[:, 0] + 0.5 * X[:, 1] ** 2, [-0.3, 0.8])
QUERIES = rng.normal(size=(20, 3))
STEPS = 12


def test_two_classes_have_the_probabilities_of_scikit_learn_to_its_float32():
    y = CLASSES > 0
    ours = BoostedNeighborsClassifier(STEPS, random_state=0).fit(X, y)
    theirs = HistGradientBoostingClassifier(max_iter=STEPS, random_state=0)
    expected = theirs.fit(X.astype(np.float32), y).predict_proba(QUERIES.astype(np.float32))
    np.testing.assert_allclose(ours.predict_proba(QUERIES), expected, atol=1e-5)


def test_numbers_are_those_of_scikit_learn_to_its_float32():
    ours = BoostedNeighborsRegressor(STEPS, random_state=0).fit(X, NUMBERS)
    theirs = HistGradientBoostingRegressor(max_iter=STEPS, random_state=0)
    expected = theirs.fit(X.astype(np.float32), NUMBERS).predict(QUERIES.astype(np.float32))
    np.testing.assert_allclose(ours.predict(QUERIES), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("y", [CLASSES, CLASSES > 0])
def test_the_training_rows_add_up_to_the_decision_function(y):
    model = BoostedNeighborsClassifier(STEPS, random_state=0).fit(X, y)
    added = model.contributions(QUERIES[:5])
    total = added.sum(axis=1) + model.baseline_
    np.testing.assert_allclose(total, model.decision_function(QUERIES[:5]), atol=1e-12)


def test_the_training_rows_add_up_to_the_number():
    model = BoostedNeighborsRegressor(STEPS, random_state=0).fit(X, NUMBERS)
    total = model.contributions(QUERIES[:5]).sum(axis=1) + model.baseline_
    np.testing.assert_allclose(total, model.predict(QUERIES[:5]), atol=1e-12)


def test_missing_values_go_where_the_tree_learned_to_send_them():
    holes = X.copy()
    holes[:100, 0] = np.nan
    y = np.isnan(holes[:, 0])
    model = BoostedNeighborsClassifier(STEPS, random_state=0).fit(holes, y)
    assert model.predict([[np.nan, 0.0, 0.0], [0.0, 0.0, 0.0]]).tolist() == [True, False]


def test_a_stored_model_answers_and_explains_the_same(tmp_path):
    model = BoostedNeighborsClassifier(STEPS, random_state=0).fit(X, CLASSES)
    lookalike.save(model, tmp_path / "model.lookalike")
    loaded = lookalike.load(tmp_path / "model.lookalike")
    np.testing.assert_array_equal(loaded.predict_proba(QUERIES), model.predict_proba(QUERIES))
    np.testing.assert_array_equal(loaded.contributions(QUERIES), model.contributions(QUERIES))


@pytest.mark.parametrize("options", [{"max_iter": 0}, {"learning_rate": 0.0}])
def test_wrong_parameters_are_named(options):
    with pytest.raises(ParameterError, match=next(iter(options))):
        BoostedNeighborsRegressor(**options).fit(X, NUMBERS)


def test_several_numbers_a_row_are_refused():
    with pytest.raises((ShapeError, ParameterTypeError), match="outputs"):
        BoostedNeighborsRegressor(3).fit(X, np.column_stack([NUMBERS, NUMBERS]))


def test_with_an_l2_penalty_probabilities_are_those_of_scikit_learn_and_rows_add_up():
    y = CLASSES > 0
    ours = BoostedNeighborsClassifier(STEPS, l2_regularization=3.0, random_state=0).fit(X, y)
    theirs = HistGradientBoostingClassifier(max_iter=STEPS, l2_regularization=3.0, random_state=0)
    expected = theirs.fit(X.astype(np.float32), y).predict_proba(QUERIES.astype(np.float32))
    np.testing.assert_allclose(ours.predict_proba(QUERIES), expected, atol=1e-5)
    total = ours.contributions(QUERIES).sum(axis=1) + ours.baseline_
    np.testing.assert_allclose(total, ours.decision_function(QUERIES), atol=1e-12)


def test_with_an_l2_penalty_a_class_of_two_rows_does_not_make_scores_diverge():
    y = np.where(np.arange(200) < 2, 2, CLASSES > 0)
    plain, held = (
        BoostedNeighborsClassifier(100, l2_regularization=l2, random_state=0).fit(X, y)
        for l2 in (0.0, 1.0)
    )
    largest = [np.abs(one.decision_function(X)).max() for one in (plain, held)]
    assert largest[1] < min(largest[0], 20)
