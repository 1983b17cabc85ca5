"""Threads: limited, interruptible, and the same bits on any vector level."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import threadpoolctl
from test_import import run

from lookalike import PCA, NearestNeighbors, _core
from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.threads import resolve_threads


def test_threadpoolctl_sees_the_pool_and_can_limit_it():
    def pool():
        return [p for p in threadpoolctl.threadpool_info() if p["user_api"] == "lookalike"]

    assert len(pool()) == 1
    with threadpoolctl.threadpool_limits(1, user_api="lookalike"):
        assert pool()[0]["num_threads"] == 1
        assert _core.default_threads() == 1
    assert pool()[0]["num_threads"] == _core.default_threads()


@pytest.mark.parametrize(("n_jobs", "error"), [(0, ParameterError), ("2", ParameterTypeError)])
def test_an_impossible_number_of_jobs_is_an_error(n_jobs, error):
    with pytest.raises(error, match="n_jobs="):
        resolve_threads(n_jobs)


def test_jobs_of_joblib_share_the_cores_instead_of_taking_all_each():
    joblib = pytest.importorskip("joblib")
    with joblib.parallel_config("loky", n_jobs=2, inner_max_num_threads=1):
        assert joblib.Parallel()(joblib.delayed(_default_threads)() for _ in range(2)) == [1, 1]


def _default_threads():
    return _core.default_threads()


def test_every_vector_level_gives_the_same_bits():
    code = (
        "import numpy as np; from lookalike.kernels.moments import column_moments;"
        "X = np.random.default_rng(0).normal(size=(500, 37)) + 1e3;"
        "print(np.array(column_moments(X)).tobytes().hex())"
    )
    assert len({run(code, LOOKALIKE_SIMD=level) for level in _core.simd_levels()}) == 1


def test_a_wrong_vector_level_is_an_error_at_import():
    done = subprocess.run(
        [sys.executable, "-c", "import lookalike"],
        env=os.environ | {"LOOKALIKE_SIMD": "mmx"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    offered = ", ".join(_core.simd_levels())
    assert f"LOOKALIKE_SIMD=mmx is not a level of this machine, which has: {offered}" in done.stderr


INTERRUPTED = """
import os, signal, threading, time
import numpy as np
from lookalike import PCA

rows = np.random.default_rng(0).normal(size=(2000, 300))
pca = PCA(engine={engine!r}, n_jobs={threads}).fit(rows)
before = pca.components_.copy()
def interrupt():
    global sent
    sent = time.process_time()  # of both cores, and not of other programs
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.5, interrupt).start()
try:
    pca.fit(lambda: (rows for _ in range(100_000)))
except KeyboardInterrupt:
    print(time.process_time() - sent)
print((pca.components_ == before).all())
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_ctrl_c_stops_a_fit_at_once_and_leaves_the_model_as_it_was(engine, threads):
    script = INTERRUPTED.format(engine=engine, threads=threads)
    seconds, unchanged = run(script).split()
    assert float(seconds) < 0.2 * threads
    assert unchanged == "True"


def test_a_million_jobs_are_as_many_as_help():
    assert resolve_threads(10**6) == resolve_threads(10**9) < 10_000
    rows = np.random.default_rng(0).normal(size=(3000, 4))
    few, many = (PCA(2, n_jobs=n).fit(rows).components_ for n in (1, 10**6))
    np.testing.assert_array_equal(few, many)
    row = [NearestNeighbors(n_jobs=n).fit(rows).kneighbors()[1] for n in (1, 10**6)]
    np.testing.assert_array_equal(*row)


NO_THREADS = """
import resource
import numpy as np
from lookalike import PCA, KMeans, NearestNeighbors

rows = np.random.default_rng(0).normal(size=(20_000, 12))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2 * 10**9,) * 2)  # less than the stack of a thread
import threading
try:
    threading.Thread(target=print).start()
except RuntimeError:
    print("no thread", end=" ")
found = NearestNeighbors(n_jobs=4).fit(rows).kneighbors(rows[:100])[1]
assert (found[:, 0] == np.arange(100)).all()
assert PCA(2, n_jobs=4).fit(rows).components_.shape == (2, 12)
assert KMeans(3, n_init=1, n_jobs=4).fit(rows).cluster_centers_.shape == (3, 12)
print("done")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
def test_where_no_thread_can_be_started_the_caller_does_the_work():
    resource = pytest.importorskip("resource")
    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        pytest.skip("the stack of a thread cannot be made larger than the memory")
    done = subprocess.run(
        ["bash", "-c", 'ulimit -s 8000000 && exec "$0" -c "$1"', sys.executable, NO_THREADS],
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "no thread done", done.stderr
