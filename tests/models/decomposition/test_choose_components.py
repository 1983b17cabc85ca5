"""The number of components by the score of the model that follows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from lookalike import PCA, KNeighborsClassifier
from lookalike.decomposition import choose_components
from lookalike.errors import ParameterError

RNG = np.random.default_rng(3)
ROWS = RNG.normal(size=(120, 6)) * [6, 5, 4, 1, 0.5, 0.5]
LABELS = (ROWS[:, 2] + 0.3 * RNG.normal(size=120) > 0).astype(int)


def test_every_score_is_that_of_a_pipeline_fitted_for_it():
    found = choose_components(ROWS, LABELS, KNeighborsClassifier(3), cv=4)
    for m in range(1, 7):
        pipeline = make_pipeline(PCA(m), KNeighborsClassifier(3))
        scores = cross_val_score(pipeline, ROWS, LABELS, cv=4)
        assert found.score[m - 1] == pytest.approx(scores.mean(), abs=1e-12)
        assert found.standard_error[m - 1] == pytest.approx(scores.std(ddof=1) / 2, abs=1e-12)


def test_the_number_is_that_of_the_best_score_and_stands_beside_the_other_rules():
    found = choose_components(ROWS, LABELS, KNeighborsClassifier(3))
    assert found.best == found.choices["downstream"] >= 3  # the third direction decides
    assert {"0.95", "knee", "parallel", "mle"} < set(found.choices)
    assert found.choices["parallel"] == PCA().fit(ROWS).choices_["parallel"]
    assert found.simplest <= found.best


def test_a_regressor_and_another_score_serve_as_well():
    target = ROWS @ [0, 1.0, 0, 0, 0, 0]
    found = choose_components(
        ROWS, target, LinearRegression(), max_components=3, scoring="neg_mean_squared_error"
    )
    assert len(found.score) == 3
    assert found.score[1] > found.score[0] / 10  # the second direction carries the target


def test_what_cannot_be_chosen_is_an_error():
    with pytest.raises(ParameterError, match="max_components=0"):
        choose_components(ROWS, LABELS, KNeighborsClassifier(), max_components=0)
    with pytest.raises(ParameterError, match="120 rows, y 119"):
        choose_components(ROWS, LABELS[1:], KNeighborsClassifier())
