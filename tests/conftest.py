"""What all tests share: the data folder, and a real cluster of two processes."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("fixed")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of larger data sets; tests that need it are skipped without it."""
    folder = os.environ.get("LOOKALIKE_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("LOOKALIKE_DATA does not name the folder of larger data sets")
    return Path(folder)


@pytest.fixture(scope="session")
def cluster():
    """A client of two worker processes."""
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the start of the cluster, not of our code
        local = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        )
        client = distributed.Client(local)
    yield client
    client.close()
    local.close()


@pytest.fixture(params=["memory", "stream", "dask"])
def engine(request):
    """The name of each engine in turn; the cluster runs for `dask`."""
    if request.param == "dask":
        request.getfixturevalue("cluster")
    return request.param


@pytest.fixture(scope="session")
def blobs():
    """Three groups of rows with different spread, at an offset."""
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(3, 5)) * 10
    spread = np.array([[1.0], [2.0], [0.5]])
    groups = [
        center + s * rng.normal(size=(120, 5)) for center, s in zip(centers, spread, strict=True)
    ]
    return np.concatenate(groups)[rng.permutation(360)]
