"""What models fit with the engine of a GPU: initial centers, basis functions, prototypes."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import (
    CondensedNearestNeighbour,
    EditedNearestNeighbours,
    KMeans,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
)
from lookalike.models.cluster.initialization import CandidateCenters, kmeans_plusplus

torch = pytest.importorskip("torch", reason="torch is not installed")

from lookalike.engines import gpu  # noqa: E402
from lookalike.index import gpu_exact  # noqa: E402

ON_GPU = torch.cuda.is_available()


@pytest.fixture(autouse=True)
def engine_without_a_card(monkeypatch):
    if not ON_GPU:
        for module in (gpu, gpu_exact):
            monkeypatch.setattr(module, "gpu_device", lambda torch, _=None: torch.device("cpu"))


def two_moons(n_rows=400, dtype=np.float64):
    rng = np.random.default_rng(0)
    turn, y = rng.uniform(0, np.pi, n_rows), rng.integers(2, size=n_rows)
    X = np.column_stack([np.cos(turn) + y, np.sin(turn) * (1 - 2 * y)])
    return (X + 0.15 * rng.normal(size=X.shape)).astype(dtype), y


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_k_means_plus_plus_draws_the_rows_that_the_cpu_draws(dtype, offset):
    X = two_moons(dtype=dtype)[0] + dtype(offset)
    X[50:60] = X[:10]  # duplicates
    on_gpu = CandidateCenters(X, None, 1, gpu.GPUEngine())
    here = CandidateCenters(X, None, 1)
    places = X[:5].astype(np.float64)
    np.testing.assert_array_equal(on_gpu.keys(places), here.keys(places))
    drawn = [kmeans_plusplus(one, 12, np.random.RandomState(3)).tolist() for one in (on_gpu, here)]
    assert drawn[0] == drawn[1]


def test_k_means_from_the_start_of_the_card_has_the_bits_of_the_cpu():
    X = two_moons()[0]
    ours, theirs = (KMeans(9, random_state=0, engine=e).fit(X) for e in ("gpu", "memory"))
    np.testing.assert_array_equal(ours.cluster_centers_, theirs.cluster_centers_)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("centers", ["kmeans", "kcenter"])
def test_rbf_networks_agree_with_the_cpu_in_float64(normalized, centers):
    X, y = two_moons()
    given = {"normalized": normalized, "centers": centers, "random_state": 0}
    weight = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    target = np.sin(X[:, 0]) + X[:, 1] ** 2
    ours, theirs = (
        RBFNetworkRegressor(15, engine=engine, **given).fit(X, target, sample_weight=weight)
        for engine in ("gpu", "memory")
    )
    assert ours.alpha_ == pytest.approx(theirs.alpha_, rel=1e-6)
    assert ours.loo_mse_ == pytest.approx(theirs.loo_mse_, rel=1e-6)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-6)
    ours, theirs = (
        RBFNetworkClassifier(15, engine=engine, **given).fit(X, y) for engine in ("gpu", "memory")
    )
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.99
    assert not [one for one in ours.decisions_ if "NormalEquations" in str(one)]


@pytest.mark.parametrize("model", [CondensedNearestNeighbour, EditedNearestNeighbours])
def test_prototypes_searched_on_the_card_are_those_of_the_cpu(model):
    X, y = two_moons()
    ours, theirs = (model(engine=engine).fit(X, y) for engine in ("gpu", "memory"))
    assert ours.rows_.tolist() == theirs.rows_.tolist()
