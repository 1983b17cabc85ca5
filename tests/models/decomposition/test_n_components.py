"""How many components: each rule against what it is defined to be."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition._pca import _assess_dimension

from lookalike import PCA
from lookalike.errors import ParameterError
from lookalike.models.decomposition.n_components import (
    PCASpectrum,
    cv_prediction_errors,
    n_explaining,
    scree_knee,
)
from lookalike.models.decomposition.pca_missing import loadings_and_noise
from lookalike.reductions.covariance import Covariance
from lookalike.reductions.wrappers import Grouped

RULES = ["knee", "parallel", "mle", "cv"]


@pytest.fixture(scope="module")
def three_directions():
    """Rows that vary in three directions of ten, with noise around them."""
    rng = np.random.default_rng(0)
    axes = np.linalg.qr(rng.normal(size=(10, 3)))[0]
    return rng.normal(size=(400, 3)) * [6, 5, 4] @ axes.T + rng.normal(size=(400, 10)) + 50.0


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_finds_the_three_directions(three_directions, rule):
    pca = PCA(n_components=rule).fit(three_directions)
    assert pca.n_components_ == 3
    (decision,) = pca.decisions_.about("n_components")
    assert decision.choice == "3"


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_gives_the_same_number_on_every_engine(engine, three_directions, rule):
    assert PCA(n_components=rule, engine=engine).fit(three_directions).n_components_ == 3


def test_choices_show_what_each_rule_would_keep(three_directions):
    pca = PCA(n_components="cv").fit(three_directions)
    assert pca.choices_ == {
        "0.8": 3, "0.9": 3, "0.95": 6, "0.99": 9, "knee": 3, "parallel": 3, "mle": 3, "cv": 3
    }  # fmt: skip
    assert "cv" not in PCA().fit(three_directions).choices_
    assert PCA(n_components=2, svd_solver="leading").fit(three_directions).choices_ == {}


def test_choices_are_forgotten_when_rows_join(three_directions):
    pca = PCA().fit(three_directions)
    assert pca.choices_["knee"] == 3
    pca.partial_fit(np.random.default_rng(1).normal(size=(5000, 10)) * 30)
    assert pca.choices_["parallel"] == 1


def test_a_fraction_keeps_the_fewest_that_explain_more():
    spectrum = np.array([4.0, 3.0, 2.0, 1.0])
    assert [n_explaining(spectrum, t) for t in (0.3, 0.4, 0.69, 0.9, 0.99)] == [1, 2, 2, 4, 4]
    assert n_explaining(np.zeros(3), 0.5) == 1


def test_the_knee_is_the_first_of_the_flat_part():
    assert scree_knee(np.array([10.0, 9.0, 8.0, 0.3, 0.2, 0.1])) == 3
    assert scree_knee(np.array([10.0, 0.3, 0.2, 0.1, 0.0])) == 1
    assert scree_knee(np.array([4.0, 3.0, 2.0, 1.0])) == 4  # a straight line has none
    assert scree_knee(np.array([4.0, 1.0])) == 2
    assert scree_knee(np.zeros(3)) == 1


def test_chance_is_that_of_independent_columns_with_the_same_variances():
    rng = np.random.RandomState(0)
    scales = np.array([10.0, 5.0, 1.0, 1.0, 1.0, 0.1])
    kept = []
    for _ in range(20):
        X = rng.standard_normal((300, 6)) * scales
        variance = np.linalg.eigvalsh(np.cov(X.T))[::-1]
        kept.append(PCASpectrum(variance, 300, 1, np.diag(np.cov(X.T))).parallel_analysis(rng))
    assert np.mean(np.array(kept) > 0) <= 0.25  # about one in twenty by chance, and no more


def test_chance_does_not_need_more_rows_than_columns():
    rng = np.random.RandomState(0)
    X = np.outer(rng.standard_normal(20), rng.standard_normal(60)) * 3 + rng.standard_normal(
        (20, 60)
    )
    assert PCA(n_components="parallel").fit(X).n_components_ == 1


def test_minkas_evidence_equals_scikit_learns():
    rng = np.random.default_rng(2)
    for _ in range(20):
        spectrum = np.sort(rng.gamma(0.5, size=8))[::-1]
        theirs = [_assess_dimension(spectrum, k, 50) for k in range(1, 8)]
        assert PCASpectrum(spectrum, 50, 1, spectrum).minka_mle() == 1 + int(np.argmax(theirs))


def test_minkas_rule_survives_equal_variances_where_a_gap_would_be_zero():
    spectrum = np.array([9.0, 4.0, 4.0, 1.0, 1.0, 1.0])
    assert PCASpectrum(spectrum, 1000, 1, spectrum).minka_mle() == 3
    assert PCASpectrum(1e-20 * spectrum, 1000, 1, spectrum).minka_mle() == 3  # whatever the unit


def test_minkas_rule_needs_as_many_rows_as_columns():
    with pytest.raises(ParameterError, match="n_samples >= n_features"):
        PCA(n_components="mle").fit(np.random.default_rng(3).normal(size=(5, 9)))


def test_cross_validation_predicts_each_value_from_the_others_of_its_row(three_directions):
    """The closed form from moments against the definition: a model a fold, a value at a time."""
    X = three_directions[:60]
    fold = np.arange(60) % 5
    reduction = Grouped(Covariance(), 5)
    from lookalike.data.chunk import Chunk

    fast = cv_prediction_errors(reduction.update(reduction.init(10), Chunk(X)))
    for k in (0, 1, 3, 7):
        slow = 0.0
        for left_out in range(5):
            others, rows = X[fold != left_out], X[fold == left_out]
            mean = others.mean(axis=0)
            loadings, noise = loadings_and_noise(np.cov(others.T, ddof=0), k)
            S = loadings @ loadings.T + noise * np.eye(10)
            for j in range(10):
                rest = np.delete(np.arange(10), j)
                slope = np.linalg.solve(S[np.ix_(rest, rest)], S[rest, j])
                guess = mean[j] + (rows[:, rest] - mean[rest]) @ slope
                slow += ((rows[:, j] - guess) ** 2).sum()
        np.testing.assert_allclose(fast[k], slow, rtol=1e-8)


def test_cross_validated_errors_rise_again_where_those_of_a_projection_never_do(three_directions):
    pca = PCA(n_components="cv").fit(three_directions)
    assert pca.cv_errors_.argmin() == 3
    assert (pca.cv_errors_[4:] > pca.cv_errors_[3]).all()
    assert len(pca.cv_errors_) == 10
    assert not hasattr(pca.set_params(n_components=2).fit(three_directions), "cv_errors_")


def test_one_component_is_kept_where_a_rule_finds_none():
    X = np.random.default_rng(4).normal(size=(500, 6))
    pca = PCA(n_components="parallel").fit(X)
    assert pca.n_components_ == 1
    assert pca.decisions_.about("n_components")[0].reason.startswith("0 exceed")
