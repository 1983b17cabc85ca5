"""Which Dask cluster is used: the active one, this process, or one of local processes."""

import multiprocessing
import subprocess
import sys

import numpy as np
import pytest

from lookalike import PCA, KMeans
from lookalike.data import open_source
from lookalike.engines import engine_for, local_cluster
from lookalike.engines.local import StreamEngine
from lookalike.engines.local_cluster import DASK_TRIM_THRESHOLD, MALLOC_THRESHOLDS, keeping_memory
from lookalike.errors import EngineError

da = pytest.importorskip("dask.array")
pytest.importorskip("distributed")
X = np.random.default_rng(0).normal(size=(200, 4))


@pytest.fixture
def no_client(monkeypatch):
    """Hide the cluster that other tests may have started in this process."""
    monkeypatch.setattr("lookalike.engines.active_client", lambda: None)


@pytest.mark.usefixtures("no_client")
def test_without_a_client_partitions_are_read_by_threads_of_this_process():
    rows = da.from_array(X, chunks=(50, 4))
    assert isinstance(engine_for(open_source(rows)), StreamEngine)
    model = KMeans(3, random_state=0).fit(rows)
    assert "threads of this process" in str(model.decisions_)
    np.testing.assert_array_equal(
        PCA(2).fit(rows).components_, PCA(2, engine="stream").fit(rows).components_
    )


def test_with_a_client_partitions_are_reduced_on_its_cluster(cluster):
    assert local_cluster.active_client() is cluster
    model = PCA(2).fit(da.from_array(X, chunks=(50, 4)))
    assert "spread over Dask partitions" in str(model.decisions_)


def test_a_started_process_is_told_that_it_starts_no_cluster(monkeypatch):
    monkeypatch.setattr(multiprocessing, "parent_process", object)
    monkeypatch.setattr(local_cluster, "_started", {})
    with pytest.raises(EngineError, match="if __name__ == '__main__'"):
        local_cluster.local_client(1)


SCRIPT = """
import numpy as np
from lookalike import PCA
from lookalike.engines.local_cluster import active_client, local_client

print("the script runs")
X = np.arange(60.0).reshape(20, 3) % 7
first = PCA(2, engine="dask", n_jobs=1).fit(X).components_
client = local_client(1)
assert (PCA(2, engine="dask", n_jobs=1).fit(X).components_ == first).all()
assert (PCA(2).fit(X).components_ == first).all()
assert local_client(1) is client and active_client() is None
assert client.run(lambda: __import__("sys").modules["__main__"].__name__)
print("done")
"""


def test_one_cluster_serves_all_calls_of_a_script_without_a_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    run = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split("\n")[:2] == ["the script runs", "done"]


def test_workers_that_are_started_keep_freed_memory_unless_a_setting_says_otherwise():
    dask, name = pytest.importorskip("dask"), "distributed.nanny.pre-spawn-environ"
    with keeping_memory():
        kept = dict(dask.config.get(name))
    assert {key: kept[key] for key in MALLOC_THRESHOLDS} == MALLOC_THRESHOLDS
    assert dask.config.get(name)["MALLOC_TRIM_THRESHOLD_"] == DASK_TRIM_THRESHOLD
    with dask.config.set({f"{name}.MALLOC_TRIM_THRESHOLD_": 1000}), keeping_memory():
        assert dask.config.get(name)["MALLOC_TRIM_THRESHOLD_"] == 1000
