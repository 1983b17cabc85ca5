"""KernelDensity: sums of kernels as in scikit-learn, at any distance, weights and widths."""

from __future__ import annotations

import numpy as np
import pytest
from density_data import DATA_SETS
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from sklearn.neighbors import KernelDensity as TheirKernelDensity
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike
from lookalike import KernelDensity
from lookalike.models.kernel.density_kernels import DENSITY_KERNELS, log_kernel, log_kernel_norm


@parametrize_with_checks([KernelDensity(), KernelDensity(kernel="linear", bandwidth="scott")])
def test_the_contract_of_scikit_learn_holds(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", DATA_SETS)
@pytest.mark.parametrize("kernel", DENSITY_KERNELS)
def test_densities_are_those_of_scikit_learn_on_eight_data_sets(name, kernel):
    X = DATA_SETS[name]()
    weight = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    for bandwidth in (0.3, 2.5, "silverman"):
        options = {"kernel": kernel, "bandwidth": bandwidth}
        ours = KernelDensity(**options).fit(X, sample_weight=weight)
        peer = TheirKernelDensity(**options).fit(X, sample_weight=weight)
        found, wanted = ours.score_samples(X[:80]), peer.score_samples(X[:80])
        if kernel == "cosine":  # whose constant theirs has right for few odd numbers of columns
            found, wanted = found - found[0], wanted - wanted[0]
            if not np.isfinite(wanted).all():
                continue
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-7)


def plain_log_density(X, queries, kernel, bandwidth, weight):
    gap = np.sqrt(((queries[:, None] - X[None]) ** 2).sum(axis=2))
    with np.errstate(divide="ignore"):
        terms = log_kernel(kernel, gap, bandwidth) + np.log(weight)
    total = np.logaddexp.reduce(terms, axis=1) - np.log(weight.sum())
    return total + log_kernel_norm(kernel, X.shape[1], bandwidth)


@given(
    st.integers(1, 50), st.integers(1, 6), st.sampled_from(DENSITY_KERNELS),
    st.floats(0.01, 100.0), st.integers(0, 10**6),
)  # fmt: skip
def test_a_density_is_the_weighted_mean_of_its_kernels(n, d, kernel, bandwidth, seed):
    rng = np.random.default_rng(seed)
    X, queries = rng.normal(size=(n, d)), rng.normal(size=(9, d)) * 5.0
    weight = rng.uniform(0.1, 3.0, n)
    model = KernelDensity(kernel=kernel, bandwidth=bandwidth).fit(X, sample_weight=weight)
    wanted = plain_log_density(X, queries, kernel, bandwidth, weight)
    np.testing.assert_allclose(model.score_samples(queries), wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kernel", DENSITY_KERNELS)
def test_kernels_integrate_to_one(kernel):
    for d in (1, 2, 5):
        log_sphere = np.log(2) + d / 2 * np.log(np.pi) - np.log(_gamma(d / 2))
        norm = log_kernel_norm(kernel, d, 0.7)

        def shell(r, d=d, norm=norm, log_sphere=log_sphere):
            height = log_kernel(kernel, np.array([r]), 0.7)[0]
            return np.exp(height + norm + log_sphere) * r ** (d - 1)

        mass = quad(shell, 0, 0.7)[0] + quad(shell, 0.7, 40.0, limit=200)[0]
        assert mass == pytest.approx(1.0, rel=1e-6)


def _gamma(x):
    from scipy.special import gamma

    return gamma(x)


def test_a_query_far_from_all_rows_has_a_finite_log_density():
    X = DATA_SETS["moons"]()
    for kernel in ("gaussian", "exponential"):
        model = KernelDensity(kernel=kernel, bandwidth=0.1).fit(X)
        assert np.isfinite(model.score_samples([[1e3, 0.0]])).all()
    assert KernelDensity(kernel="tophat").fit(X).score_samples([[1e3, 0.0]])[0] == -np.inf


def test_threads_batches_and_algorithms_change_nothing_but_rounding():
    X = np.random.default_rng(0).normal(size=(3000, 3))
    one, many = (KernelDensity(bandwidth=0.05, n_jobs=n).fit(X) for n in (1, 5))
    whole = one.score_samples(X[:500])
    np.testing.assert_array_equal(many.score_samples(X[:500]), whole)
    parts = [one.score_samples(X[at : at + 50]) for at in range(0, 500, 50)]
    np.testing.assert_allclose(np.concatenate(parts), whole, rtol=1e-13)
    exact = KernelDensity(bandwidth=0.05, algorithm="exact").fit(X)
    np.testing.assert_allclose(exact.score_samples(X[:500]), whole, rtol=1e-12)


def test_weights_of_whole_numbers_are_copies():
    X = DATA_SETS["blobs"]()
    count = np.random.default_rng(0).integers(0, 4, len(X))
    weighted = KernelDensity(bandwidth=1.5).fit(X, sample_weight=count)
    repeated = KernelDensity(bandwidth=1.5).fit(np.repeat(X, count, axis=0))
    np.testing.assert_allclose(weighted.score_samples(X), repeated.score_samples(X), rtol=1e-10)


def test_the_likeliest_bandwidth_is_that_of_a_slow_search():
    X = np.random.default_rng(0).normal(size=(150, 2))
    model = KernelDensity(bandwidth="loo").fit(X)
    gap = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(gap, np.inf)

    def likelihood(h):
        sums = np.exp(-gap / (2 * h * h)).sum(axis=1) / 149
        return np.mean(np.log(sums)) - np.log(2 * np.pi * h * h)

    widths = np.exp(np.linspace(-3, 1, 2000))
    best = widths[np.argmax([likelihood(h) for h in widths])]
    assert model.bandwidth_ == pytest.approx(best, rel=0.05)
    chosen = model.curve_["log_likelihood"].max()
    assert chosen == pytest.approx(likelihood(model.bandwidth_), rel=1e-9)
    assert "leave-one-out" in str(model.decisions_)


@pytest.mark.parametrize("kernel", ["gaussian", "tophat"])
def test_drawn_rows_are_those_of_scikit_learn(kernel):
    X = DATA_SETS["moons"]()
    ours, peer = (kind(kernel=kernel, bandwidth=0.2).fit(X)
                  for kind in (KernelDensity, TheirKernelDensity))  # fmt: skip
    np.testing.assert_allclose(ours.sample(50, 3), peer.sample(50, random_state=3), rtol=1e-12)
    with pytest.raises(NotImplementedError):
        KernelDensity(kernel="linear").fit(X).sample()


@pytest.mark.parametrize(
    "wrong", [{"bandwidth": 0.0}, {"bandwidth": "best"}, {"kernel": "box"}, {"rtol": -1.0}]
)
def test_a_wrong_parameter_is_named(wrong):
    with pytest.raises(lookalike.LookalikeError, match=next(iter(wrong))):
        KernelDensity(**wrong).fit([[0.0], [1.0]])


def test_a_saved_model_scores_the_same(tmp_path):
    X = DATA_SETS["moons"]()
    model = KernelDensity(bandwidth="loo").fit(X)
    lookalike.save(model, tmp_path / "model")
    loaded = lookalike.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.score_samples(X), model.score_samples(X))


def test_log_densities_far_from_every_row_are_those_of_the_definition():
    """scikit-learn's sums cancel there: they are off by hundreds."""
    from scipy.spatial.distance import cdist
    from scipy.special import logsumexp
    from sklearn.datasets import load_digits

    Z = lookalike.PCA(12, svd_solver="full").fit_transform(load_digits().data[:600])
    log_sum = logsumexp(-0.5 * cdist(Z[:200], Z[200:], "sqeuclidean"), axis=1)
    expected = log_sum - np.log(400) - 6 * np.log(2 * np.pi)
    ours = KernelDensity(bandwidth=1.0).fit(Z[200:]).score_samples(Z[:200])
    np.testing.assert_allclose(ours, expected, atol=1e-10)
    theirs = TheirKernelDensity(bandwidth=1.0).fit(Z[200:]).score_samples(Z[:200])
    assert np.abs(theirs - expected).max() > 100
