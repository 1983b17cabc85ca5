"""A mixture for every class: Bayes' rule, what the source says of far rows, every engine."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.datasets import load_iris, make_moons
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from lookalike import GaussianMixture, GaussianMixtureClassifier
from lookalike.errors import (
    MagnitudeError,
    ParameterError,
    ParameterTypeError,
    RepeatError,
    ShapeError,
)

X, y = load_iris(return_X_y=True)
pytestmark = pytest.mark.filterwarnings("ignore:.*do not vary along:UserWarning")


@parametrize_with_checks([GaussianMixtureClassifier(), GaussianMixtureClassifier(1)])
def test_it_is_an_estimator_as_scikit_learn_wants_them(estimator, check):
    check(estimator)


def test_probabilities_are_those_of_bayes_rule():
    model = GaussianMixtureClassifier(2, random_state=0, max_iter=500).fit(X, y)
    alone = [
        GaussianMixture(2, random_state=0, max_iter=500, reg_covar=1e-6).fit(X[y == c])
        for c in range(3)
    ]
    scores = np.column_stack([mixture.score_samples(X) for mixture in alone]) + np.log(1 / 3)
    np.testing.assert_allclose(model.predict_proba(X), softmax(scores, axis=1), atol=1e-5)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))


def test_one_component_is_the_quadratic_discriminant():
    theirs = QuadraticDiscriminantAnalysis().fit(X, y)
    ours = GaussianMixtureClassifier(1).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_bic_gives_a_bent_class_more_components():
    rows, labels = make_moons(600, noise=0.1, random_state=0)
    model = GaussianMixtureClassifier().fit(rows, labels)
    assert all(len(mixture.weights_) > 1 for mixture in model.mixtures_)
    assert cross_val_score(model, rows, labels, cv=3).mean() > 0.97
    assert "class 0, n_components" in {said.about for said in model.decisions_}


def test_a_row_out_of_all_reach_has_the_prior_of_its_classes():
    model = GaussianMixtureClassifier(1, priors=[0.2, 0.3, 0.5]).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(np.full((1, 4), 1e200)), [[0.2, 0.3, 0.5]])
    near = model.predict_proba(np.full((1, 4), 1e6))
    assert np.isfinite(near).all()
    assert near.sum() == pytest.approx(1.0)


def test_weights_count_rows():
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    repeated = np.repeat(np.arange(len(X)), weight)
    weighted = GaussianMixtureClassifier(1).fit(X, y, sample_weight=weight)
    plain = GaussianMixtureClassifier(1).fit(X[repeated], y[repeated])
    np.testing.assert_allclose(weighted.predict_proba(X), plain.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(weighted.class_prior_, plain.class_prior_)


def test_every_engine_gives_the_same_answer(engine):
    here = GaussianMixtureClassifier("bic").fit(X, y)
    there = GaussianMixtureClassifier("bic", engine=engine).fit(X, y)
    np.testing.assert_array_equal(here.predict_proba(X), there.predict_proba(X))


def test_a_stream_brings_its_own_classes():
    names = np.array(["a", "b", "c"])[y]
    parts = [(X[part], names[part]) for part in np.array_split(np.arange(150), 4)]
    model = GaussianMixtureClassifier(1).fit(lambda: iter(parts))
    np.testing.assert_array_equal(
        model.predict(X), GaussianMixtureClassifier(1).fit(X, names).predict(X)
    )
    with pytest.raises(RepeatError):
        GaussianMixtureClassifier(1).fit(iter(parts))


def test_a_class_of_one_row_is_a_narrow_bell():
    rows, labels = np.array([[0.0], [0.1], [0.2], [5.0]]), [0, 0, 0, 1]
    model = GaussianMixtureClassifier().fit(rows, labels)
    np.testing.assert_array_equal(model.predict(rows), labels)


def test_every_class_may_have_its_own_number_of_components():
    model = GaussianMixtureClassifier({0: 1, 1: 2, 2: 3}, random_state=0).fit(X, y)
    assert [len(mixture.weights_) for mixture in model.mixtures_] == [1, 2, 3]
    with pytest.raises(ParameterError, match="class 2"):
        GaussianMixtureClassifier({0: 1, 1: 2}).fit(X, y)


def test_what_cannot_be_told_apart_is_an_error():
    with pytest.raises(ShapeError, match="1 class"):
        GaussianMixtureClassifier().fit(X, np.zeros(150))
    with pytest.raises(ShapeError, match="requires y"):
        GaussianMixtureClassifier().fit(X)
    with pytest.raises(ShapeError, match="for 3 classes"):
        GaussianMixtureClassifier(priors=[0.5, 0.5]).fit(X, y)
    import scipy.sparse as sp

    with pytest.raises(ParameterTypeError, match="Sparse"):
        GaussianMixtureClassifier().fit(sp.csr_array(X), y)


@pytest.mark.parametrize("value", [1e160, 1e200, 1.7e308])
def test_a_row_of_another_magnitude_is_named_by_its_number_among_all_rows(value):
    X = np.random.default_rng(0).standard_normal((60, 3))
    X[7, 1] = value
    with pytest.raises(MagnitudeError, match="at row 7, column 'x1'"):
        GaussianMixtureClassifier(2, random_state=0).fit(X, np.arange(60) % 2)
