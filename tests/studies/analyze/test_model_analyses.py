"""Analyses of the selected model on rows that it was not fitted on."""

from __future__ import annotations

import numpy as np

from lookalike import study


def test_columns_without_a_relation_to_the_target_have_no_permutation_importance():
    rng = np.random.default_rng(2)  # the winner is 1-NN, which recalls its training rows
    result = study(rng.normal(size=(150, 4)), rng.choice(list("abc"), 150), time=None)
    assert result.winner == "nearest"
    assert max(one.interval[0] for one in result.feature_importance) <= 0
    assert not any("Permutation importance" in one.text for one in result.summary)
