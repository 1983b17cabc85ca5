"""Kernel PCA: the identities of the source, hard rows, landmarks, pre-images."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.decomposition import KernelPCA as Theirs
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike
from lookalike import PCA, KernelPCA
from lookalike.errors import MemoryBudgetError, ParameterError, ParameterTypeError, ShapeError

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 5)) * [3.0, 2.0, 1.0, 0.5, 0.1]


@parametrize_with_checks([KernelPCA(), KernelPCA(2, kernel="rbf", landmarks=10)])
def test_it_is_an_estimator_as_scikit_learn_wants_them(estimator, check):
    check(estimator)


@pytest.mark.parametrize("solver", ["auto", "dense", "arpack", "randomized"])
def test_with_the_linear_kernel_it_is_pca_signs_included(solver):
    kernel, plain = KernelPCA(4, eigen_solver=solver).fit(X), PCA(4).fit(X)
    np.testing.assert_allclose(kernel.transform(X), plain.transform(X), atol=1e-10)
    np.testing.assert_allclose(kernel.eigenvalues_ / 79, plain.explained_variance_, rtol=1e-10)


def test_with_landmarks_that_span_the_columns_it_is_pca_too():
    kernel, plain = KernelPCA(5, landmarks=20).fit(X + 1e8), PCA(5).fit(X)
    assert kernel.landmark_error_ < 1e-12
    np.testing.assert_allclose(kernel.transform(X + 1e8), plain.transform(X), atol=1e-6)


def test_the_eigenvectors_solve_the_centered_problem_of_the_source():
    model = KernelPCA(3, kernel="rbf", gamma=0.2).fit(X)
    K = rbf_kernel(X, gamma=0.2)
    H = np.eye(80) - 1 / 80
    V, values = model.eigenvectors_, model.eigenvalues_
    np.testing.assert_allclose(H @ K @ H @ V, V * values, atol=1e-10)
    np.testing.assert_allclose(model.transform(X), V * np.sqrt(values), atol=1e-10)
    scores = model.transform(X)
    np.testing.assert_allclose(scores.T @ scores, np.diag(values), atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid", "cosine"])
def test_scores_are_those_of_scikit_learn_but_for_the_sign(kernel):
    settings = {"kernel": kernel, "gamma": 0.01, "n_components": 3}
    ours, theirs = KernelPCA(**settings).fit(X[:60]), Theirs(**settings).fit(X[:60])
    np.testing.assert_allclose(
        np.abs(ours.transform(X[60:])), np.abs(theirs.transform(X[60:])), atol=1e-8
    )
    np.testing.assert_allclose(ours.fit_transform(X), ours.transform(X), atol=1e-9)


def test_the_row_farthest_along_a_direction_has_a_positive_score():
    scores = KernelPCA(4, kernel="rbf", gamma=0.1).fit_transform(X)
    assert np.all(scores[np.abs(scores).argmax(axis=0), range(4)] > 0)


def test_an_offset_of_1e8_does_no_harm():
    near = KernelPCA(3, kernel="rbf", gamma=0.2).fit(X)
    far = KernelPCA(3, kernel="rbf", gamma=0.2).fit(X + 1e8)
    np.testing.assert_allclose(far.eigenvalues_, near.eigenvalues_, rtol=1e-6)
    np.testing.assert_allclose(far.transform(X + 1e8), near.transform(X), atol=1e-6)


@pytest.mark.parametrize("settings", [{"kernel": "rbf"}, {}, {"kernel": "rbf", "landmarks": 5}])
def test_equal_rows_have_scores_of_zero(settings):
    rows = np.full((20, 3), 0.1)
    model = KernelPCA(2, **settings).fit(rows)
    assert not model.eigenvalues_.any()
    assert not model.transform(rows).any()
    assert KernelPCA(**settings).fit_transform(rows).shape == (20, 0)


def test_gamma_of_zero_sees_no_difference_and_of_infinity_only_equality():
    assert not KernelPCA(2, kernel="rbf", gamma=0).fit_transform(X).any()
    model = KernelPCA(kernel="rbf", gamma=np.inf).fit(X[:6])
    np.testing.assert_allclose(model.eigenvalues_, np.ones(5))
    with pytest.raises(ParameterError, match="gamma"):
        KernelPCA(kernel="poly", gamma=np.inf).fit(X)


def test_negative_eigenvalues_are_refused_with_the_components_that_have_none():
    K = np.diag([4.0, 3.0, -2.0, -1.0, 0.5, 0.25])
    with pytest.raises(ParameterError, match="not positive semi-definite") as refused:
        KernelPCA(6, kernel="precomputed").fit(K)
    most = int(re.search(r"at most (\d+)", str(refused.value))[1])
    model = KernelPCA(most, kernel="precomputed").fit(K)
    assert model.eigenvalues_.min() > 0
    assert np.isfinite(model.transform(K)).all()


def test_an_asymmetric_kernel_is_made_symmetric_and_that_is_recorded():
    K = rbf_kernel(X[:10], gamma=0.1)
    K[2, 7] += 0.01
    model = KernelPCA(2, kernel="precomputed").fit(K)
    assert "not symmetric" in model.decisions_.about("kernel")[0].reason
    same = KernelPCA(2, kernel="precomputed").fit((K + K.T) / 2)
    np.testing.assert_allclose(model.eigenvalues_, same.eigenvalues_)


def test_rows_beyond_the_memory_budget_are_refused_with_advice():
    with pytest.raises(MemoryBudgetError, match=r"20000 x 20000.*landmarks=1000"):
        KernelPCA(2, kernel="rbf").fit(np.broadcast_to(1.0, (20_000, 2)))
    with lookalike.config(memory="10KB"):
        with pytest.raises(MemoryBudgetError):
            KernelPCA(2).fit(X)
        with pytest.raises(MemoryBudgetError):
            KernelPCA(2, landmarks=70).fit(X)


def test_many_narrow_rows_never_make_a_wide_block():
    import tracemalloc

    rows = np.random.default_rng(0).normal(size=(40_000, 1))
    model = KernelPCA(1, kernel="rbf", landmarks=300)
    tracemalloc.start()
    try:
        model.fit(rows).transform(rows)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 60e6  # all rows by all landmarks would be 96 MB, and twice that on the way


def test_the_median_distance_settles_gamma():
    model = KernelPCA(2, kernel="rbf", gamma="median").fit(X)
    gaps = np.linalg.norm(X[:, None] - X, axis=2)[np.triu_indices(80, 1)]
    assert model.gamma_ == pytest.approx(1 / (2 * np.median(gaps**2)))
    assert model.decisions_.about("gamma")
    assert KernelPCA(kernel="rbf", gamma="median").fit(np.ones((5, 2))).gamma_ == 1.0
    mostly_equal = np.vstack([np.zeros((30, 2)), [[3.0, 4.0]]])
    assert KernelPCA(kernel="rbf", gamma="median").fit(mostly_equal).gamma_ == 1 / 50


def test_all_rows_as_landmarks_give_the_exact_answer_and_fewer_a_measured_error():
    exact = KernelPCA(3, kernel="rbf", gamma=0.05).fit(X)
    full = KernelPCA(3, kernel="rbf", gamma=0.05, landmarks=80).fit(X)
    np.testing.assert_allclose(full.eigenvalues_, exact.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(full.transform(X), exact.transform(X), atol=1e-6)
    few = KernelPCA(3, kernel="rbf", gamma=0.05, landmarks=10).fit(X)
    assert full.landmark_error_ < 1e-9 < few.landmark_error_
    assert "lies outside" in str(few.decisions_.about("landmarks")[0])


def test_the_error_of_landmarks_is_the_trace_that_they_leave_out():
    model = KernelPCA(2, kernel="rbf", gamma=0.5, landmarks=15).fit(X)
    K, M = rbf_kernel(X, gamma=0.5), rbf_kernel(X, model.X_fit_, gamma=0.5)
    approximate = M @ np.linalg.pinv(rbf_kernel(model.X_fit_, gamma=0.5)) @ M.T
    H = np.eye(80) - 1 / 80
    outside = np.trace(K - approximate)
    inside = np.trace(H @ approximate @ H)
    assert model.landmark_error_ == pytest.approx(outside / (inside + outside), rel=1e-8)
    values = np.linalg.eigvalsh(H @ approximate @ H)[::-1][:2]
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-8)


def test_landmarks_agree_on_every_engine(engine):
    model = KernelPCA(3, kernel="rbf", gamma=0.1, landmarks=20, engine=engine).fit(X)
    memory = KernelPCA(3, kernel="rbf", gamma=0.1, landmarks=20, engine="memory").fit(X)
    np.testing.assert_allclose(model.eigenvalues_, memory.eigenvalues_, rtol=1e-12)
    np.testing.assert_allclose(model.transform(X), memory.transform(X), atol=1e-12)


def test_rows_may_come_in_chunks_when_there_are_landmarks():
    def chunks():
        return (X[start : start + 7] for start in range(0, 80, 7))

    model = KernelPCA(2, kernel="rbf", gamma=0.1, landmarks=20).fit(chunks)
    whole = KernelPCA(2, kernel="rbf", gamma=0.1, landmarks=20).fit(X)
    np.testing.assert_allclose(model.eigenvalues_, whole.eigenvalues_, rtol=1e-10)


@pytest.mark.parametrize("landmarks", [None, 40])
def test_pre_images_of_the_linear_kernel_are_exact(landmarks):
    model = KernelPCA(5, fit_inverse_transform=True, preimage="exact", landmarks=landmarks)
    far = X + 1e8
    np.testing.assert_allclose(
        model.fit(far).inverse_transform(model.transform(far)), far, rtol=1e-14
    )
    two = KernelPCA(2, fit_inverse_transform=True, preimage="exact", landmarks=landmarks).fit(X)
    plain = PCA(2).fit(X)
    expected = plain.inverse_transform(plain.transform(X))
    np.testing.assert_allclose(two.inverse_transform(two.transform(X)), expected, atol=1e-9)


@pytest.mark.parametrize(("preimage", "alpha"), [("ridge", 1e-4), ("fixed-point", 1.0)])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_pre_images_of_the_rbf_kernel_come_back_close(preimage, alpha, offset):
    rows = X[:, :3] + offset
    model = KernelPCA(
        30, kernel="rbf", gamma="median", fit_inverse_transform=True, preimage=preimage, alpha=alpha
    ).fit(rows)
    back = model.inverse_transform(model.transform(rows))
    assert np.linalg.norm(back - rows) < 0.05 * np.linalg.norm(rows - rows.mean(axis=0))


def test_frames_come_out_as_frames_and_sparse_rows_stay_sparse():
    frame = pd.DataFrame(X, columns=list("abcde"))
    assert list(KernelPCA(2).fit_transform(frame).columns) == ["kernelpca0", "kernelpca1"]
    for kernel in ("linear", "rbf"):
        sparse = KernelPCA(2, kernel=kernel, gamma=0.1).fit(sp.csr_array(X))
        dense = KernelPCA(2, kernel=kernel, gamma=0.1).fit(X)
        scores = sparse.transform(sp.csr_array(X))
        np.testing.assert_allclose(np.abs(scores), np.abs(dense.transform(X)), atol=1e-8)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"kernel": "gauss"}, ParameterError),
        ({"gamma": -1.0}, ParameterError),
        ({"gamma": "mean"}, ParameterTypeError),
        ({"n_components": 0}, ParameterError),
        ({"landmarks": 2.5}, ParameterTypeError),
        ({"landmarks": 5, "kernel": "precomputed"}, ParameterError),
        ({"landmarks": 5, "eigen_solver": "dense"}, ParameterError),
        ({"preimage": "fixed-point"}, ParameterError),
        ({"preimage": "exact", "kernel": "rbf"}, ParameterError),
        ({"kernel_params": {"p": 1}}, ParameterError),
        ({"kernel": "precomputed"}, ShapeError),
        ({"eigen_solver": "arpack"}, ParameterError),
        ({"iterated_power": -1}, ParameterError),
    ],
)
def test_a_parameter_that_cannot_be_honored_is_an_error(settings, error):
    with pytest.raises(error):
        KernelPCA(**settings).fit(X)


def test_pre_images_of_sparse_rows_are_an_error():
    with pytest.raises(ParameterTypeError, match="sparse"):
        KernelPCA(fit_inverse_transform=True).fit(sp.csr_array(X))
    model = KernelPCA(2, kernel="rbf", fit_inverse_transform=True).fit(X)
    with pytest.raises(ShapeError, match="3 scores"):
        model.inverse_transform(X[:, :3])


def test_more_directions_than_rows_are_cut_and_recorded():
    model = KernelPCA(50, kernel="rbf").fit(X[:10])
    assert model.eigenvalues_.shape == (10,)
    assert model.decisions_.about("n_components")


def test_a_few_of_many_are_those_of_the_dense_solver_whichever_solver_is_taken():
    rows = np.random.default_rng(1).normal(size=(600, 3))
    for n_components, solver in ((3, "arpack"), (12, "block Krylov"), (200, "dense")):
        settings = {"n_components": n_components, "kernel": "rbf", "gamma": 0.5}
        found = KernelPCA(**settings).fit(rows)
        exact = KernelPCA(**settings, eigen_solver="dense").fit(rows)
        assert found.decisions_.about("eigen_solver")[0].choice == solver
        np.testing.assert_allclose(found.eigenvalues_, exact.eigenvalues_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        KernelPCA(12, kernel="rbf", gamma=0.5).fit(rows).transform(rows),
        KernelPCA(12, kernel="rbf", gamma=0.5, eigen_solver="dense").fit(rows).transform(rows),
        atol=1e-7,
    )


def test_a_flat_spectrum_is_left_to_the_dense_solver():
    model = KernelPCA(50, kernel="rbf", gamma=np.inf).fit(np.random.default_rng(0).random((600, 2)))
    np.testing.assert_allclose(model.eigenvalues_, np.ones(50))
