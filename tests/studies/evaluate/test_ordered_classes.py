"""Integers that are classes and an order as well: the mean absolute error beside the error."""

import numpy as np
import pytest

from lookalike import study
from lookalike.studies.evaluate.ordered_classes import are_ordered


def matrix_of(labels, n_rows=2000, *, near, seed=0):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, len(labels), n_rows)
    step = rng.choice([-1, 0, 0, 1], n_rows) if near else rng.integers(0, len(labels), n_rows)
    predicted = np.clip(true + step, 0, len(labels) - 1) if near else step
    matrix = np.zeros((len(labels), len(labels)), int)
    np.add.at(matrix, (true, predicted), 1)
    return matrix


@pytest.mark.parametrize(
    ("labels", "near", "ordered"),
    [
        ([1, 2, 3, 4, 5], False, True),
        ([3, 4, 5, 6, 7, 8, 9], False, True),
        ([0, 1, 2, 3, 4], True, True),
        ([0, 1, 2, 3, 4], False, False),
        ([1, 2], True, False),
        ([10115, 20095, 80331], True, False),
    ],
)
def test_integers_in_a_row_are_an_order_from_one_on_and_from_zero_by_evidence(
    labels, near, ordered
):
    assert are_ordered(np.array(labels), matrix_of(labels, near=near)) is ordered


def test_text_and_booleans_are_not_an_order():
    for labels in (["1", "2", "3"], [False, True]):
        assert not are_ordered(np.array(labels), np.eye(len(labels), dtype=int))


def test_stars_have_a_mean_absolute_error_beside_the_error(few_candidates):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    stars = np.clip(np.round(3 + X[:, 0] + 0.5 * rng.normal(size=400)), 1, 5).astype(int)
    result = study(X, stars)
    assert result.task == "classification"
    matrix = np.array(result.held_out.confusion_matrix)
    labels = np.array(result.held_out.labels)
    distance = np.abs(labels[:, None] - labels[None, :])
    assert result.held_out.mae == pytest.approx((matrix * distance).sum() / matrix.sum())
    assert f"MAE {result.held_out.mae:.4g}"[:7] in str(result)
    assert "give --task regression" in str(result)
    score = next(one for one in result.held_out.scores if one.name == "mae")
    assert score.interval[0] < score.value < score.interval[1] < score.baseline


def test_few_integers_taken_as_numbers_offer_the_other_task(few_candidates):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    rings = np.clip(np.round(15 + 6 * X[:, 0]), 1, 29).astype(int)
    result = study(X, rings, task="auto")
    assert result.task == "regression"
    assert "are taken as numbers: if each is a class, give --task classification" in str(result)
