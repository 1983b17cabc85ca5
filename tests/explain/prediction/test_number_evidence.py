"""Evidence of radius models, of soft neighbors and of predicted numbers adds up to the answer."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor as SkRegressor

from lookalike import (
    KernelDensityClassifier,
    KernelRegressor,
    KNeighborsRegressor,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
    explain_prediction,
)

RNG = np.random.default_rng(7)
ROWS = RNG.normal(size=(60, 3))
LABELS = RNG.integers(0, 3, size=60)
QUERIES = RNG.normal(size=(15, 3))
NUMBERS = ROWS[:, 0] * 3 + 1


@pytest.mark.parametrize("ties", ["grow", "nearest", "fewer", "prior"])
def test_evidence_of_a_radius_is_what_the_model_answers(ties):
    model = RadiusNeighborsClassifier(0.9, ties=ties, outlier_label="most_frequent").fit(
        ROWS, LABELS
    )
    for x in QUERIES:
        found = explain_prediction(model, x)
        assert found.prediction == model.predict([x])[0]
        if found.flip_rows is not None:
            left = np.setdiff1d(np.arange(len(ROWS)), found.flip_rows)
            again = RadiusNeighborsClassifier(0.9, ties=ties, outlier_label="most_frequent")
            if ties != "prior":
                assert again.fit(ROWS[left], LABELS[left]).predict([x])[0] != found.prediction


def test_a_row_without_neighbors_is_given_the_label_of_outliers_for_no_votes():
    model = RadiusNeighborsClassifier(0.5, outlier_label=1).fit(ROWS, LABELS)
    found = explain_prediction(model, np.full(ROWS.shape[1], 1e3))
    assert (found.prediction, len(found.rows), found.flip_rows) == (1, 0, None)


@pytest.mark.parametrize("background", [True, False])
def test_evidence_of_soft_neighbors_adds_up_to_the_chances(background):
    model = KernelDensityClassifier(0.6, background=background).fit(ROWS, LABELS)
    for x in QUERIES[:8]:
        found = explain_prediction(model, x)
        np.testing.assert_allclose(found.votes, model.predict_proba([x])[0], rtol=1e-9, atol=1e-15)
        assert found.prediction == model.predict([x])[0]
        counted = np.bincount(LABELS[found.rows], found.weights, len(model.classes_))
        assert (counted <= found.votes + 1e-12).all()
        if not background:
            np.testing.assert_allclose(counted, found.votes, rtol=1e-9, atol=1e-12)
        if found.flip_rows is not None:
            answer = np.where(found.classes == found.prediction)[0][0]
            gone = np.isin(found.rows, found.flip_rows)
            assert (
                found.votes[answer] - found.weights[gone].sum()
                < np.delete(found.votes, answer).max()
            )


@pytest.mark.parametrize(
    "model",
    [
        KNeighborsRegressor(5),
        KNeighborsRegressor(4, weights="distance"),
        SkRegressor(5, weights="distance"),
        RadiusNeighborsRegressor(1.5),
        KernelRegressor(0.7),
        KernelRegressor(0.7, kernel="epanechnikov"),
    ],
    ids=repr,
)
def test_evidence_of_a_number_is_the_mean_that_the_model_predicts(model):
    model = model.fit(ROWS, NUMBERS)
    for x in QUERIES[:6]:
        found = explain_prediction(model, x)
        expected = model.predict([x])[0]
        assert found.prediction == pytest.approx(expected, rel=1e-9)
        assert found.weights @ found.targets == pytest.approx(expected, rel=1e-9)
        assert found.weights.sum() == pytest.approx(1.0)
        without = np.delete(np.arange(len(found.rows)), 0)
        if len(without):
            rest = found.weights[without] @ found.targets[without] / found.weights[without].sum()
            assert found.prediction + found.moves[0] == pytest.approx(rest, rel=1e-9)
        np.testing.assert_array_equal(found.targets, NUMBERS[found.rows])


@pytest.mark.parametrize("model", [KNeighborsRegressor(3), KernelRegressor(0.5)], ids=repr)
def test_a_row_left_out_is_not_asked_about_itself(model):
    model = model.fit(ROWS, NUMBERS)
    for row in (0, 7):
        found = explain_prediction(model, ROWS[row], leave_out=row)
        assert row not in found.rows
        assert found.prediction == pytest.approx(model.predict()[row], rel=1e-9)
