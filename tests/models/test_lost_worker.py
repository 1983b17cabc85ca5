"""A worker of the cluster may die in the middle of a fit: the result is the same bits."""

from __future__ import annotations

import os
import signal
import warnings

import numpy as np
import pytest

from lookalike import GaussianMixture, KMeans, RBFNetworkClassifier, RBFNetworkRegressor
from lookalike.progress import listening

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 4))
NUMBERS, LABELS = X[:, 0] * X[:, 1], (X.sum(axis=1) > 0).astype(int)
BUMPS = {"centers": X[:8], "width": 2.0, "alpha": 0.1}
MODELS = {  # with targets, and what must be the same
    "KMeans": (KMeans(5, init=X[:5], tol=0, max_iter=3), None, "cluster_centers_"),
    "GaussianMixture": (
        GaussianMixture(2, init_params="random_from_data", max_iter=2, tol=0, random_state=0),
        None,
        "covariances_",
    ),
    "RBFNetworkRegressor": (RBFNetworkRegressor(**BUMPS), NUMBERS, "coef_"),
    "RBFNetworkClassifier": (RBFNetworkClassifier(**BUMPS, output="linear"), LABELS, "coef_"),
}


@pytest.fixture  # a cluster of its own: under load a worker that was killed may not come back
def client():
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    with (
        warnings.catch_warnings(action="ignore"),
        dask.config.set({"distributed.comm.timeouts.connect": "2s"}),  # not 30 s for the dead
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as ready,
    ):
        yield ready


def killing_one(client, killed):
    """Return a listener that kills a worker in the middle of the second pass over the rows."""
    passes = []

    def listener(label, done, total):
        if label != "rows":
            return
        passes.append(done)
        if not killed and passes.count(total) == 1 and 0 < done < total:
            worker, process = next(iter(client.run(os.getpid).items()))
            killed.append(worker)
            os.kill(process, signal.SIGKILL)

    return listener


@pytest.mark.filterwarnings("ignore")  # of the cluster, which loses a worker
@pytest.mark.parametrize("name", MODELS)
def test_a_worker_killed_in_mid_fit_changes_nothing(name, client, time_limit):
    da = pytest.importorskip("dask.array")
    model, y, learned = MODELS[name]
    killed = []
    client.wait_for_workers(2, timeout=60)
    rows = da.from_array(X, chunks=(100, 4))
    target = None if y is None else da.from_array(y, chunks=100)
    undisturbed = np.array(getattr(model.fit(rows, target), learned))
    with listening(killing_one(client, killed)):
        again = getattr(model.fit(rows, target), learned)
    assert killed
    np.testing.assert_array_equal(undisturbed, again)


@pytest.mark.filterwarnings("ignore")  # of the cluster, which loses a worker
@pytest.mark.parametrize("n_clusters", [5, 600])  # states that travel, and states that stay
def test_rows_that_were_sent_are_sent_again_where_a_worker_is_killed(
    n_clusters, client, time_limit
):
    rows = np.random.default_rng(1).normal(size=(300_000, 16))
    model = KMeans(n_clusters, init=rows[:n_clusters], tol=0, max_iter=3, engine="dask")
    killed = []
    client.wait_for_workers(2, timeout=60)
    with listening(killing_one(client, killed)):
        centers = model.fit(rows).cluster_centers_
    assert killed
    alone = KMeans(n_clusters, init=rows[:n_clusters], tol=0, max_iter=3).fit(rows)
    np.testing.assert_array_equal(centers, alone.cluster_centers_)
