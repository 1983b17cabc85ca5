"""Analyses of the selected model on rows that it was not fitted on."""

from __future__ import annotations

import numpy as np

from lookalike import study


def test_columns_without_a_relation_to_the_target_have_no_permutation_importance():
    rng = np.random.default_rng(2)  # the winner is 1-NN, which recalls its training rows
    result = study(rng.normal(size=(150, 4)), rng.choice(list("abc"), 150), time=None)
    assert result.winner == "nearest"
    assert not any(one.is_significant for one in result.feature_importance)
    assert not any("Permutation importance" in one.text for one in result.summary)


def test_copies_of_a_row_are_no_neighbors_of_it_in_the_learning_curve():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(160, 3)), rng.choice(list("ab"), 160)
    twice = study(np.repeat(X, 2, axis=0), np.repeat(y, 2), time=None)
    assert twice.learning_curve.train_sizes[-1] == 160
    assert twice.forecast.error[0] > 0.3  # 1-NN finds the copy of every row without an error
