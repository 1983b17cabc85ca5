"""Components and neighbors chosen together: each cell equals a model fitted for it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from lookalike import PCA, KNeighborsClassifier
from lookalike.decomposition import choose_components_and_k
from lookalike.errors import ParameterError

RNG = np.random.default_rng(9)
ROWS = RNG.normal(size=(70, 6)) * [5, 3, 2, 1, 1, 1]
LABELS = (ROWS[:, 1] + 0.5 * RNG.normal(size=70) > 0).astype(int)
LATER = RNG.normal(size=(30, 6)) * [5, 3, 2, 1, 1, 1]
LATER_LABELS = (LATER[:, 1] > 0).astype(int)


def test_every_cell_is_the_leave_one_out_error_in_so_many_components():
    choice = choose_components_and_k(ROWS, LABELS, k_max=5)
    Z = PCA(6).fit_transform(ROWS)
    for m in range(1, 7):
        for k in range(1, 6):
            answer = KNeighborsClassifier(k).fit(Z[:, :m], LABELS).predict()
            assert choice.error[m - 1, k - 1] == np.mean(answer != LABELS), (m, k)
    m, k = choice.best
    assert choice.error[m - 1, k - 1] == choice.error.min()


def test_every_cell_is_the_error_on_rows_for_validation():
    choice = choose_components_and_k(
        ROWS, LABELS, k_max=3, max_components=4, validation=(LATER, LATER_LABELS)
    )
    assert choice.error.shape == (4, 3)
    pca = PCA(4).fit(ROWS)
    Z, later = pca.transform(ROWS), pca.transform(LATER)
    for m in range(1, 5):
        answer = KNeighborsClassifier(3).fit(Z[:, :m], LABELS).predict(later[:, :m])
        assert choice.error[m - 1, 2] == np.mean(answer != LATER_LABELS)


def test_the_pipeline_of_the_choice_equals_one_fitted_from_the_start():
    choice = choose_components_and_k(ROWS, LABELS, k_max=5)
    m, k = choice.best
    found = choice.pipeline(ROWS, LABELS)
    fresh = make_pipeline(PCA(m), KNeighborsClassifier(k)).fit(ROWS, LABELS)
    np.testing.assert_array_equal(found.predict(LATER), fresh.predict(LATER))
    np.testing.assert_allclose(found.predict_proba(LATER), fresh.predict_proba(LATER))
    shared, own = found["pca"], fresh["pca"]
    for name in ("components_", "explained_variance_ratio_", "singular_values_", "mean_"):
        np.testing.assert_allclose(getattr(shared, name), getattr(own, name), rtol=1e-12)
    assert shared.noise_variance_ == pytest.approx(own.noise_variance_, abs=1e-12)
    assert shared.reconstruction_error_ == pytest.approx(own.reconstruction_error_, abs=1e-9)
    assert shared.n_components_ == m


def test_a_small_budget_changes_no_error():
    from lookalike import config

    whole = choose_components_and_k(ROWS, LABELS, k_max=3)
    with config(memory="50kB"):
        pieces = choose_components_and_k(ROWS, LABELS, k_max=3)
    np.testing.assert_array_equal(whole.error, pieces.error)


def test_what_cannot_be_chosen_is_an_error():
    with pytest.raises(ParameterError, match="max_components=0"):
        choose_components_and_k(ROWS, LABELS, max_components=0)
    with pytest.raises(ParameterError, match="several outputs"):
        choose_components_and_k(ROWS, np.column_stack([LABELS, LABELS]))
