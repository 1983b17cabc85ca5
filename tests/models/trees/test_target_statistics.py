"""Categories as what the targets of other rows say of them."""

import numpy as np

import lookalike
from lookalike import BoostedNeighborsClassifier, BoostedNeighborsRegressor
from lookalike.models.trees.target_statistics import TargetStatistics

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 6, size=120).astype(np.float32)
ROWS = np.column_stack([CODES, RNG.normal(size=120)]).astype(np.float32)
ROWS[:3, 0] = np.nan
LABELS = RNG.integers(0, 2, size=120)


def test_a_training_row_has_the_mean_of_those_of_its_category_before_it():
    order = np.random.RandomState(5).permutation(120)
    _, encoded = TargetStatistics.fit(ROWS, [0], LABELS, np.random.RandomState(5))
    np.testing.assert_array_equal(encoded[:, 0], ROWS[:, 1])  # the other column comes first
    code = np.nan_to_num(ROWS[:, 0], nan=-1)
    for place, row in enumerate(order):
        same = [other for other in order[:place] if code[other] == code[row]]
        mean = (LABELS[same].sum() + LABELS.mean()) / (len(same) + 1)
        np.testing.assert_allclose(encoded[row, 1], mean, rtol=1e-6)
        assert encoded[row, 2] == (code == code[row]).sum()


def test_other_rows_have_the_mean_of_all_training_rows_and_unknown_categories_the_prior():
    fitted, _ = TargetStatistics.fit(ROWS, [0], LABELS, np.random.RandomState(0))
    new = fitted.transform(np.array([[2.0, 0.0], [99.0, 0.0]], np.float32))
    own = LABELS[ROWS[:, 0] == 2]
    mean = (own.sum() + LABELS.mean()) / (len(own) + 1)
    np.testing.assert_allclose(new[0], [0.0, mean, len(own)], rtol=1e-6)
    np.testing.assert_allclose(new[1], [0.0, LABELS.mean(), 0.0], rtol=1e-6)


def test_few_categories_have_a_column_each():
    few = np.array([[0.0], [1.0], [np.nan], [1.0]], np.float32)
    _, encoded = TargetStatistics.fit(few, [0], np.array([0, 1, 0, 1]), np.random.RandomState(0))
    assert encoded.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]]


def test_trees_on_categories_add_up_and_are_the_same_from_a_file(tmp_path):
    y = np.isin(CODES, [1, 4]).astype(int)
    for kind, target in ((BoostedNeighborsClassifier, y), (BoostedNeighborsRegressor, y * 2.5)):
        model = kind(
            20, categorical_features=[0], grow_policy="symmetric", subsample=0.8, random_state=0
        ).fit(ROWS, target)
        score = getattr(model, "decision_function", model.predict)
        total = model.contributions(ROWS).sum(axis=1) + model.baseline_
        np.testing.assert_allclose(total, score(ROWS), atol=1e-9)
        lookalike.save(model, tmp_path / "m")
        loaded = lookalike.load(tmp_path / "m")
        np.testing.assert_array_equal(loaded.predict(ROWS), model.predict(ROWS))
