"""A worker of the cluster may die in the middle of a fit: the result is the same bits."""

from __future__ import annotations

import os
import signal
import warnings

import numpy as np
import pytest

from lookalike import KMeans
from lookalike.progress import listening


def test_a_worker_killed_in_mid_fit_changes_nothing():
    distributed = pytest.importorskip("distributed")
    da = pytest.importorskip("dask.array")
    X = np.random.default_rng(0).normal(size=(600, 4))
    here = KMeans(5, init=X[:5], tol=0).fit(X)
    killed = []

    def kill_one(label, done, total):
        if label == "rounds" and done == 2 and not killed:
            worker, process = next(iter(client.run(os.getpid).items()))
            killed.append(worker)
            os.kill(process, signal.SIGKILL)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the cluster, which loses a worker
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
            listening(kill_one),
        ):
            spread = da.from_array(X, chunks=(100, 4))
            there = KMeans(5, init=X[:5], tol=0, engine="dask").fit(spread)
    assert killed
    np.testing.assert_array_equal(here.cluster_centers_, there.cluster_centers_)
    np.testing.assert_array_equal(here.labels_, there.labels_)
    assert here.inertia_ == there.inertia_
