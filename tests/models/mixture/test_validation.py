"""The number of components by held-out likelihood: folds written out, and every engine."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import GaussianMixture, GaussianMixtureClassifier
from lookalike.errors import ShapeError
from lookalike.models.mixture.validation import MIXTURE_FOLDS

RNG = np.random.default_rng(5)
ROWS = np.concatenate(
    [RNG.normal(center, 0.6, size=(60, 2)) for center in ((0, 0), (5, 0), (0, 6))]
)
ROWS = ROWS[RNG.permutation(len(ROWS))]


def test_the_held_out_likelihood_chooses_the_number_of_clusters():
    model = GaussianMixture("cv", covariance_type="spherical").fit(ROWS)
    assert len(model.weights_) == 3
    assert model.curve_["log_likelihood"].argmax() == 2
    assert model.decisions_.about("n_components")[0].choice == "3"


def test_the_curve_is_that_of_folds_really_left_out():
    curve = GaussianMixture("cv").fit(ROWS).curve_
    expected = []
    for fold in range(MIXTURE_FOLDS):
        held_out = np.arange(len(ROWS)) % MIXTURE_FOLDS == fold
        mean, spread = ROWS[~held_out].mean(axis=0), np.cov(ROWS[~held_out].T, bias=True)
        gaps = ROWS[held_out] - mean
        squares = np.einsum("ni,ij,nj->n", gaps, np.linalg.inv(spread), gaps)
        log_density = -squares / 2 - np.log(2 * np.pi) - np.log(np.linalg.det(spread)) / 2
        expected.append(log_density.mean())
    assert curve["log_likelihood"][0] == pytest.approx(np.mean(expected), rel=1e-9)
    error = np.std(expected, ddof=1) / np.sqrt(MIXTURE_FOLDS)
    assert curve["standard_error"][0] == pytest.approx(error, rel=1e-6)


def test_every_engine_holds_out_the_same_rows():
    memory = GaussianMixture("cv").fit(ROWS)
    stream = GaussianMixture("cv", engine="stream").fit(lambda: iter([ROWS[:50], ROWS[50:]]))
    np.testing.assert_allclose(
        memory.curve_["log_likelihood"], stream.curve_["log_likelihood"], rtol=1e-6
    )


def test_classes_choose_their_own_numbers():
    labels = np.where(ROWS[:, 1] > 3, "up", "down")
    model = GaussianMixtureClassifier("cv").fit(ROWS, labels)
    assert [len(mixture.weights_) for mixture in model.mixtures_] == [2, 1]


def test_too_few_rows_are_an_error():
    with pytest.raises(ShapeError, match="holds out each of 5 folds"):
        GaussianMixture("cv").fit(ROWS[:8])
