"""PCA: every solver and engine gives the answer of the sources' equations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from oracle_pca import TEN_POINTS, reference, slanted_rows
from sklearn.utils.estimator_checks import parametrize_with_checks

from lookalike import PCA

EXACT = ("covariance_eigh", "gram", "full")
SOLVERS = (*EXACT, "leading", "arpack")


@pytest.fixture(scope="module")
def rows():
    return slanted_rows()


@pytest.fixture(scope="module")
def wide():
    rng = np.random.default_rng(1)
    return rng.normal(size=(20, 20)) @ rng.normal(size=(20, 90)) + 3.0


@parametrize_with_checks(
    [PCA(), PCA(svd_solver="gram"), PCA(svd_solver="full", whiten=True), PCA(missing="em")]
)
def test_it_is_an_estimator_as_scikit_learn_wants_them(estimator, check):
    check(estimator)


def test_the_ten_points_of_lums_give_the_printed_figures():
    pca = PCA(ddof=0).fit(TEN_POINTS)
    assert pca.mean_.round(2).tolist() == [1.81, 1.91]
    assert pca.explained_variance_.round(4).tolist() == [1.1556, 0.0442]
    np.testing.assert_allclose(
        abs(pca.components_), [[0.6779, 0.7352], [0.7352, 0.6779]], atol=5e-5
    )
    z = TEN_POINTS @ pca.components_[0]  # the source does not subtract the mean here
    printed = [3.4591, 0.8536, 3.6233, 2.9054, 4.3069, 3.5441, 2.5320, 1.4866, 2.1931, 1.4073]
    np.testing.assert_allclose(z, printed, atol=1.5e-4)


@pytest.mark.parametrize("solver", EXACT)
@pytest.mark.parametrize("ddof", [0, 1])
def test_the_error_of_reconstruction_is_the_sum_of_the_variances_left_out(rows, solver, ddof):
    pca = PCA(n_components=3, svd_solver=solver, ddof=ddof).fit(rows)
    missed = ((rows - pca.inverse_transform(pca.transform(rows))) ** 2).sum(axis=1)
    expected = (len(rows) - ddof) * pca.spectrum_[3:].sum()  # [Barber, eq. 15.2.19]
    np.testing.assert_allclose(missed.sum(), expected, rtol=1e-10)
    np.testing.assert_allclose(pca.reconstruction_error_, expected, rtol=1e-12)
    np.testing.assert_allclose(pca.reconstruction_error(rows), missed, rtol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_directions_are_orthonormal_and_scores_uncorrelated(rows, solver):
    pca = PCA(n_components=5, svd_solver=solver).fit(rows)
    np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(5), atol=1e-12)
    scores = np.cov(pca.transform(rows).T)
    np.testing.assert_allclose(scores, np.diag(pca.explained_variance_), atol=1e-9 * scores[0, 0])


@pytest.mark.parametrize("solver", SOLVERS)
def test_whitened_scores_have_the_identity_as_covariance(rows, solver):
    pca = PCA(n_components=5, whiten=True, svd_solver=solver).fit(rows)
    scores = pca.transform(rows)
    np.testing.assert_allclose(np.cov(scores.T), np.eye(5), atol=1e-8)
    plain = PCA(n_components=5).fit(rows)
    back = plain.inverse_transform(plain.transform(rows))
    np.testing.assert_allclose(pca.inverse_transform(scores), back, atol=1e-7)


def test_points_on_a_circle_have_two_equal_variances():
    angle = 2 * np.pi * np.arange(60) / 60
    pca = PCA(ddof=0).fit(np.c_[np.cos(angle), np.sin(angle)])  # [Bishop95, fig. 8.10]
    np.testing.assert_allclose(pca.explained_variance_, [0.5, 0.5], rtol=1e-14)
    np.testing.assert_array_equal(pca.components_.round(12), np.eye(2))  # the axes, in order


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("which", ["rows", "wide"])
def test_every_solver_gives_the_answer_of_the_reference(solver, which, request):
    X = request.getfixturevalue(which)
    mean, variance, axes = reference(X)
    pca = PCA(n_components=6, svd_solver=solver).fit(X)
    np.testing.assert_allclose(pca.mean_, mean, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(pca.explained_variance_, variance[:6], rtol=1e-9)
    np.testing.assert_allclose(pca.components_, axes[:6], atol=1e-8)
    share = variance[:6] / variance.sum()
    np.testing.assert_allclose(pca.explained_variance_ratio_, share, rtol=1e-9)
    least = min(X.shape)
    noise = variance[6:].sum() / (least - 6)
    np.testing.assert_allclose(pca.noise_variance_, noise, rtol=1e-7)


@pytest.mark.parametrize("offset", [1e6, 1e8])
@pytest.mark.parametrize("solver", [*SOLVERS, "randomized"])
def test_a_common_offset_does_no_harm_to_any_solver(rows, solver, offset):
    shifted = rows + offset
    exact = shifted - offset  # exactly: the reference sees the same numbers
    _, variance, axes = reference(exact)
    pca = PCA(n_components=5, svd_solver=solver).fit(shifted)
    np.testing.assert_allclose(pca.explained_variance_, variance[:5], rtol=1e-6)
    np.testing.assert_allclose(pca.components_, axes[:5], atol=1e-6)
    scores = (exact - exact.mean(axis=0)) @ axes[:5].T
    np.testing.assert_allclose(pca.transform(shifted), scores, atol=1e-6 * abs(scores).max())


@pytest.mark.parametrize("solver", ["covariance_eigh", "leading"])
def test_every_engine_gives_the_same_answer_at_an_offset(engine, rows, solver):
    shifted = rows + 1e8
    _, variance, axes = reference(shifted - 1e8)
    pca = PCA(n_components=4, svd_solver=solver, engine=engine).fit(shifted)
    np.testing.assert_allclose(pca.explained_variance_, variance[:4], rtol=1e-6)
    np.testing.assert_allclose(pca.components_, axes[:4], atol=1e-6)
    scores = pca.transform(shifted)
    np.testing.assert_allclose(np.cov(scores.T), np.diag(variance[:4]), atol=1e-6 * variance[0])


@pytest.mark.parametrize("solver", EXACT)
def test_rows_of_a_dask_array_or_a_stream_give_the_same_answer(cluster, rows, solver):
    da = pytest.importorskip("dask.array")
    here = PCA(n_components=3, svd_solver=solver).fit(rows)
    for there in (da.from_array(rows, chunks=(70, 8)), lambda: iter(np.array_split(rows, 7))):
        pca = PCA(n_components=3, svd_solver=solver).fit(there)
        np.testing.assert_allclose(pca.components_, here.components_, atol=1e-10)
        np.testing.assert_allclose(pca.spectrum_, here.spectrum_, rtol=1e-9)


@pytest.mark.parametrize("solver", ["covariance_eigh", "gram", "leading", "arpack", "auto"])
def test_sparse_rows_give_the_answer_of_dense_ones(solver):
    X = sp.random_array((150, 40), density=0.2, rng=np.random.default_rng(3), format="csr")
    weight = np.random.default_rng(4).integers(0, 3, 150).astype(float)
    sparse = PCA(n_components=5, svd_solver=solver).fit(X, sample_weight=weight)
    dense = PCA(n_components=5).fit(X.toarray(), sample_weight=weight)
    np.testing.assert_allclose(sparse.components_, dense.components_, atol=1e-8)
    np.testing.assert_allclose(sparse.explained_variance_, dense.explained_variance_, rtol=1e-9)
    np.testing.assert_allclose(sparse.transform(X), dense.transform(X.toarray()), atol=1e-8)
    np.testing.assert_allclose(
        sparse.reconstruction_error(X), dense.reconstruction_error(X.toarray()), atol=1e-9
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_whole_weights_count_as_repeated_rows(rows, solver):
    weight = np.random.default_rng(5).integers(0, 4, len(rows))
    weighted = PCA(n_components=4, svd_solver=solver).fit(rows, sample_weight=weight)
    repeated = PCA(n_components=4, svd_solver=solver).fit(np.repeat(rows, weight, axis=0))
    np.testing.assert_allclose(weighted.components_, repeated.components_, atol=1e-9)
    np.testing.assert_allclose(
        weighted.explained_variance_, repeated.explained_variance_, rtol=1e-9
    )
    assert weighted.n_samples_ == weight.sum()


def test_weights_that_sum_to_one_keep_every_direction(rows):
    pca = PCA(ddof=0).fit(rows, sample_weight=np.full(len(rows), 1 / len(rows)))
    np.testing.assert_allclose(pca.explained_variance_, reference(rows, ddof=0)[1], rtol=1e-9)


def test_the_randomized_solver_states_how_well_it_knows_the_directions(rows):
    pca = PCA(n_components=3, svd_solver="randomized").fit(rows)
    (residual,) = pca.decisions_.about("components_")
    assert float(residual.choice.removeprefix("residual ")) < 1e-3
    np.testing.assert_allclose(pca.explained_variance_, reference(rows)[1][:3], rtol=1e-4)


def test_the_leading_solver_states_its_residual_and_obeys_tol():
    X = np.random.default_rng(2).normal(size=(200, 50))

    def residual(**options):
        pca = PCA(n_components=2, svd_solver="leading", **options).fit(X)
        return float(pca.decisions_.about("components_")[0].choice.removeprefix("residual "))

    assert residual() <= 1e-10
    assert 1e-10 < residual(tol=0.1) <= 0.1


def test_auto_says_what_it_chose_and_why(rows, wide):
    def chosen(X, **options):
        return PCA(**options).fit(X).decisions_.about("svd_solver")[0].choice

    rng = np.random.default_rng(6)
    assert chosen(rows) == "covariance_eigh"
    assert chosen(rng.normal(size=(30, 600))) == "gram"
    assert (
        chosen(rng.normal(size=(2100, 2100)).astype(np.float32), n_components=1, tol=0.1)
        == "leading"
    )


def test_fitting_twice_gives_the_same_bits(rows):
    for solver in [*SOLVERS, "randomized"]:
        one, two = (PCA(n_components=3, svd_solver=solver).fit(rows) for _ in range(2))
        np.testing.assert_array_equal(one.components_, two.components_)
        np.testing.assert_array_equal(one.fit_transform(rows), two.transform(rows))


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_largest_entry_of_each_direction_is_positive(rows, solver):
    axes = PCA(n_components=5, svd_solver=solver).fit(rows).components_
    assert (np.take_along_axis(axes, abs(axes).argmax(axis=1)[:, None], axis=1) > 0).all()


@pytest.mark.parametrize("solver", EXACT)
def test_directions_beyond_the_rank_are_the_same_on_every_solver(solver):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(30, 3)) @ rng.normal(size=(3, 10))
    pca = PCA(svd_solver=solver).fit(X)
    judge_ = PCA(svd_solver="covariance_eigh").fit(X)
    assert pca.rank_ == 3
    assert pca.decisions_.about("rank_")
    np.testing.assert_allclose(pca.components_, judge_.components_, atol=1e-8)
    np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(10), atol=1e-12)
    np.testing.assert_array_equal(pca.explained_variance_[3:], np.zeros(7))


@pytest.mark.parametrize("solver", [*SOLVERS, "auto"])
def test_fewer_rows_than_columns(wide, solver):
    pca = PCA(n_components=19, svd_solver=solver).fit(wide)
    assert pca.rank_ == 19
    np.testing.assert_allclose(pca.explained_variance_, reference(wide)[1][:19], rtol=1e-8)


@pytest.mark.parametrize("solver", ["covariance_eigh", "gram", "full", "leading", "randomized"])
def test_constant_rows_explain_nothing_and_score_zero(solver):
    X = np.full((12, 4), 7.5)
    pca = PCA(n_components=2, svd_solver=solver, whiten=True).fit(X)
    assert pca.explained_variance_ratio_.tolist() == [0.0, 0.0]
    assert pca.components_.tolist() == np.eye(4)[:2].tolist()
    assert not pca.transform(X).any()
    assert pca.rank_ == 0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("solver", [*EXACT, "arpack"])
def test_whitening_does_not_blow_up_directions_without_variance(solver, dtype):
    rng = np.random.default_rng(8)
    X = (rng.normal(size=(300, 4)) @ rng.normal(size=(4, 12))).astype(dtype)
    new = (rng.normal(size=(50, 4)) @ rng.normal(size=(4, 12))).astype(dtype)
    pca = PCA(n_components=10, whiten=True, svd_solver=solver).fit(X)
    assert pca.rank_ == 4
    assert not pca.transform(new)[:, 4:].any()
    assert abs(pca.transform(X)).max() < 10


def test_only_full_resolves_variances_below_the_precision_of_products():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(100, 2)) * [1.0, 1e-9]
    assert PCA(svd_solver="full").fit(X).rank_ == 2
    assert PCA(svd_solver="covariance_eigh").fit(X).rank_ == 1


def test_float32_stays_float32_and_is_right_to_1e_5(rows):
    X = rows.astype(np.float32)
    for solver in [*SOLVERS, "randomized"]:
        pca = PCA(n_components=3, svd_solver=solver).fit(X)
        assert pca.components_.dtype == pca.transform(X).dtype == np.float32
        np.testing.assert_allclose(pca.explained_variance_, reference(rows)[1][:3], rtol=1e-5)


def test_unsigned_bytes_do_not_wrap():
    X = np.random.default_rng(10).integers(0, 256, (60, 5)).astype(np.uint8)
    pca = PCA().fit(X)
    np.testing.assert_allclose(pca.explained_variance_, reference(X.astype(float))[1], rtol=1e-6)


def test_bytes_are_whitened_without_blowing_up_what_rounding_leaves():
    X = np.random.default_rng(11).integers(0, 100, (500, 3)).astype(np.uint8)
    X = np.c_[X, X[:, :2] + X[:, 1:]]  # the last two columns are sums of others
    for pca in (PCA(whiten=True).fit(X), PCA(whiten=True).partial_fit(X)):
        assert pca.rank_ == 3
        assert not pca.transform(X)[:, 3:].any()
    few = PCA(n_components=2, svd_solver="leading").fit(X)
    np.testing.assert_allclose(few.explained_variance_, pca.explained_variance_[:2], rtol=1e-6)


def test_a_frame_comes_back_as_a_frame_and_keeps_its_index(rows):
    frame = pd.DataFrame(rows, columns=list("abcdefgh"), index=range(100, 300))
    pca = PCA(n_components=2).fit(frame)
    scores = pca.transform(frame)
    assert scores.columns.tolist() == ["pca0", "pca1"]
    assert scores.index[0] == 100
    assert pca.inverse_transform(scores).columns.tolist() == list("abcdefgh")
